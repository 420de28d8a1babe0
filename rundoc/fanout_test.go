package rundoc_test

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

// stepsOf is the summary of so many times of n·step ns.
func stepsOf(n int, step int64) rundoc.Summary {
	h := hdrhistogram.New(1, 1<<42, 3)
	var all int64
	for i := range int64(n) {
		if h.RecordValue((i+1)*step) != nil {
			panic(i)
		}
		all += (i + 1) * step
	}
	return rundoc.Summarize(h, rundoc.Exact{Min: step, Max: int64(n) * step, Sum: all})
}

// soundFanout has 3,000 messages to 20 receivers, of which two lost one each, and one was away for one; a message was
// withdrawn after it had reached three.
func soundFanout() *rundoc.Fanout {
	return &rundoc.Fanout{
		Receivers: 20, Rooms: 1, Messages: 3000, Completed: 2992, Failed: 8, Withdrawn: 1, WithdrawnDeliveries: 3,
		Due: 60000, Delivered: 59997, Lost: 2, Away: 1, Duplicated: 5, Misordered: 4, Late: 2, Taken: 60000,
		KernelStamped: 59999, OwnStamped: 1, OwnLateness: stepsOf(59999, 100),
		First: stepsOf(3000, 1e6), Median: stepsOf(3000, 2e6), Last: stepsOf(3000, 3e6),
		Losers: []rundoc.Loser{{Receiver: 7, Lost: 1}, {Receiver: 9, Lost: 1, Away: 1}}, ReceiversLost: 2,
	}
}

// fanned is a sound run with that fan-out.
func fanned(t *testing.T, f *rundoc.Fanout) *rundoc.Run {
	run := soundRun(t)
	run.Operations[0].Causes[0].Cause = rundoc.CauseLostDelivery
	run.Detail = &rundoc.WSDetail{Fanout: f}
	return run
}

// ofFanout are the broken laws, which are all of fan-out: the rest of the run is sound.
func ofFanout(run *rundoc.Run) (broken []string) {
	for _, reason := range rundoc.Judge(run).Reasons {
		if strings.HasPrefix(reason, "invariant violated: ") {
			broken = append(broken, reason)
		}
	}
	return broken
}

func TestJudgeChecksFanout(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*rundoc.Fanout)
		want string // "": it is sound
	}{
		"sound": {func(*rundoc.Fanout) {}, ""},
		"nothing sent": {func(f *rundoc.Fanout) { *f = rundoc.Fanout{Receivers: 20, Rooms: 1} },
			"0 messages were completed, 0 failed and 0 were withdrawn, but the operations had 3010 attempts, and 2992 ended ok"},
		"rooms":                     {func(f *rundoc.Fanout) { f.Rooms, f.Receivers = 4, 80 }, ""},
		"a lost one too many":       {func(f *rundoc.Fanout) { f.Lost++ }, "60000 deliveries were due, but 59997 delivered + 3 lost"},
		"an away one too few":       {func(f *rundoc.Fanout) { f.Away-- }, "60000 deliveries were due"},
		"a delivered one too many":  {func(f *rundoc.Fanout) { f.Delivered++; f.Taken++; f.OwnStamped++ }, "60000 deliveries were due"},
		"another receiver":          {func(f *rundoc.Fanout) { f.Receivers++ }, "3000 messages × 21 receivers are 63000"},
		"more than all rooms":       {func(f *rundoc.Fanout) { f.Rooms, f.Receivers = 4, 19 }, "3000 messages × 19 receivers are 57000"},
		"the receivers took more":   {func(f *rundoc.Fanout) { f.Taken++; f.OwnStamped++ }, "the receivers counted 60001"},
		"more misordered than came": {func(f *rundoc.Fanout) { f.Misordered = 60002 }, "60002 misordered"},
		"read late, and not late":   {func(f *rundoc.Fanout) { f.ReadLate = 3 }, "3 of them read too late"},
		"a completed one too many":  {func(f *rundoc.Fanout) { f.Completed++ }, "2993 messages were completed and 8 failed"},
		"a failed one too few":      {func(f *rundoc.Fanout) { f.Failed-- }, "2992 messages were completed and 7 failed"},
		"more without a receiver":   {func(f *rundoc.Fanout) { f.Nobody = 3001 }, "3001 without a receiver"},
		"lost, and none failed":     {func(f *rundoc.Fanout) { f.Completed, f.Failed = 3000, 0 }, "2 deliveries were lost"},
		"lost more than failed ones had": {func(f *rundoc.Fanout) { f.Delivered, f.Lost, f.Taken = 59838, 161, 59841 },
			"161 deliveries were lost"},
		"deliveries of none":      {func(f *rundoc.Fanout) { f.Withdrawn = 0 }, "3 were of withdrawn messages"},
		"ok, and not completed":   {func(f *rundoc.Fanout) { f.Completed, f.Failed = 2991, 9 }, "2992 ended ok"},
		"more than attempts":      {func(f *rundoc.Fanout) { f.Withdrawn = 11 }, "3010 attempts"},
		"stamped twice":           {func(f *rundoc.Fanout) { f.OwnStamped++ }, "the kernel stamped 59999 and the generator 2"},
		"lateness of others":      {func(f *rundoc.Fanout) { f.OwnLateness = stepsOf(59998, 100) }, "of 59998 it is known"},
		"lateness out of order":   {func(f *rundoc.Fanout) { f.OwnLateness.MinNS = 1e12 }, "own lateness of deliveries"},
		"a first time too few":    {func(f *rundoc.Fanout) { f.First = stepsOf(2999, 1e6) }, "first receiver counts 2999 messages, but 3000"},
		"a message without one":   {func(f *rundoc.Fanout) { f.Nobody = 1 }, "counts 3000 messages, but 2999 had one"},
		"times out of order":      {func(f *rundoc.Fanout) { f.Last.MinNS = 1e13 }, "last receiver"},
		"first behind the median": {func(f *rundoc.Fanout) { f.First = stepsOf(3000, 21e5) }, "first receiver is 2.10 ms, and that of the median 2.00 ms"},
		"median behind the last":  {func(f *rundoc.Fanout) { f.Median = stepsOf(3000, 31e5) }, "median receiver is"},
		"a loser too many":        {func(f *rundoc.Fanout) { f.ReceiversLost = 1 }, "2 receivers are listed of 1"},
		"too many listed":         {func(f *rundoc.Fanout) { f.Losers = make([]rundoc.Loser, 11); f.ReceiversLost = 11 }, "11 receivers are listed"},
		"more losers than all":    {func(f *rundoc.Fanout) { f.ReceiversLost = 21 }, "of 21 that lost"},
		"lost by nobody":          {func(f *rundoc.Fanout) { f.Losers, f.ReceiversLost = nil, 0 }, "0 receivers are listed of 0"},
		"losers out of order":     {func(f *rundoc.Fanout) { f.Losers[1].Lost = 2 }, "receiver 9 of 20 lost 2"},
		"a receiver of none":      {func(f *rundoc.Fanout) { f.Losers[0].Receiver = 21 }, "receiver 21 of 20"},
		"a receiver before all":   {func(f *rundoc.Fanout) { f.Losers[0].Receiver = 0 }, "receiver 0 of 20"},
		"one that lost none":      {func(f *rundoc.Fanout) { f.Losers[1].Lost = 0 }, "receiver 9 of 20 lost 0"},
		"one away below none":     {func(f *rundoc.Fanout) { f.Losers[1].Away = -1 }, "was away for -1"},
		"one away too often":      {func(f *rundoc.Fanout) { f.Losers[1].Away = 3000 }, "was away for 3000, of 3000"},
		"listed lost more":        {func(f *rundoc.Fanout) { f.Losers[0].Lost = 2 }, "listed lost 3 deliveries"},
		"listed lost less": {func(f *rundoc.Fanout) { f.Losers, f.ReceiversLost = f.Losers[:1], 1 },
			"the 1 receivers that are listed lost 1 deliveries, but all 1 lost 2"},
		"one is not listed": {func(f *rundoc.Fanout) { f.Losers = f.Losers[:1] }, ""},
	} {
		f := soundFanout()
		c.edit(f)
		run := fanned(t, f)
		broken := ofFanout(run)
		if (len(broken) > 0) != (c.want != "") || !strings.Contains(strings.Join(broken, "\n"), c.want) {
			t.Errorf("%s: %q, want %q", name, broken, c.want)
		}
		run.Detail = &rundoc.ChatDetail{Fanout: f}
		if again := ofFanout(run); strings.Join(again, "") != strings.Join(broken, "") {
			t.Errorf("%s: as a chat %q", name, again)
		}
	}
}

// TestJudgeRejectsNegativeFanoutCounts goes over all of them.
func TestJudgeRejectsNegativeFanoutCounts(t *testing.T) {
	f := soundFanout()
	for i, n := range []*int64{&f.Receivers, &f.Rooms, &f.Messages, &f.Completed, &f.Failed, &f.Nobody, &f.Withdrawn,
		&f.WithdrawnDeliveries, &f.Due, &f.Delivered, &f.Lost, &f.Away, &f.Duplicated, &f.Misordered, &f.Foreign, &f.OtherRoom,
		&f.Late, &f.ReadLate, &f.SendersOwn, &f.Absences, &f.Taken, &f.KernelStamped, &f.OwnStamped, &f.ReceiversLost} {
		was := *n
		*n = -1
		if got := strings.Join(ofFanout(fanned(t, f)), ""); !strings.Contains(got, "a count is negative") {
			t.Errorf("count %d: %q", i, got)
		}
		*n = was
	}
}

func TestLostDeliveriesAreOfMessagesThatFailed(t *testing.T) {
	run := fanned(t, soundFanout())
	for i := range run.Operations {
		run.Operations[i].Causes[1].Cause = rundoc.CauseLostDelivery
	}
	const want = "14 attempts failed by lost deliveries, but 8 messages"
	if got := strings.Join(ofFanout(run), ""); !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestProofOfFanout(t *testing.T) {
	for want, edit := range map[string]func(*rundoc.Fanout){
		"3,000 messages × 20 receivers = 60,000 due = 59,997 delivered + 2 lost + 1 away; 5 duplicated, 4 misordered, 0 foreign": func(*rundoc.Fanout) {},
		"1 message × 1 receiver = 1 due = 1 delivered + 0 lost + 0 away; 0 duplicated, 0 misordered, 2 foreign": func(f *rundoc.Fanout) {
			*f = rundoc.Fanout{Receivers: 1, Rooms: 1, Messages: 1, Due: 1, Delivered: 1, Foreign: 2}
		},
		"40 messages to 200 receivers in 4 rooms: 2,000 due = 2,000 delivered + 0 lost + 0 away; 0 duplicated, 0 misordered, " +
			"0 foreign, 3 of another room": func(f *rundoc.Fanout) {
			*f = rundoc.Fanout{Receivers: 200, Rooms: 4, Messages: 40, Due: 2000, Delivered: 2000, OtherRoom: 3}
		},
	} {
		f := soundFanout()
		edit(f)
		if got := f.Proof(); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

// What makes the figures of fan-out doubtful, or a warning of them.
func TestFanoutReasonsAndWarnings(t *testing.T) {
	late := func(f *rundoc.Fanout, p50, p95 int64) { f.OwnLateness.P50NS, f.OwnLateness.P95NS = &p50, &p95 }
	slow := func(f *rundoc.Fanout, median, last int64) { f.Median.P50NS, f.Last.P95NS = &median, &last }
	for name, c := range map[string]struct {
		edit          func(*rundoc.Fanout)
		doubt, warned string
	}{
		"sound":           {func(*rundoc.Fanout) {}, "", ""},
		"read too late":   {func(f *rundoc.Fanout) { f.ReadLate = 2 }, "2 of 2 late deliveries arrived at this machine in time", ""},
		"half read late":  {func(f *rundoc.Fanout) { slow(f, 20e6, 40e6); late(f, 11e6, 15e6) }, "Half of the deliveries were read", ""},
		"a little late":   {func(f *rundoc.Fanout) { slow(f, 20e6, 40e6); late(f, 10e6, 15e6) }, "", ""},
		"late for little": {func(f *rundoc.Fanout) { slow(f, 1e6, 40e6); late(f, 5e6, 15e6) }, "", ""},
		"a twentieth":     {func(f *rundoc.Fanout) { slow(f, 20e6, 40e6); late(f, 1e6, 21e6) }, "", rundoc.WarnReadLate},
		"no kernel":       {func(f *rundoc.Fanout) { f.OwnStamped, f.KernelStamped = f.Taken, 0 }, "", rundoc.WarnOwnStamps},
		"own stamps":      {func(f *rundoc.Fanout) { f.OwnStamped, f.KernelStamped = 601, 59399 }, "Of 60,000 deliveries 601", ""},
		"few own stamps":  {func(f *rundoc.Fanout) { f.OwnStamped, f.KernelStamped = 600, 59400 }, "", ""},
		"some away":       {func(f *rundoc.Fanout) { f.Away = 601 }, "", rundoc.WarnReceiversAway},
		"few away":        {func(f *rundoc.Fanout) { f.Away = 600 }, "", ""},
		"many away":       {func(f *rundoc.Fanout) { f.Away = 12001 }, "20% of the deliveries were for receivers", ""},
		"nothing due":     {func(f *rundoc.Fanout) { *f = rundoc.Fanout{} }, "", ""},
	} {
		f := soundFanout()
		c.edit(f)
		run := fanned(t, f)
		doubt := ""
		for _, reason := range rundoc.Judge(run).Reasons {
			if strings.Contains(reason, "deliveries") && !strings.HasPrefix(reason, "invariant violated") {
				doubt += reason
			}
		}
		warned := ""
		for _, w := range rundoc.Warnings(run) {
			if w.Code == rundoc.WarnReadLate || w.Code == rundoc.WarnOwnStamps || w.Code == rundoc.WarnReceiversAway {
				warned += w.Code
			}
		}
		if (doubt == "") != (c.doubt == "") || !strings.HasPrefix(doubt, c.doubt) || warned != c.warned {
			t.Errorf("%s: doubt %q, warning %q", name, doubt, warned)
		}
	}
}
