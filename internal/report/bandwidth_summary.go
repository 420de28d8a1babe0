package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthSections are the parts of a bandwidth run's report after the answer.
func (v *bandwidthView) Sections() []Section {
	var all []Section
	for _, t := range v.detail.Transfers() {
		all = append(all, v.transferSummary(t))
	}
	for _, t := range v.detail.Transfers() {
		all = append(all, v.overTime(t))
	}
	all = append(all, v.iterations())
	if v.Options.Verbose {
		all = append(all, v.blocks())
	}
	all = append(all, v.requests(), v.requestTimes(), v.requestRates(), v.limits(), v.streams(), v.Failures(), v.store(), v.storeSettings())
	// The engine connects nothing here; the stores do, and the requests tell of it.
	if c := &v.Run.Connections; c.Failed+v.Total.Retries > 0 || len(c.Reconnects) > 0 {
		all = append(all, v.Connections())
	}
	plan := PlanShape{Own: "transfer", Without: func(plan map[string]any) {
		// The same for every transfer: its requests are retried by the store's client.
		WithoutLoad(plan, "clients", "pipeline", "retry")
	}}
	return append(all, v.Little(), v.instrument(), v.Phases(), v.Plan(plan), v.Files(v.files()...))
}

// instrument is what the generator used itself, for each GiB that was moved.
func (v *bandwidthView) instrument() Section {
	bytes := 0.0
	for _, t := range v.detail.Transfers() {
		bytes += float64(t.Bytes)
	}
	return v.InstrumentPer(bytes/(1<<30), "GiB moved")
}

// transferSummary is a transfer's figures, one below the other, and its times.
func (v *bandwidthView) transferSummary(t rundoc.NamedTransfer) Section {
	if !begun(t) {
		return Section{}
	}
	s := Section{Title: units.Capital(t.Name) + " summary"}
	facts := Table{columns: columnsOf("<", "<")}
	facts.add("data size", fmt.Sprintf("%s in %s", units.Count(t.Bytes, "byte", "bytes"), units.Count(t.Files, "file", "files")))
	if t.Failed > 0 {
		facts.add("not completed", units.Count(t.Failed, "file", "files")+", not in the data size")
	}
	if t.DurationNS > 0 || t.Files > 0 { // the end of the run cuts off what then has no duration
		facts.add("duration", units.Took(t.DurationNS)+", first "+opening(t.Name)+" to last close")
	}
	if t.Bytes > 0 {
		facts.add("bandwidth", fmt.Sprintf("%s Mbit/s", units.Decimals3(t.BytesPerS*8/1e6)))
		facts.add("", fmt.Sprintf("%s MB/s (%s MiB/s)", units.Decimals3(t.BytesPerS/1e6), units.Decimals3(t.BytesPerS/(1<<20))))
	}
	if t.Block.Count > 0 {
		facts.add("blocks", fmt.Sprintf("%s: min %s, mean %s, max %s", units.Number(t.Block.Count),
			units.Took(t.Block.MinNS), units.Took(t.Block.MeanNS), units.Took(t.Block.MaxNS)))
		facts.add("mean per block, close included", units.Took(t.BlockWithCloseNS))
	}
	if t.FirstBlockNS > 0 {
		facts.add("to the first block", units.Took(t.FirstBlockNS)+" from the open, on average")
	}
	if t.Close.Count > 0 {
		facts.add("close", fmt.Sprintf("%s, %s of the streams' time", closeTimes(&t.Close), units.Percent(t.CloseShare)))
	}
	if r := v.timeOf(t, rundoc.OperationRename); r.Count > 0 {
		facts.add("rename", closeTimes(r)+", not in the duration")
	}
	if t.DurationNS > 0 && t.DataNS != 0 {
		facts.add("waited for the instrument", fmt.Sprintf("%s, %s of the streams' time", units.Took(t.DataNS), units.Percent(v.detail.OwnShare(t.Transfer))))
	}
	s.Tables = []Table{facts}
	v.transferTimes(&s, t)
	return s
}

// timeOf is the time of an operation that not every upload has; that of a download is empty.
func (v *bandwidthView) timeOf(t rundoc.NamedTransfer, operation string) *rundoc.Summary {
	if t.Name == rundoc.OperationUpload {
		for i := range v.Run.Operations {
			if o := &v.Run.Operations[i]; o.Name == operation {
				return &o.ServiceTime
			}
		}
	}
	return &rundoc.Summary{}
}

// closeTimes is the one close's time, or the mean and the longest.
func closeTimes(s *rundoc.Summary) string {
	if s.Count == 1 {
		return units.Took(s.MaxNS)
	}
	return "mean " + units.Took(s.MeanNS) + ", max " + units.Took(s.MaxNS)
}

func opening(transfer string) string {
	if transfer == rundoc.OperationDownload {
		return "open"
	}
	return "create"
}

// transferTimes adds the table of a transfer's times, in one unit.
func (v *bandwidthView) transferTimes(s *Section, t rundoc.NamedTransfer) {
	all := []Timed{
		{opening(t.Name), &t.Open}, {"block", &t.Block}, {"flush", v.timeOf(t, rundoc.OperationFlush)}, {"close", &t.Close},
		{"rename", v.timeOf(t, rundoc.OperationRename)},
	}
	all = slices.DeleteFunc(all, func(r Timed) bool { return r.Of.Count == 0 })
	if len(all) == 0 {
		return
	}
	u := TableUnit(all)
	s.Tables = append(s.Tables, TimesTable("in "+u.Name, all, u, CountFigure, MeanFigure, PercentileFigures(Wide), MinFigure, MaxFigure))
	if t.Name == rundoc.OperationUpload && t.Block.Count > 0 {
		note := "the store's client has it then, the store perhaps not yet."
		if v.detail.Store.PartBytes > 0 {
			note = "a block that fits into the queue of parts costs next to nothing, one that does not waits for a part to leave, " +
				"and close() waits for the rest."
		}
		s.Notes = append(s.Notes, "A block's time is that of its write, as the caller sees it: "+note)
	}
	if len(Missing(all, Wide)) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: too few for this percentile, above which %d must lie.", units.Dash, rundoc.MinAbove))
	}
}

// iterations compares the iterations with each other.
func (v *bandwidthView) iterations() Section {
	s := Section{Title: "By iteration, in MB/s"}
	sum := Table{columns: columnsOf("<", "iterations", "slowest", "median", "fastest", "slowest to fastest")}
	longest := 0
	for _, t := range v.detail.Transfers() {
		longest = max(longest, len(t.Iterations))
		rates := iterationRates(t.Iterations)
		if len(rates) < 2 {
			continue
		}
		slices.Sort(rates)
		lowest, highest := rates[0], rates[len(rates)-1]
		median := (rates[(len(rates)-1)/2] + rates[len(rates)/2]) / 2
		sum.add(t.Name, units.Number(int64(len(rates))), units.Decimals3(lowest/1e6), units.Decimals3(median/1e6), units.Decimals3(highest/1e6), units.Share(lowest, highest))
	}
	if len(sum.rows) == 0 {
		return Section{}
	}
	s.Tables = []Table{sum}
	if longest <= MaxRows {
		s.Tables = append(s.Tables, v.eachIteration(longest))
	}
	return s
}

// iterationRates are the rates of those iterations that moved something, in bytes per second.
func iterationRates(list []rundoc.IterationFigure) []float64 {
	var rates []float64
	for _, i := range list {
		if i.Bytes > 0 && i.DurationNS > 0 {
			rates = append(rates, float64(i.Bytes)/(float64(i.DurationNS)/1e9))
		}
	}
	return rates
}

func (v *bandwidthView) eachIteration(count int) Table {
	heads := []string{"iteration"}
	highest := 0.0
	for _, t := range v.detail.Transfers() {
		heads = append(heads, t.Name, "|")
		for _, rate := range iterationRates(t.Iterations) {
			highest = max(highest, rate)
		}
	}
	list := Table{columns: columnsOf(heads...)}
	for i := range count {
		row := []string{units.Number(int64(i + 1))}
		for _, t := range v.detail.Transfers() {
			cell, length := units.Dash, ""
			if i < len(t.Iterations) {
				if rates := iterationRates(t.Iterations[i : i+1]); len(rates) == 1 {
					cell, length = units.Decimals3(rates[0]/1e6), bar(rates[0]/highest)
				}
			}
			row = append(row, cell, length)
		}
		list.add(row...)
	}
	return list
}

// streams says where the streams' time went: by operation, and for what is none. (The
// workload waits for its data in the engine's preparing; in its waiting it waits for the other
// streams, has caches written out, and removes what a failed file leaves.)
func (v *bandwidthView) streams() Section {
	l := &v.Run.Ledger
	s := Section{Title: "Where the streams' time went"}
	all := float64(l.Clients) * float64(v.WindowNS)
	t := Table{columns: columnsOf("<", "ok", "failed", "stream time", "share", "|")}
	inOperations := 0.0
	var unfinished int64
	row := func(name, ok, failed string, ns float64) {
		share := 0.0
		if all > 0 {
			share = ns / all
		}
		t.add(name, ok, failed, units.Digits3(ns/1e9)+" s", units.Share(ns, all), bar(share))
	}
	for i := range v.Run.Operations {
		o := &v.Run.Operations[i]
		if o.Scheduled == 0 {
			continue
		}
		ns := float64(o.ServiceTime.MeanNS) * float64(o.ServiceTime.Count)
		inOperations += ns
		unfinished += o.Unfinished
		row(units.Clean(o.Name), units.Number(o.OK), units.Number(o.Failed), ns)
	}
	busy := float64(l.States[rundoc.StateSending]) + float64(l.States[rundoc.StateAwaiting])
	for _, r := range []struct {
		name string
		ns   float64
	}{
		{"operations not timed", max(0, busy-inOperations)},
		{"connecting", float64(l.States[rundoc.StateConnecting])},
		{"between operations", float64(l.States[rundoc.StateWaiting])},
		{"the instrument", float64(l.States[rundoc.StatePreparing])},
		{"backing off", float64(l.States[rundoc.StateBackingOff])},
		{"reconnecting", float64(l.States[rundoc.StateReconnecting])},
		{"idle at the end", float64(l.States[rundoc.StateIdle])},
	} {
		if all > 0 && r.ns > 0.0005*all {
			row(r.name, "", "", r.ns)
		}
	}
	s.Tables = []Table{t}
	if all > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s × %s = %s s of stream time.",
			units.Count(int64(l.Clients), "stream", "streams"), units.Length(v.WindowNS), units.Digits3(all/1e9)))
	}
	if l.States[rundoc.StateWaiting]+l.States[rundoc.StatePreparing] > 0 {
		s.Notes = append(s.Notes, "The instrument makes data and compares what was read. Between operations a stream waits for the others, "+
			"has a cache of this machine written out, and removes what a failed file leaves.")
	}
	if unfinished > 0 {
		s.Notes = append(s.Notes, units.Count(unfinished, "operation was", "operations were")+" cut off by the end of the run.")
	}
	return s
}

// blocks lists the single operations, in the order in which they began.
func (v *bandwidthView) blocks() Section {
	d := v.detail
	s := Section{Title: "Each operation"}
	heads := []string{"<", "start", "duration", "size", "MB/s", "<"}
	list := slices.Clone(d.Blocks)
	slices.SortStableFunc(list, func(a, b rundoc.Block) int { return cmp.Compare(a.StartNS, b.StartNS) })
	t := Table{columns: columnsOf(heads...)}
	counts := map[fileKey]int64{}
	for _, b := range list {
		key := fileKey{b.Stream, b.Iteration, b.Operation}
		name := units.Clean(b.Operation)
		bytes, rate := units.Dash, units.Dash
		if b.Operation == rundoc.OperationUploadBlock || b.Operation == rundoc.OperationDownloadBlock {
			name = fmt.Sprintf("%s block %d", blockVerb(b.Operation), counts[key])
			counts[key]++
			bytes = units.Number(b.Bytes)
			if b.DurationNS > 0 && b.Bytes > 0 {
				rate = units.Decimals3(float64(b.Bytes) / float64(b.DurationNS) * 1e3)
			}
		}
		t.add(name, units.Took(b.StartNS), units.Took(b.DurationNS), bytes, rate, v.blockPlace(b))
	}
	s.Tables = []Table{t}
	if len(t.rows) > 0 {
		s.Notes = append(s.Notes, "Start: since the start of the window. Blocks are counted from 0 in each file. Size in bytes.")
	}
	if d.BlocksOmitted > 0 {
		s.Notes = append(s.Notes, units.Number(d.BlocksOmitted)+" more are not in the run document; --csv writes them all.")
	}
	return s
}

func blockVerb(operation string) string {
	if operation == rundoc.OperationDownloadBlock {
		return "read"
	}
	return "write"
}

// blockPlace says to which of several files an operation belongs, and whether it failed.
func (v *bandwidthView) blockPlace(b rundoc.Block) string {
	text := ""
	if v.detail.Streams > 1 {
		text = fmt.Sprintf("stream %d", b.Stream)
	}
	if v.detail.Iterations > 1 {
		text += fmt.Sprintf(" iteration %d", b.Iteration)
	}
	if b.Cause != "" {
		text += " failed: " + units.Clean(b.Cause)
	}
	return text
}
