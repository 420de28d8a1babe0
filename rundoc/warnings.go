package rundoc

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The codes of the warnings that Warnings derives.
const (
	WarnInterrupted  = "interrupted"        // a signal ended the window early
	WarnAborted      = "aborted"            // a threshold that was missed ended the window early
	WarnClientsLost  = "clients-lost"       // the clients were long without a connection, or backing off
	WarnDeadSeconds  = "dead-seconds"       // seconds in which not one operation ended ok
	WarnTargetBehind = "target-behind"      // the target did not keep up with the rate of the updates
	WarnGenerator    = "generator-behind"   // the generator did not
	WarnLoadBehind   = "load-behind"        // the rate was not kept up with, and whose doing that was is not known
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

	WarnCookiesReplaced = "cookies-replaced" // recorded cookies were not sent
	WarnCookiesRefused  = "cookies-refused"  // cookies of responses were not accepted

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
)

// Warnings derives, from the document alone, what a reader should know before using its
// numbers. None of it makes the numbers wrong; that is for Judge.
func Warnings(run *Run) []Warning {
	// A histogram that cannot be read leaves its time out here; Judge says so.
	total, _ := run.Figures()
	w := warnings{run: run, total: &total}
	if run.Interrupted {
		w.add(WarnInterrupted, "The run was interrupted; the window ended after %s.",
			units.Duration(run.window()))
	}
	if run.Aborted != "" {
		w.add(WarnAborted, "The run was ended after %s because the threshold %s was missed.", units.Duration(run.window()),
			run.Aborted)
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
	w.openModel()
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
		w.add(WarnClientsLost, "The %[2]ss spent %[1]s of their time backing off or disconnected: "+
			"the load was that of fewer %[2]ss.", units.Percent3(share), client)
	}
}

// gaps tells of a generator that did not run for a moment, too short for a doubt of all figures.
func (w *warnings) gaps() {
	if share, many := w.run.longGaps(); share > 0 && share <= MaxGapShare {
		w.add(WarnGaps, "The generator was paused for %s (%s of %s or more): the longest times may be its own.",
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
		middle := float64(s) + 0.5
		if alive[s] || len(load.Stages) > 0 && load.stagesRate(middle) < MinDeadRate ||
			len(load.ClientStages) > 0 && load.stagesClients(middle) < 1 {
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
		w.add(WarnDeadSeconds, "No operation succeeded in the last %d s of %d; the mean rate is %s/s.", dead,
			whole, units.Number(int64(mean+0.5)))
	default:
		w.add(WarnDeadSeconds, "No operation succeeded in %d s of %d, first %d s after the start; the mean rate is %s/s.",
			dead, whole, first, units.Number(int64(mean+0.5)))
	}
}

func (w *warnings) outcomes() {
	t := w.total
	if t.Unfinished > 0 {
		w.add(WarnUnfinished, "%s did not finish before the end. The time until then counts, so the highest percentiles "+
			"may be too low.", units.Count(t.Unfinished, "operation", "operations"))
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
			"%s response times are too few for %s: at least %d must lie above a percentile.",
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
	w.add(WarnSamplesLost, "%s %s were not written to %s%s; it has %s. This report is complete.",
		units.Number(s.Lost), what, s.Path, why, units.Number(s.Written))
}

// openModel adds a warning if an open model's load was not carried in full.
func (w *warnings) openModel() {
	if w.run.OpenModel() && w.total.Scheduled > 0 {
		w.behind()
	}
}

func (w *warnings) behind() {
	t := w.total
	share := float64(t.Unsent+t.Unfinished) / float64(t.Scheduled)
	if share <= MaxBehind {
		return
	}
	text := fmt.Sprintf("%s of %s operations were not sent and %s are unfinished (%s). Response times include the wait "+
		"of those that were sent.", units.Number(t.Unsent), units.Number(t.Scheduled), units.Number(t.Unfinished),
		units.Percent3(share))
	if w.generatorLate() {
		w.add(WarnGenerator, "The generator did not keep up: %s", text)
		return
	}
	if lost := w.run.Ledger.lostShare(); lost > MaxClientsLost {
		w.add(WarnLoadBehind, "The full load was not carried, because clients spent %s of their time backing off or "+
			"disconnected: %s", units.Percent3(lost), text)
		return
	}
	w.add(WarnLoadBehind, "The full load was not carried: %s", text)
}

// generatorLate reports whether the late starts were mostly the generator's own.
func (w *warnings) generatorLate() bool {
	g, started := &w.run.Generator, float64(w.total.Scheduled-w.total.Unsent)
	if g.SendDelayP99NS == 0 { // too few to have a p99
		return 2*float64(g.ownLate()) > started
	}
	return float64(g.ownLate()) > MaxNotOffered*started && 2*g.OwnDelayP99NS > g.SendDelayP99NS
}
