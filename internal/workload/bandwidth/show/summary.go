package show

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Sections are the parts of a bandwidth run's report after the answer.
func (v *shown) Sections() []report.Section {
	var all []report.Section
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
	all = append(all, v.requests(), v.requestTimes(), v.requestStages(), v.requestRates(),
		v.limits(), v.streams(), v.Failures(),
		v.store(), v.storeSettings())
	// The engine connects nothing here; the stores do, and the requests tell of it.
	if c := &v.Run.Connections; c.Failed+v.Total.Retries > 0 || len(c.Reconnects) > 0 {
		all = append(all, v.Connections())
	}
	plan := report.PlanShape{Own: "transfer", Without: func(plan map[string]any) {
		// The same for every transfer: its requests are retried by the store's client.
		report.WithoutLoad(plan, "clients", "pipeline", "retry")
	}}
	return append(all, v.Little(), v.instrument(), v.Phases(), v.Plan(plan), v.Files(v.files()...))
}

// instrument is what the generator used itself, for each GiB that was moved.
func (v *shown) instrument() report.Section {
	return v.InstrumentPer(bytesMoved(v.detail)/(1<<30), "GiB moved")
}

// bytesMoved are those of the complete files, both ways.
func bytesMoved(d *rundoc.BandwidthDetail) (bytes float64) {
	for _, t := range d.Transfers() {
		bytes += float64(t.Bytes)
	}
	return bytes
}

// transferSummary is a transfer's figures, one below the other, and its times.
func (v *shown) transferSummary(t rundoc.NamedTransfer) report.Section {
	if !begun(t) {
		return report.Section{}
	}
	s := report.Section{Title: units.Capital(t.Name) + " summary"}
	var facts report.Pairs
	facts.Add("data size", fmt.Sprintf("%s in %s", units.Count(t.Bytes, "byte", "bytes"),
		units.Count(t.Files, "file", "files")))
	if t.Failed > 0 {
		facts.Add("not completed", units.Count(t.Failed, "file", "files")+", not included in the data size")
	}
	if t.DurationNS > 0 || t.Files > 0 { // the end of the run cuts off what then has no duration
		facts.Add("duration", units.Took(t.DurationNS)+", first "+opening(t.Name)+" to last close")
	}
	if p := t.Steady; p != nil {
		facts.Add("steady part", fmt.Sprintf("%s, starting at %s: %s", units.Took(p.DurationNS),
			units.Took(p.FromNS), units.Count(p.Bytes, "byte", "bytes")))
	}
	if t.Bytes > 0 {
		facts.Add("bandwidth", fmt.Sprintf("%s Mbit/s", units.Decimals3(t.BytesPerS*8/1e6)))
		facts.Add("", fmt.Sprintf("%s MB/s (%s MiB/s)", units.Decimals3(t.BytesPerS/1e6),
			units.Decimals3(t.BytesPerS/(1<<20))))
	}
	if v.small(t) {
		facts.Add("files", units.PerSecond(filesOf(t.Transfer).Raw)+" per second")
	}
	if t.Block.Count > 0 {
		facts.Add("blocks", fmt.Sprintf("%s: min %s, mean %s, max %s", units.Number(t.Block.Count),
			units.Took(t.Block.MinNS), units.Took(t.Block.MeanNS), units.Took(t.Block.MaxNS)))
		facts.Add("mean per block, including close", units.Took(t.BlockWithCloseNS))
	}
	if t.FirstBlockNS > 0 {
		facts.Add("first block", units.Took(t.FirstBlockNS)+" after open (mean)")
	}
	if t.Close.Count > 0 {
		facts.Add("close", fmt.Sprintf("%s, %s of the stream time", closeTimes(&t.Close),
			units.Percent(t.CloseShare)))
	}
	if r := v.timeOf(t, rundoc.OperationRename); r.Count > 0 {
		facts.Add("rename", closeTimes(r)+", not included in the duration")
	}
	if t.DurationNS > 0 && t.DataNS != 0 {
		facts.Add("waited for the generator", fmt.Sprintf("%s, %s of the stream time", units.Took(t.DataNS),
			units.Percent(v.detail.OwnShare(t.Transfer))))
	}
	if t.TakenNS > 0 {
		facts.Add("excluded from the duration", units.Took(t.TakenNS)+", when all streams waited for the generator and "+
			"no request was in flight")
	}
	s.Tables = []report.Table{facts.Table()}
	v.transferTimes(&s, t)
	return s
}

// timeOf is the time of an operation that not every upload has; that of a download is empty.
func (v *shown) timeOf(t rundoc.NamedTransfer, operation string) *rundoc.Summary {
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
func (v *shown) transferTimes(s *report.Section, t rundoc.NamedTransfer) {
	all := []report.Timed{
		{Name: opening(t.Name), Of: &t.Open},
		{Name: "block", Of: &t.Block},
		{Name: "flush", Of: v.timeOf(t, rundoc.OperationFlush)},
		{Name: "close", Of: &t.Close},
		{Name: "rename", Of: v.timeOf(t, rundoc.OperationRename)},
	}
	all = slices.DeleteFunc(all, func(r report.Timed) bool { return r.Of.Count == 0 })
	if len(all) == 0 {
		return
	}
	absent := report.Missing(all, report.Wide)
	u := report.TableUnit(all)
	all = v.WithFree(all)
	s.Tables = append(s.Tables, report.TimesTable("in "+u.Name, all, u, report.CountFigure, report.MeanFigure,
		report.PercentileFigures(report.Wide), report.MinFigure, report.MaxFigure))
	if t.Name == rundoc.OperationUpload && t.Block.Count > 0 {
		note := "the store client has accepted the block, but may not have sent it yet."
		if v.detail.Store.PartBytes > 0 {
			note = "a block that fits into the part queue takes almost no time; otherwise it waits for a free slot. close() " +
				"waits for all remaining parts."
		}
		s.Notes = append(s.Notes, "The time of a block is the time of its write call: "+note)
	}
	if report.HasFree(all) {
		s.Notes = append(s.Notes, report.FreeLegend)
	}
	if len(absent) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: too few values; a percentile needs at least %d values above it.",
			units.Dash,
			rundoc.MinAbove))
	}
}

// spread is how the iterations of a transfer differ.
type spread struct {
	name                    string
	count                   int
	lowest, median, highest float64 // bytes per second
}

// iterations compares the iterations with each other.
func (v *shown) iterations() report.Section {
	var all []spread
	longest := 0
	for _, t := range v.detail.Transfers() {
		longest = max(longest, len(t.Iterations))
		rates := iterationRates(t.Iterations)
		if len(rates) < 2 {
			continue
		}
		slices.Sort(rates)
		n := len(rates)
		all = append(all, spread{t.Name, n, rates[0], (rates[(n-1)/2] + rates[n/2]) / 2, rates[n-1]})
	}
	if len(all) == 0 {
		return report.Section{}
	}
	rate := func(head string, bytesPerS func(spread) float64) report.Column[spread] {
		return report.Right(head, func(s spread) string { return units.Decimals3(bytesPerS(s) / 1e6) })
	}
	s := report.Section{Title: "By iteration, in MB/s", Tables: []report.Table{report.TableOf(all,
		report.Left("", func(s spread) string { return s.name }),
		report.Right("iterations", func(s spread) string { return units.Number(int64(s.count)) }),
		rate("slowest", func(s spread) float64 { return s.lowest }),
		rate("median", func(s spread) float64 { return s.median }),
		rate("fastest", func(s spread) float64 { return s.highest }),
		report.Right("slowest / fastest", func(s spread) string { return units.Share(s.lowest, s.highest) }),
	)}}
	if longest <= report.MaxRows {
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

// eachIteration has a row for each iteration, and two columns for each transfer.
func (v *shown) eachIteration(count int) report.Table {
	highest := 0.0
	columns := []report.Column[int]{report.Right("iteration", func(i int) string { return units.Number(int64(i + 1)) })}
	for _, t := range v.detail.Transfers() {
		for _, rate := range iterationRates(t.Iterations) {
			highest = max(highest, rate)
		}
		rateOf := func(i int) float64 { // 0 for an iteration without one
			if i < len(t.Iterations) {
				if rates := iterationRates(t.Iterations[i : i+1]); len(rates) == 1 {
					return rates[0]
				}
			}
			return 0
		}
		columns = append(columns, report.Right(t.Name, func(i int) string {
			if rate := rateOf(i); rate > 0 {
				return units.Decimals3(rate / 1e6)
			}
			return units.Dash
		}), report.Bars(func(i int) float64 { return rateOf(i) / highest }))
	}
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return report.TableOf(numbers, columns...)
}

// streams says where the streams' time went: by operation, and for what is none. (The
// workload waits for its data in the engine's preparing; in its waiting it waits for the other
// streams, has caches written out, and removes what a failed file leaves.)
func (v *shown) streams() report.Section {
	l := &v.Run.Ledger
	s := report.Section{Title: "Time breakdown of streams"}
	all := float64(l.Clients) * float64(v.WindowNS)
	rows, unfinished := v.streamTimes(all)
	s.Tables = []report.Table{report.TableOf(rows,
		report.Left("", func(r streamTime) string { return r.name }),
		report.Right("ok", func(r streamTime) string { return r.ok }),
		report.Right("failed", func(r streamTime) string { return r.failed }),
		report.Right("stream time", func(r streamTime) string { return units.Digits3(r.ns/1e9) + " s" }),
		report.Right("share", func(r streamTime) string { return units.Share(r.ns, all) }),
		report.Bars(func(r streamTime) float64 {
			if all <= 0 {
				return 0
			}
			return r.ns / all
		}),
	)}
	if all > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s × %s = %s s of stream time.",
			units.Count(int64(l.Clients), "stream", "streams"), units.Length(v.WindowNS), units.Digits3(all/1e9)))
	}
	if l.States[rundoc.StateWaiting]+l.States[rundoc.StatePreparing] > 0 {
		s.Notes = append(s.Notes, "Generator: generating data and comparing data read. Between operations: waiting for "+
			"other streams, flushing the page cache of this machine, and cleaning up after failed files.")
	}
	if unfinished > 0 {
		s.Notes = append(s.Notes, units.Count(unfinished, "operation was",
			"operations were")+" cut off by the end of the run.")
	}
	return s
}

// streamTime is a share of the streams' time: of an operation, or of what is none.
type streamTime struct {
	name, ok, failed string
	ns               float64
}

// streamTimes divides the streams' time, and counts the operations that were cut off by the end.
func (v *shown) streamTimes(all float64) (rows []streamTime, unfinished int64) {
	inOperations := 0.0
	for i := range v.Run.Operations {
		o := &v.Run.Operations[i]
		if o.Scheduled == 0 {
			continue
		}
		ns := float64(o.ServiceTime.MeanNS) * float64(o.ServiceTime.Count)
		inOperations += ns
		unfinished += o.Unfinished
		rows = append(rows, streamTime{units.Clean(o.Name), units.Number(o.OK), units.Number(o.Failed), ns})
	}
	state := v.Run.Ledger.States
	busy := float64(state[rundoc.StateSending]) + float64(state[rundoc.StateAwaiting])
	for _, r := range []streamTime{
		{name: "untimed operations", ns: max(0, busy-inOperations)},
		{name: "connecting", ns: float64(state[rundoc.StateConnecting])},
		{name: "between operations", ns: float64(state[rundoc.StateWaiting])},
		{name: "generator", ns: float64(state[rundoc.StatePreparing])},
		{name: "backing off", ns: float64(state[rundoc.StateBackingOff])},
		{name: "reconnecting", ns: float64(state[rundoc.StateReconnecting])},
		{name: "idle at the end", ns: float64(state[rundoc.StateIdle])},
	} {
		if all > 0 && r.ns > 0.0005*all {
			rows = append(rows, r)
		}
	}
	return rows, unfinished
}

// move is a single operation as the list shows it.
type move struct {
	rundoc.Block
	name string
	data bool // it is a block, which has a size and a rate
}

// moves are the single operations, in the order in which they began; blocks are counted in their file.
func (v *shown) moves() []move {
	sorted := slices.Clone(v.detail.Blocks)
	slices.SortStableFunc(sorted, func(a, b rundoc.Block) int { return cmp.Compare(a.StartNS, b.StartNS) })
	counts := map[fileKey]int64{}
	all := make([]move, len(sorted))
	for i, b := range sorted {
		m := move{Block: b, name: units.Clean(b.Operation)}
		if b.Operation == rundoc.OperationUploadBlock || b.Operation == rundoc.OperationDownloadBlock {
			key := fileKey{b.Stream, b.Iteration, b.Operation}
			m.name, m.data = fmt.Sprintf("%s block %d", blockVerb(b.Operation), counts[key]), true
			counts[key]++
		}
		all[i] = m
	}
	return all
}

// blocks lists the single operations.
func (v *shown) blocks() report.Section {
	list := v.moves()
	s := report.Section{Title: "Operations", Tables: []report.Table{report.TableOf(list,
		report.Left("", func(m move) string { return m.name }),
		report.Right("start", func(m move) string { return units.Took(m.StartNS) }),
		report.Right("duration", func(m move) string { return units.Took(m.DurationNS) }),
		report.Right("size", func(m move) string {
			if !m.data {
				return units.Dash
			}
			return units.Number(m.Bytes)
		}),
		report.Right("MB/s", func(m move) string {
			if !m.data || m.DurationNS <= 0 || m.Bytes <= 0 {
				return units.Dash
			}
			return units.Decimals3(float64(m.Bytes) / float64(m.DurationNS) * 1e3)
		}),
		report.Left("", func(m move) string { return v.blockPlace(&m.Block) }),
	)}}
	if len(list) > 0 {
		s.Notes = append(s.Notes, "Start: time since window start. Blocks are numbered from 0 in each file. Size in bytes.")
	}
	if n := v.detail.BlocksOmitted; n > 0 {
		s.Notes = append(s.Notes, units.Number(n)+" more operations are not in the run document; use --csv to record all "+
			"of them.")
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
func (v *shown) blockPlace(b *rundoc.Block) string {
	text := ""
	if v.detail.Streams > 1 {
		text = fmt.Sprintf("stream %d", b.Stream)
	}
	if v.detail.Iterations > 1 || v.byTime() {
		text += fmt.Sprintf(" iteration %d", b.Iteration)
	}
	if b.Cause != "" {
		text += " failed: " + units.Clean(b.Cause)
	}
	return text
}
