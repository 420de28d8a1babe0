package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthSections are the parts of a bandwidth run's report after the answer.
func (v *view) bandwidthSections() []section {
	var all []section
	for _, t := range v.bandwidth.Transfers() {
		all = append(all, v.transferSummary(t))
	}
	for _, t := range v.bandwidth.Transfers() {
		all = append(all, v.overTime(t))
	}
	all = append(all, v.iterations())
	if v.opt.Verbose {
		all = append(all, v.blocks())
	}
	all = append(all, v.requests(), v.requestTimes(), v.requestRates(), v.limits(), v.streams(), v.failures(), v.store(), v.storeSettings())
	// The engine connects nothing here; the stores do, and the requests tell of it.
	if c := &v.run.Connections; c.Failed+v.total.Retries > 0 || len(c.Reconnects) > 0 {
		all = append(all, v.connections())
	}
	return append(all, v.little(), v.instrument(), v.phases(), v.plan(), v.files())
}

// transferSummary is a transfer's figures, one below the other, and its times.
func (v *view) transferSummary(t rundoc.NamedTransfer) section {
	if !begun(t) {
		return section{}
	}
	s := section{title: capital(t.Name) + " summary"}
	facts := table{columns: columnsOf("<", "<")}
	facts.add("data size", fmt.Sprintf("%s in %s", some(t.Bytes, "byte", "bytes"), some(t.Files, "file", "files")))
	if t.Failed > 0 {
		facts.add("not completed", some(t.Failed, "file", "files")+", not in the data size")
	}
	if t.DurationNS > 0 || t.Files > 0 { // the end of the run cuts off what then has no duration
		facts.add("duration", took(t.DurationNS)+", first "+opening(t.Name)+" to last close")
	}
	if t.Bytes > 0 {
		facts.add("bandwidth", fmt.Sprintf("%s Mbit/s", decimals3(t.BytesPerS*8/1e6)))
		facts.add("", fmt.Sprintf("%s MB/s (%s MiB/s)", decimals3(t.BytesPerS/1e6), decimals3(t.BytesPerS/(1<<20))))
	}
	if t.Block.Count > 0 {
		facts.add("blocks", fmt.Sprintf("%s: min %s, mean %s, max %s", number(t.Block.Count),
			took(t.Block.MinNS), took(t.Block.MeanNS), took(t.Block.MaxNS)))
		facts.add("mean per block, close included", took(t.BlockWithCloseNS))
	}
	if t.FirstBlockNS > 0 {
		facts.add("to the first block", took(t.FirstBlockNS)+" from the open, on average")
	}
	if t.Close.Count > 0 {
		facts.add("close", fmt.Sprintf("%s, %s of the streams' time", closeTimes(&t.Close), percent(t.CloseShare)))
	}
	if r := v.timeOf(t, rundoc.OperationRename); r.Count > 0 {
		facts.add("rename", closeTimes(r)+", not in the duration")
	}
	if t.DurationNS > 0 && t.DataNS != 0 {
		facts.add("waited for the instrument", fmt.Sprintf("%s, %s of the streams' time", took(t.DataNS), percent(v.bandwidth.OwnShare(t.Transfer))))
	}
	s.tables = []table{facts}
	v.transferTimes(&s, t)
	return s
}

// timeOf is the time of an operation that not every upload has; that of a download is empty.
func (v *view) timeOf(t rundoc.NamedTransfer, operation string) *rundoc.Summary {
	if t.Name == rundoc.OperationUpload {
		for i := range v.run.Operations {
			if o := &v.run.Operations[i]; o.Name == operation {
				return &o.ServiceTime
			}
		}
	}
	return &rundoc.Summary{}
}

// closeTimes is the one close's time, or the mean and the longest.
func closeTimes(s *rundoc.Summary) string {
	if s.Count == 1 {
		return took(s.MaxNS)
	}
	return "mean " + took(s.MeanNS) + ", max " + took(s.MaxNS)
}

func opening(transfer string) string {
	if transfer == rundoc.OperationDownload {
		return "open"
	}
	return "create"
}

// transferTimes adds the table of a transfer's times, in one unit.
func (v *view) transferTimes(s *section, t rundoc.NamedTransfer) {
	all := []timed{
		{opening(t.Name), &t.Open}, {"block", &t.Block}, {"flush", v.timeOf(t, rundoc.OperationFlush)}, {"close", &t.Close},
		{"rename", v.timeOf(t, rundoc.OperationRename)},
	}
	all = slices.DeleteFunc(all, func(r timed) bool { return r.sum.Count == 0 })
	if len(all) == 0 {
		return
	}
	u := tableUnit(all)
	times := table{columns: columnsOf("<in "+u.name, "count", "mean", "p50", "p90", "p95", "p99", "p99.9", "min", "max")}
	absent := map[string]bool{}
	for _, r := range all {
		row := timesRow(r, u, absent)
		times.add(slices.Insert(row, 1, number(r.sum.Count))...)
	}
	s.tables = append(s.tables, times)
	if t.Name == rundoc.OperationUpload && t.Block.Count > 0 {
		note := "the store's client has it then, the store perhaps not yet."
		if v.bandwidth.Store.PartBytes > 0 {
			note = "a block that fits into the queue of parts costs next to nothing, one that does not waits for a part to leave, " +
				"and close() waits for the rest."
		}
		s.notes = append(s.notes, "A block's time is that of its write, as the caller sees it: "+note)
	}
	if len(absent) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: too few for this percentile, above which %d must lie.", dash, rundoc.MinAbove))
	}
}

// iterations compares the iterations with each other.
func (v *view) iterations() section {
	s := section{title: "By iteration, in MB/s"}
	sum := table{columns: columnsOf("<", "iterations", "slowest", "median", "fastest", "slowest to fastest")}
	longest := 0
	for _, t := range v.bandwidth.Transfers() {
		longest = max(longest, len(t.Iterations))
		rates := iterationRates(t.Iterations)
		if len(rates) < 2 {
			continue
		}
		slices.Sort(rates)
		lowest, highest := rates[0], rates[len(rates)-1]
		median := (rates[(len(rates)-1)/2] + rates[len(rates)/2]) / 2
		sum.add(t.Name, number(int64(len(rates))), decimals3(lowest/1e6), decimals3(median/1e6), decimals3(highest/1e6), shareOf(lowest, highest))
	}
	if len(sum.rows) == 0 {
		return section{}
	}
	s.tables = []table{sum}
	if longest <= maxRows {
		s.tables = append(s.tables, v.eachIteration(longest))
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

func (v *view) eachIteration(count int) table {
	heads := []string{"iteration"}
	highest := 0.0
	for _, t := range v.bandwidth.Transfers() {
		heads = append(heads, t.Name, "|")
		for _, rate := range iterationRates(t.Iterations) {
			highest = max(highest, rate)
		}
	}
	list := table{columns: columnsOf(heads...)}
	for i := range count {
		row := []string{number(int64(i + 1))}
		for _, t := range v.bandwidth.Transfers() {
			cell, length := dash, ""
			if i < len(t.Iterations) {
				if rates := iterationRates(t.Iterations[i : i+1]); len(rates) == 1 {
					cell, length = decimals3(rates[0]/1e6), bar(rates[0]/highest)
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
func (v *view) streams() section {
	l := &v.run.Ledger
	s := section{title: "Where the streams' time went"}
	all := float64(l.Clients) * float64(v.windowNS)
	t := table{columns: columnsOf("<", "ok", "failed", "stream time", "share", "|")}
	inOperations := 0.0
	var unfinished int64
	row := func(name, ok, failed string, ns float64) {
		share := 0.0
		if all > 0 {
			share = ns / all
		}
		t.add(name, ok, failed, digits3(ns/1e9)+" s", shareOf(ns, all), bar(share))
	}
	for i := range v.run.Operations {
		o := &v.run.Operations[i]
		if o.Scheduled == 0 {
			continue
		}
		ns := float64(o.ServiceTime.MeanNS) * float64(o.ServiceTime.Count)
		inOperations += ns
		unfinished += o.Unfinished
		row(clean(o.Name), number(o.OK), number(o.Failed), ns)
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
	s.tables = []table{t}
	if all > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s × %s = %s s of stream time.",
			some(int64(l.Clients), "stream", "streams"), length(v.windowNS), digits3(all/1e9)))
	}
	if l.States[rundoc.StateWaiting]+l.States[rundoc.StatePreparing] > 0 {
		s.notes = append(s.notes, "The instrument makes data and compares what was read. Between operations a stream waits for the others, "+
			"has a cache of this machine written out, and removes what a failed file leaves.")
	}
	if unfinished > 0 {
		s.notes = append(s.notes, some(unfinished, "operation was", "operations were")+" cut off by the end of the run.")
	}
	return s
}

// blocks lists the single operations, in the order in which they began.
func (v *view) blocks() section {
	d := v.bandwidth
	s := section{title: "Each operation"}
	heads := []string{"<", "start", "duration", "size", "MB/s", "<"}
	list := slices.Clone(d.Blocks)
	slices.SortStableFunc(list, func(a, b rundoc.Block) int { return cmp.Compare(a.StartNS, b.StartNS) })
	t := table{columns: columnsOf(heads...)}
	counts := map[fileKey]int64{}
	for _, b := range list {
		key := fileKey{b.Stream, b.Iteration, b.Operation}
		name := clean(b.Operation)
		bytes, rate := dash, dash
		if b.Operation == rundoc.OperationUploadBlock || b.Operation == rundoc.OperationDownloadBlock {
			name = fmt.Sprintf("%s block %d", blockVerb(b.Operation), counts[key])
			counts[key]++
			bytes = number(b.Bytes)
			if b.DurationNS > 0 && b.Bytes > 0 {
				rate = decimals3(float64(b.Bytes) / float64(b.DurationNS) * 1e3)
			}
		}
		t.add(name, took(b.StartNS), took(b.DurationNS), bytes, rate, v.blockPlace(b))
	}
	s.tables = []table{t}
	if len(t.rows) > 0 {
		s.notes = append(s.notes, "Start: since the start of the window. Blocks are counted from 0 in each file. Size in bytes.")
	}
	if d.BlocksOmitted > 0 {
		s.notes = append(s.notes, number(d.BlocksOmitted)+" more are not in the run document; --csv writes them all.")
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
func (v *view) blockPlace(b rundoc.Block) string {
	text := ""
	if v.bandwidth.Streams > 1 {
		text = fmt.Sprintf("stream %d", b.Stream)
	}
	if v.bandwidth.Iterations > 1 {
		text += fmt.Sprintf(" iteration %d", b.Iteration)
	}
	if b.Cause != "" {
		text += " failed: " + clean(b.Cause)
	}
	return text
}
