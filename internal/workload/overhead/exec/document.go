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
		return "not known"
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
	notes := []string{"Whatever the program does between two calls is in the figures: " +
		"its own work, its sleeps and the SDK's pauses. " +
		"What it does while a call is under way is not."}
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
	add(warm, "Left out as the warm-up: %d of the times between calls.%s", warm, f.shortWarmup())
	if r.Processes > 1 {
		notes = append(notes, fmt.Sprintf("%d processes called in the same time. Each time is from an answer to one of "+
			"them to the next request of the same one. They may wait for each other in it; how long they waited for "+
			"processors is taken off, where it is known.", r.Processes))
	}
	add(r.Beside, "In no figure, because it is of a process that ran beside another one that called: %d of the times.",
		r.Beside)
	add(int64(len(r.Pairs)), "A row such as GetItem after PutItem is of calls that follow those of another operation: "+
		"what the program does with the one answer and for the next request.")
	add(r.Mixed, "In no figure, because it is between calls of operations that seldom follow each other: "+
		"%d of the times.", r.Mixed)
	add(r.Failed, "In no figure, because a client that tries again after an error waits first: %d of the times.",
		r.Failed)
	add(r.Early, "In no figure, because the request came before the last one was answered: %d of the times.", r.Early)
	add(r.Late, "In no figure, because the responder saw too late that its answer was out: %d of the times.", r.Late)
	add(r.Switches, "Between two connections that both went on being used: %d of the times, which "+
		"may be of several calls at once.", r.Switches)
	add(r.Unknown, "Requests that the responder has no answer for: %d, see 'plimsoll serve aws --help'.", r.Unknown)
	add(int64(len(without)), "No figure, because not called several times in a row, or only in the warm-up: %s.",
		firstNames(without))
	add(unstamped, "Requests that were stamped when they were read, and not by the kernel: "+
		"%d. The error has that in it.", unstamped)
	for _, op := range r.Measured() {
		row, ok := op.Row(f.null)
		if ok && f.null.Sample.MedNS > row.SDKTime.MedNS {
			notes = append(notes,
				fmt.Sprintf("What was taken off for the null client is more than what is left for %s.", row.Operation))
		}
	}
	if gaps := r.gaps(); untimed(gaps) > maxUntimed*float64(len(gaps)) {
		notes = append(notes, "How long the program waited for processors is not known, and is in the figures: on a busy "+
			"machine they may be off by more than the error says.")
	}
	if f.trace.Cut {
		notes = append(notes, "The responder's trace has no end: later calls are in no figure.")
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
	return fmt.Sprintf(" It is %v, but no more than a fifth of the time that an operation was "+
		"called for; --warmup sets it.", f.Warmup)
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
		return []string{fmt.Sprintf("%d of %d calls of %s made a connection of their own: "+
			"its figures contain connecting, and "+
			"the start of a program if it is one a call.", len(op.New), len(op.New)+len(op.Kept), op.Operation)}
	case len(op.New) > 0:
		return []string{fmt.Sprintf("In no figure, because of a new connection: %d of the "+
			"times of %s, with a median of %v.",
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
