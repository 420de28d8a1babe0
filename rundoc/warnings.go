package rundoc

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The codes of the warnings that Warnings derives.
const (
	WarnInterrupted  = "interrupted"        // a signal ended the window early
	WarnAborted      = "aborted"            // a threshold that was missed ended the window early
	WarnClientsLost  = "clients-lost"       // the clients were long without a connection, or backing off
	WarnDeadSeconds  = "dead-seconds"       // seconds in which not one operation ended ok
	WarnTargetBehind = "target-behind"      // the target did not keep up with the open model's rate
	WarnGenerator    = "generator-behind"   // the generator did not
	WarnTooFew       = "clients-too-few"    // the cap of clients was what limited the open model
	WarnLoadBehind   = "load-behind"        // the rate was not kept up with, and whose doing that was is not known
	WarnWaited       = "waited-for-client"  // operations waited long for a free client
	WarnUnfinished   = "unfinished"         // operations were cut off by the end of the drain
	WarnSmallSample  = "percentiles-absent" // the sample is too small for p99
	WarnSamplesLost  = "samples-lost"       // the per-operation file is incomplete
	WarnGaps         = "gaps"               // the generator did not run for a moment, which may be the maximum

	// Of bandwidth runs.
	WarnFilesFailed = "files-failed"      // files that were begun were not completed
	WarnCloseSlow   = "close-slow"        // a close took longer than many applications may be silent
	WarnChecksum    = "checksum-mismatch" // what was read is not what was written
	WarnOwnTime     = "instrument-slow"   // the streams waited for the instrument
	WarnStandstill  = "standstill"        // seconds in which nothing moved
	WarnReopened    = "reopened"          // files were opened again while they were read
	WarnFilesLeft   = "files-left"        // files that were to be deleted are still there

	// Of updates runs; they have WarnStandstill, too.
	WarnRedelivered = "redelivered" // batches were delivered more than once
	WarnUnreadable  = "unreadable"  // messages that were no batch
	WarnBacklog     = "backlog"     // batches were applied after the window, and it is not known by whose doing

	// Of HTTP runs.
	WarnLeftOut = "left-out"     // requests of a log or of a recording that were not sent
	WarnSpread  = "times-spread" // the log's times are coarse: its requests were spread within them

	// Of fan-out.
	WarnOwnStamps     = "own-stamps"     // no delivery has the kernel's stamp
	WarnReadLate      = "read-late"      // deliveries were read long after they had come
	WarnReceiversAway = "receivers-away" // receivers were without a connection

	// Of WebSocket runs.
	WarnNoRule = "no-rule" // messages came that no rule of the protocol takes, while others waited for their answers

	// Of overhead runs.
	WarnConcurrent  = "concurrent"      // several clients shared the processors
	WarnConnected   = "new-connections" // attempts made connections of their own
	WarnBusyUnknown = "busy-unknown"    // the run was too short to tell how busy the machine was
)

// The thresholds of the warnings. Shares are of 1.
const (
	// MaxClientsAway is how much of their time the clients may spend backing off or without
	// a connection before it is told. From MaxClientsLost on it is a reason of the verdict.
	MaxClientsAway = 0.05
	// MinDeadRate is the rate, in operations per second, from which on a second without one
	// that ended ok is not chance: of random arrivals, one second in 22,000 is empty.
	MinDeadRate = 10.0
	// mostSeconds are 12 days; a document cannot make a loop over its seconds longer.
	mostSeconds = 1_000_000
	// MaxBehind is the share of the open model's operations that may be unsent or unfinished.
	MaxBehind = 0.01
	// MinTargetBusy is how much of their time the clients must have waited for the target on average, the generator's
	// own delay left out, for it to be the target that did not keep up: nearly all, but for start and end. And the
	// load must need more of them than there are: otherwise chance made operations come close to each other.
	MinTargetBusy = 0.9
)

// Warnings derives, from the document alone, what a reader should know before using its
// numbers. None of it makes the numbers wrong; that is for Judge.
func Warnings(run *Run) []Warning {
	// A histogram that cannot be read leaves its time out here; Judge says so.
	total, _ := run.Figures()
	w := warnings{run: run, total: &total}
	if run.Interrupted {
		w.add(WarnInterrupted, "The run was interrupted: the window ended early, after %s.",
			units.Duration(run.window()))
	}
	if run.Aborted != "" {
		w.add(WarnAborted, "The run ended early, after %s: %s was missed.", units.Duration(run.window()), run.Aborted)
	}
	w.gaps()
	run.kind().warn(&w)
	return w.list
}

// common are the warnings of a kind whose operations are all of one sort, made by clients of this name.
func (w *warnings) common(client string) {
	w.clientsLost(client)
	w.deadSeconds()
	w.outcomes()
	w.openModel(client)
	w.sample()
}

type warnings struct {
	run   *Run
	total *Operation
	list  []Warning
}

func (w *warnings) add(code, format string, args ...any) {
	w.list = append(w.list, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

func (w *warnings) clientsLost(client string) {
	if share := w.run.Ledger.lostShare(); share > MaxClientsAway && share <= MaxClientsLost {
		w.add(WarnClientsLost, "The %[2]ss spent %[1]s of their time backing off or without a connection: "+
			"the figures are those of fewer %[2]ss than asked for.", units.Percent3(share), client)
	}
}

// gaps tells of a generator that did not run for a moment, too short for a doubt of all figures.
func (w *warnings) gaps() {
	if share, many := w.run.longGaps(); share > 0 && share <= MaxGapShare {
		w.add(WarnGaps, "The generator did not run for %s, in %s (those from %s on count): the longest times may be that.",
			units.Duration(w.run.Generator.Hiccups.LongNS), many, units.Duration(LongGapNS))
	}
}

// deadSeconds tells of whole seconds in which nothing ended ok although the load was there.
func (w *warnings) deadSeconds() {
	whole := w.run.window() / 1e9
	// Of a point of several seconds it is not known which of them were dead, if not all were.
	alive := map[int64]bool{}
	var ok, next int64
	for i := range w.run.Series {
		p := &w.run.Series[i]
		if p.OK <= 0 || p.Second >= whole || p.Second < 0 {
			continue
		}
		ok += p.OK
		end := min(whole, mostSeconds, p.Second+min(p.Length(), mostSeconds))
		for s := max(p.Second, next); s < end; s++ {
			alive[s], next = true, s+1
		}
	}
	mean := float64(ok) / float64(whole)
	if mean < MinDeadRate {
		return
	}
	load := w.run.load()
	var dead, first, last int64
	for s := range min(whole, mostSeconds) {
		if alive[s] || len(load.Stages) > 0 && load.stagesRate(float64(s)+0.5) < MinDeadRate {
			continue
		}
		if dead++; dead == 1 {
			first = s
		}
		last = s
	}
	switch {
	case dead == 0:
	case last == whole-1 && last-first+1 == dead:
		w.add(WarnDeadSeconds, "Not one operation ended ok in the last %d s of %d, although %s/s did on average.", dead,
			whole, units.Number(int64(mean+0.5)))
	default:
		w.add(WarnDeadSeconds, "Not one operation ended ok in %d s of %d, the first of them %d s after the start, "+
			"although %s/s did on average.",
			dead, whole, first, units.Number(int64(mean+0.5)))
	}
}

func (w *warnings) outcomes() {
	t := w.total
	if t.Unfinished > 0 {
		w.add(WarnUnfinished,
			"%s operations had not ended when the run did: they count with the time that they had lasted, "+
				"so the slow end of the response times may be slower than shown.", units.Number(t.Unfinished))
	}
}

func (w *warnings) sample() {
	s := &w.total.ResponseTime
	if s.Count == 0 {
		return
	}
	var absent []string
	for _, p := range s.percentiles() {
		if *p.value == nil {
			absent = append(absent, p.name)
		}
	}
	if s.P99NS == nil {
		w.add(WarnSmallSample,
			"%s response times are too few for %s: a percentile is shown if %d of them lie above it.",
			units.Number(s.Count), strings.Join(absent, ", "), MinAbove)
	}
}

// fileLost tells of what is missing in a file that the run wrote; f may be nil.
func (w *warnings) fileLost(what string, s *SamplesFile) {
	if s == nil {
		return
	}
	if s.Lost == 0 && s.Error == "" {
		return
	}
	why := ""
	if s.Error != "" {
		why = " (" + s.Error + ")"
	}
	w.add(WarnSamplesLost, "%s %s were not written to %s%s; it holds %s. The figures of this report are complete.",
		units.Number(s.Lost), what, s.Path, why, units.Number(s.Written))
}

// openModel tells of a load that the open model asked for and that was not carried, or only after waiting. Whose
// doing that was is said where the figures show it, and with the number that would have been needed.
func (w *warnings) openModel(client string) {
	if !w.run.OpenModel() || w.total.Scheduled <= 0 {
		return
	}
	w.behind(client)
	w.waited(client)
}

func (w *warnings) behind(client string) {
	t := w.total
	share := float64(t.Unsent+t.Unfinished) / float64(t.Scheduled)
	if share <= MaxBehind {
		return
	}
	code, text := WarnLoadBehind, fmt.Sprintf("%s of %s operations were not sent and %s unfinished (%s).",
		units.Number(t.Unsent),
		units.Number(t.Scheduled), units.Number(t.Unfinished), units.Percent3(share))
	d := w.demand()
	switch {
	case w.generatorLate():
		code, text = WarnGenerator, "The generator did not keep up with the load: "+text
	case d.busy+d.pausing >= MinTargetBusy && d.capped():
		code, text = WarnTooFew, fmt.Sprintf("The %ss were too few for the load: %s %s. %s", client, text, d.needed(),
			d.raise(client, w.run.Ledger.Clients))
	case d.busy >= MinTargetBusy && d.inFlight > d.slots:
		code, text = WarnTargetBehind, fmt.Sprintf("The target did not keep up with the load: %s The %ss waited for it in "+
			"%s of their time, the generator's own delay left out; %s. It can be quicker: one in ten took %s or less, and "+
			"then they would have been enough.", text, client, units.Percent3(d.busy), d.needed(), units.Duration(d.quick))
	default:
		text = "The load was not carried in full: " + text
	}
	w.add(code, "%s The response times of those that were sent contain their waiting.", text)
}

// generatorLate reports whether the late starts were mostly the generator's own.
func (w *warnings) generatorLate() bool {
	g, started := &w.run.Generator, float64(w.total.Scheduled-w.total.Unsent)
	if g.SendDelayP99NS == 0 { // too few to have a p99
		return 2*float64(g.ownLate()) > started
	}
	return float64(g.ownLate()) > MaxNotOffered*started && 2*g.OwnDelayP99NS > g.SendDelayP99NS
}

// waited tells of a wait for free clients that was longer than the service, by its p99 or, of operations that are too
// few for one, by its mean.
func (w *warnings) waited(client string) {
	g := &w.run.Generator
	waited, who := g.SendDelayP99NS-g.OwnDelayP99NS, "One operation in a hundred waited %s or more for a free %s."
	if r, s := w.total.ResponseTime.Free, w.total.ServiceTime.Free; g.SendDelayP99NS == 0 && r != nil && s != nil {
		waited, who = r.MeanNS-s.MeanNS, "The operations waited %s on average for a free %s."
	}
	if p50 := w.total.ServiceTime.P50NS; p50 == nil || waited <= *p50 {
		return
	}
	why := ""
	switch d := w.demand(); {
	case !d.known:
	case d.capped():
		why = fmt.Sprintf(" The %ss were too few: %s. %s", client, d.needed(), d.raise(client, w.run.Ledger.Clients))
	case d.inFlight > d.slots:
		why = fmt.Sprintf(" The %ss were too few, or the target too slow: %s.", client, d.needed())
	default:
		why = fmt.Sprintf(" On average the %ss were enough: %s. All were busy at times, when operations came close to "+
			"each other or the target was slow.", client, d.needed())
	}
	w.add(WarnWaited, "%s%s The response times contain that wait, the service times do not.",
		fmt.Sprintf(who, units.Duration(waited), client), why)
}

// demand is how many operations the load would have in flight if each started when it was due, by their free
// service time, against how many there may be.
type demand struct {
	known           bool
	rate            float64 // operations a second that were asked for
	each            int64   // mean free service time
	quick           int64   // one in ten took no longer; 0 where that is not known
	inFlight, slots float64
	busy            float64 // share of the window in which the slots waited for the target
	pausing         float64 // and in which flows held them for their pauses
}

// demand is not known where the free times or the slots are not, nor where answers may have waited for a generator
// without CPU to spare, and nobody knows when they had come: then nobody is accused. Of flows each is one: it holds its
// client from its first operation to its last, pauses included.
func (w *warnings) demand() demand {
	s, l := &w.total.ServiceTime, &w.run.Little
	window, g := w.run.window(), &w.run.Generator
	if g.usedUp() && !g.stamped() || s.Free == nil || s.MeanNS <= 0 || l.Slots <= 0 || window <= 0 {
		return demand{}
	}
	d := demand{known: true, slots: float64(l.Slots), each: s.Free.MeanNS}
	d.rate = float64(w.run.arrivals(w.total)) / seconds(window)
	d.busy = l.InFlightPredicted / d.slots * float64(d.each) / float64(s.MeanNS)
	d.quick = w.run.quick()
	d.hold(w.run, w.total.Scheduled-w.total.Unsent)
	d.inFlight = d.rate * seconds(d.each)
	return d
}

// hold makes of the times of operations, of which so many began, those of the flows that they are steps of.
func (d *demand) hold(r *Run, operations int64) {
	flows, clients := r.started(), r.Ledger.Clients
	if flows == 0 || clients == 0 {
		return
	}
	paused := float64(r.Ledger.States[StatePausing]) * d.slots / float64(clients)
	d.pausing = paused / (d.slots * float64(r.window()))
	steps, pause := float64(operations)/float64(flows), paused/float64(flows)
	d.each = int64(steps*float64(d.each) + pause)
	if d.quick > 0 {
		d.quick = int64(steps*float64(d.quick) + pause)
	}
}

// quick is the free service time that one operation in ten did not exceed, or 0 where that cannot be said: what the
// target can do.
func (r *Run) quick() int64 {
	c, all := newSamples(), sample{}
	for i := range r.Operations {
		free := r.Operations[i].ServiceTime.Free
		if free == nil || free.Count == 0 {
			continue
		}
		s, err := c.of(free)
		if err != nil {
			return 0
		}
		all.add(s)
	}
	if !Supports(all.total, 900) { // as many are below the tenth as above the nine others
		return 0
	}
	return all.at(10)
}

// capped reports whether the slots were too few for the load however quick the target was: even by the time that one
// operation in ten did not exceed. Of a target that was slow from the first operation on, too, since what it
// would do with more of them at the same time nobody has tried.
func (d demand) capped() bool {
	return d.inFlight > d.slots && (d.quick == 0 || d.rate*seconds(d.quick) > d.slots)
}

// raise says how many clients, of so many, would have been enough, with a quarter to spare for what comes close
// together, and how to know then whether the target is.
func (d demand) raise(client string, clients int) string {
	enough := math.Ceil(1.25 * d.inFlight * float64(clients) / d.slots)
	return fmt.Sprintf("Raise --%ss to %s or more: if the service times stay as they are, the target keeps up.", client,
		units.Number(int64(enough)))
}

func (d demand) needed() string {
	return fmt.Sprintf("%.4g a second of %s each are %.3g at the same time, and %.0f may be", d.rate,
		units.Duration(d.each), d.inFlight, d.slots)
}
