package exec

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// document is what was measured as a run document. How many calls the client may have in flight is not known: a few
// that overlap are let pass.
func (f *Program) document() (*rundoc.Run, error) {
	doc, err := run.Document(f.recorded(), &run.Target{URL: f.url, Embedded: true, SameHost: true})
	if err == nil {
		doc.Little.Slots = 0
	}
	return doc, err
}

// recorded enters the exchanges as operations: their times are the server's, from a request's
// arrival to its answer.
func (f *Program) recorded() *record.Run {
	found := f.found
	length := found.End - found.Start + 1 // the last answer is inside
	kinds, index := []record.Kind{}, map[string]int{}
	for i := range f.trace.Exchanges {
		e := &f.trace.Exchanges[i]
		if _, known := index[e.Name()]; known {
			continue
		}
		index[e.Name()] = len(kinds)
		kinds = append(kinds, record.Kind{Name: orUnknown(e.Operation),
			Labels: map[string]string{"service": orUnknown(serviceName(e.Service))}})
	}
	window := record.New(record.Config{Kinds: kinds, Series: true, Foreign: true})
	window.End(length)
	begun := make([]int64, len(kinds))
	for i := range f.trace.Exchanges {
		e := &f.trace.Exchanges[i]
		kind := index[e.Name()]
		begun[kind]++
		o := record.Operation{Kind: kind, Start: e.Received - found.Start, End: e.Sent - found.Start, Attempts: 1}
		o.Intended, o.Ready, o.FirstEnd = o.Start, o.Start, o.End
		if e.Status >= 400 {
			o.Outcome, o.Cause = record.Failed, "http:"+strconv.Itoa(e.Status)
			window.Cause(kind, o.Cause, o.End)
		}
		window.Collect(o.Start) // nothing that follows ends before
		window.Stretch(o.Start)
		window.Record(0, &o)
	}
	rec := &record.Run{
		Started: time.Unix(0, found.Start).UTC(), Ended: time.Unix(0, found.End).UTC(),
		Interrupted: f.ending.interrupted, Clients: 1, Slots: 1,
		Kinds: kinds, Window: window, End: length, Begun: begun, Unsent: make([]int64, len(kinds)),
		Scheduled: int64(len(f.trace.Exchanges)), Reading: f.reading, ClockStep: f.clockStep,
		Connections: record.NewConnections(),
	}
	rec.Ledger[record.Awaiting], rec.Ledger[record.Preparing] = found.Served, length-found.Served
	rec.Phases = []record.Phase{{
		Name: rundoc.PhaseWindow, Started: rec.Started, Length: time.Duration(length), Operations: rec.Scheduled,
		OK: window.OK(), Inside: window.Inside(), Mean: time.Duration(window.Mean()),
	}}
	return rec
}

func orUnknown(name string) string {
	if name == "" {
		return "unknown"
	}
	return name
}

// serviceName is a service of the responder under the name that the table has for it.
func serviceName(service string) string {
	if service == awstarget.EventBridge {
		return "CloudWatchEvents"
	}
	return service
}

// requestOf is what was called, as the report names it.
func requestOf(e *Exchange) string { return serviceName(e.Service) + " " + e.Operation }

// detail is what only an overhead run has to tell.
func (f *Program) detail() *rundoc.OverheadDetail {
	client := f.trace.Client()
	d := &rundoc.OverheadDetail{
		Mode: rundoc.OverheadExec, Command: f.Shown(), CommandWhole: f.Shown() == f.Command, Notes: f.notes(),
		Null: &rundoc.OverheadRow{Service: "net/http", Operation: f.imitated, SDKTime: f.null.Sample},
		Environment: rundoc.OverheadEnvironment{
			SDK: firstNames(client.SDKs), Modules: client.Modules, Protocol: firstNames(client.Protocols),
			Endpoint: f.url, Embedded: true, LatencyNS: int64(f.Latency), TLS: f.TLS,
			Concurrency: max(1, f.found.Processes), WarmupNS: int64(f.Warmup),
		},
	}
	for _, op := range f.found.Measured() {
		row, measured := op.Row(f.null)
		if row.Service = serviceName(row.Service); measured {
			d.Rows = append(d.Rows, row)
		}
	}
	return d
}

// notes are what a reader of the figures must know.
func (f *Program) notes() []string {
	r := f.found
	notes := []string{"The values include everything the program does between two calls: its own work, sleeps and " +
		"pauses of the SDK. They exclude what it does during a call."}
	add := func(n int64, format string, args ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	var warm, unstamped int64
	var without []string
	for _, op := range r.Measured() {
		warm += op.Warm
		unstamped += unstampedOf(op)
		if len(op.Gaps()) == 0 && op.After == "" && !r.follows(op) {
			without = append(without,
				fmt.Sprintf("%s/%s (called: %d)", serviceName(op.Service), op.Operation, op.Calls))
			continue
		}
		notes = append(notes, connecting(op)...)
	}
	add(warm, "Excluded as warm-up: %d gaps between calls.%s", warm, f.shortWarmup())
	if r.Processes > 1 {
		notes = append(notes, fmt.Sprintf("%d processes made calls concurrently. Each gap is measured within one "+
			"process. It includes time waiting for other processes; time waiting for a CPU is subtracted where known.",
			r.Processes))
	}
	add(r.Beside, "Excluded because another process made calls at the same time: %d gaps.",
		r.Beside)
	add(int64(len(r.Pairs)), "A row such as GetItem after PutItem covers calls that follow a call of another "+
		"operation. It includes processing the previous response.")
	add(r.Mixed, "Excluded because their operations rarely follow each other: %d gaps.", r.Mixed)
	add(r.Failed, "Excluded because they follow an error, after which clients back off: %d gaps.",
		r.Failed)
	add(r.Early, "Excluded because the request arrived before the previous response was sent: %d gaps.", r.Early)
	add(r.Late, "Excluded because the responder noticed too late that its response was sent: %d gaps.", r.Late)
	add(r.Switches, "Gaps between two connections that both stayed in use: %d. These calls may have been concurrent.",
		r.Switches)
	add(r.Unknown, "Requests of unsupported operations: %d (see 'plimsoll serve aws --help').", r.Unknown)
	add(int64(len(without)), "No values, because never called twice in a row after the warm-up: %s.",
		firstNames(without))
	add(unstamped, "Requests without a kernel timestamp: %d. The error includes this.", unstamped)
	for _, op := range r.Measured() {
		row, ok := op.Row(f.null)
		if ok && f.null.Sample.MedNS > row.SDKTime.MedNS {
			notes = append(notes,
				fmt.Sprintf("The null client accounts for more than half of the time of %s.", row.Operation))
		}
	}
	if gaps := r.gaps(); untimed(gaps) > maxUntimed*float64(len(gaps)) {
		notes = append(notes, "The time the program waited for a CPU is unknown and included: on a busy machine, the "+
			"values can be off by more than the error.")
	}
	if f.trace.Cut {
		notes = append(notes, "The trace of the responder is truncated: later calls are excluded.")
	}
	if f.ending.bad() {
		notes = append(notes, "The command made these calls"+f.ending.clause()+".")
	}
	return notes
}

func (f *Program) shortWarmup() string {
	if !f.AtMost {
		return ""
	}
	return fmt.Sprintf(" The warm-up is %v, but at most 20%% of the time an operation was called; set it with "+
		"--warmup-time.", f.Warmup)
}

func unstampedOf(op *Operation) (n int64) {
	for _, g := range op.Gaps() {
		if !g.Kernel {
			n++
		}
	}
	return n
}

// connecting says what became of calls on new connections.
func connecting(op *Operation) []string {
	switch {
	case op.Connects():
		return []string{fmt.Sprintf("%d of %d calls of %s opened a new connection: the values include connecting, and "+
			"starting the program if it makes one call per process.", len(op.New), len(op.New)+len(op.Kept), op.Operation)}
	case len(op.New) > 0:
		return []string{fmt.Sprintf("Excluded because of a new connection: %d gaps of %s, with a median of %v.",
			len(op.New), op.Operation, op.NewMedian().Round(time.Microsecond))}
	}
	return nil
}

// firstNames shows some of a list.
func firstNames(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
