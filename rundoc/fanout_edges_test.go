package rundoc

import (
	"slices"
	"strings"
	"testing"
)

// ofFanout is a run of three messages to two receivers, one of whom lost one, with one thing that is not as it was.
func ofFanout(edits ...func(*Fanout)) Run {
	f := &Fanout{Receivers: 2, Rooms: 1, Messages: 3, Completed: 2, Failed: 1, Due: 6, Delivered: 5, Lost: 1, Taken: 5,
		KernelStamped: 5, OwnLateness: Summary{Count: 5}, Losers: []Loser{{1, 1, 0}}, ReceiversLost: 1}
	for _, edit := range edits {
		edit(f)
	}
	return Run{Detail: &ChatDetail{Fanout: f}, Operations: []Operation{{Scheduled: 3, OK: 2, Failed: 1, Attempts: 3,
		Causes: []Cause{{Cause: CauseLostDelivery, Count: 1}, {Cause: "reset", Count: 9}}}}}
}

// fanoutOf is what ofFanout has.
func fanoutOf(j *judgement) *Fanout { return j.run.Detail.(*ChatDetail).Fanout }

func TestEdgesOfDeliveries(t *testing.T) {
	type F = *Fanout
	of := func(f Fanout) Run { return ofFanout(func(was F) { *was = f }) }
	const ended, due, taken, late = "6 deliveries were due, but", "deliveries were due", "the receivers counted 6 deliveries, but the messages 5",
		"late deliveries, "
	hold(t, func(j *judgement) { fanoutOf(j).deliveryLaws(j) }, []edge{
		{"sound", ofFanout(), ""},
		{"nothing", of(Fanout{Rooms: 1}), ""},
		{"one in no place", ofFanout(func(f F) { f.Delivered, f.Taken = 4, 4 }), ended + " 4 delivered + 1 lost + 0 away are 5"},
		{"one away", ofFanout(func(f F) { f.Delivered, f.Taken, f.Away = 4, 4, 1 }), ""},
		{"more messages", ofFanout(func(f F) { f.Messages = 4 }), "4 messages × 2 receivers are 8, but 6 " + due},
		{"more messages in two rooms", ofFanout(func(f F) { f.Messages, f.Rooms = 4, 2 }), ""},
		{"more messages in no room", ofFanout(func(f F) { f.Messages, f.Rooms = 4, 0 }), ""},
		{"all messages to both rooms", ofFanout(func(f F) { f.Rooms = 2 }), ""},
		{"fewer messages in two rooms", ofFanout(func(f F) { f.Messages, f.Rooms = 2, 2 }), "2 messages × 2 receivers are 4, but 6 " + due},
		{"more taken", ofFanout(func(f F) { f.Taken = 6 }), taken},
		{"more taken, of withdrawn ones", ofFanout(func(f F) { f.Taken, f.WithdrawnDeliveries = 6, 1 }), ""},
		{"all but the first misordered", ofFanout(func(f F) { f.Misordered = 4 }), ""},
		{"all misordered", ofFanout(func(f F) { f.Misordered = 5 }), "5 misordered and 0 " + late},
		{"all misordered, and one late", ofFanout(func(f F) { f.Misordered, f.Late = 5, 1 }), ""},
		{"the only one misordered", of(Fanout{Rooms: 1, Receivers: 1, Messages: 1, Due: 1, Delivered: 1, Taken: 1, Misordered: 1}),
			"1 misordered and 0 " + late},
		{"all late ones read late", ofFanout(func(f F) { f.Late, f.ReadLate = 1, 1 }), ""},
		{"more read late", ofFanout(func(f F) { f.ReadLate = 1 }), "0 " + late + "1 of them read too late"},
	})
	hold(t, func(j *judgement) { fanoutOf(j).laws(j) }, []edge{
		{"no fan-out", Run{Detail: new(ChatDetail)}, ""},
		{"nothing", Run{Detail: &ChatDetail{Fanout: new(Fanout)}}, ""},
		{"absences below zero", ofFanout(func(f F) { f.Absences = -1 }), "fan-out: a count is negative"},
	})
}

func TestEdgesOfMessages(t *testing.T) {
	type F = *Fanout
	of := func(edit func(F), o func(*Operation)) Run {
		run := ofFanout(edit)
		o(&run.Operations[0])
		return run
	}
	same := func(F) {}
	const counts, lost, withdrawn, attempts = "but there were 3", "2 deliveries were lost", "were of withdrawn messages",
		"but the operations had"
	hold(t, func(j *judgement) { fanoutOf(j).messageLaws(j) }, []edge{
		{"sound", ofFanout(), ""},
		{"another completed", ofFanout(func(f F) { f.Completed = 3 }), counts},
		{"all without a receiver", ofFanout(func(f F) { f.Nobody = 3 }), ""},
		{"more without a receiver", ofFanout(func(f F) { f.Nobody = 4 }), "4 without a receiver, " + counts},
		{"as many lost as the failed one had", ofFanout(func(f F) { f.Lost = 2 }), ""},
		{"more lost", ofFanout(func(f F) { f.Lost = 3 }), "3 deliveries were lost"},
		{"deliveries of withdrawn messages", of(func(f F) { f.Withdrawn, f.WithdrawnDeliveries = 1, 1 }, func(o *Operation) { o.Attempts = 4 }),
			""},
		{"deliveries of no withdrawn message", ofFanout(func(f F) { f.WithdrawnDeliveries = 1 }), "1 " + withdrawn},
		{"more ok", of(same, func(o *Operation) { o.OK, o.Failed = 3, 0 }), attempts + " 3 attempts, and 3 ended ok"},
		{"fewer ok", of(same, func(o *Operation) { o.OK, o.Failed = 1, 2 }), ""},
		{"fewer attempts", of(same, func(o *Operation) { o.Attempts = 2 }), attempts + " 2 attempts"},
		{"more attempts", of(same, func(o *Operation) { o.Attempts = 4 }), ""},
		{"more failed by it", of(same, func(o *Operation) { o.Causes[0].Count = 2 }), "2 attempts failed by lost deliveries, but 1 messages"},
	})

	none := func(f F) { f.Losers, f.ReceiversLost = nil, 0 }
	losers := func(receivers, lost, all int64, list ...Loser) Run {
		return ofFanout(func(f F) { f.Receivers, f.Lost, f.ReceiversLost, f.Losers = receivers, lost, all, list })
	}
	const listed, receiver = "receivers are listed of", "fan-out: receiver"
	hold(t, func(j *judgement) { fanoutOf(j).loserLaws(j) }, []edge{
		{"sound", ofFanout(), ""},
		{"nobody lost", ofFanout(func(f F) { none(f); f.Lost = 0 }), ""},
		{"as many as are listed", losers(20, 10, 10, slices.Repeat([]Loser{{1, 1, 0}}, 10)...), ""},
		{"more than are listed", losers(20, 11, 11, slices.Repeat([]Loser{{1, 1, 0}}, 11)...), "11 " + listed + " 11"},
		{"one too many", losers(20, 2, 1, Loser{1, 1, 0}, Loser{2, 1, 0}), "2 " + listed + " 1"},
		{"all receivers", losers(1, 1, 1, Loser{1, 1, 0}), ""},
		{"more than all receivers", losers(1, 2, 2, Loser{1, 1, 0}), "1 " + listed + " 2 that lost 2 deliveries, of 1"},
		{"lost by nobody", ofFanout(none), "0 " + listed + " 0 that lost 1"},
		{"nothing lost by one", ofFanout(func(f F) { f.Losers, f.Lost = nil, 0 }), "0 " + listed + " 1 that lost 0"},

		{"in order", losers(20, 3, 2, Loser{1, 2, 0}, Loser{20, 1, 2}), ""},
		{"out of order", losers(20, 3, 2, Loser{1, 1, 0}, Loser{2, 2, 0}), receiver + " 2 of 20 lost 2"},
		{"one that lost none", losers(20, 1, 2, Loser{1, 1, 0}, Loser{2, 0, 0}), receiver + " 2 of 20 lost 0"},
		{"away below none", losers(20, 1, 1, Loser{1, 1, -1}), "was away for -1"},
		{"before the first", losers(20, 1, 1, Loser{0, 1, 0}), receiver + " 0 of 20"},
		{"after the last", losers(20, 1, 1, Loser{21, 1, 0}), receiver + " 21 of 20"},
		{"lost and away for more than all", losers(20, 1, 1, Loser{1, 1, 3}), "lost 1 deliveries and was away for 3, of 3 messages"},
		{"listed ones lost more", losers(20, 1, 3, Loser{1, 1, 0}, Loser{2, 1, 0}), "are listed lost 2 deliveries, but all 3 lost 1"},
		{"all listed, and lost less", losers(20, 3, 2, Loser{1, 1, 0}, Loser{2, 1, 0}), "are listed lost 2 deliveries, but all 2 lost 3"},
		{"not all listed", losers(20, 3, 3, Loser{1, 1, 0}, Loser{2, 1, 0}), ""},
	})
}

func TestEdgesOfTimesOfFanout(t *testing.T) {
	type F = *Fanout
	lateness, times, fewer := same(10, 5), same(100, 3), same(100, 2)
	of := func(edit func(F)) Run {
		return ofFanout(func(f F) { f.OwnLateness, f.First, f.Median, f.Last = lateness, times, times, times }, edit)
	}
	const stamped = "fan-out: of 5 deliveries the kernel stamped"
	hold(t, func(j *judgement) { fanoutOf(j).timeLaws(j) }, []edge{
		{"sound", of(func(F) {}), ""},
		{"one stamped by us", of(func(f F) { f.OwnStamped, f.KernelStamped, f.OwnLateness = 1, 4, same(10, 4) }), ""},
		{"stamped twice", of(func(f F) { f.OwnStamped = 1 }), stamped + " 5 and the generator 1"},
		{"lateness of fewer", of(func(f F) { f.OwnLateness = same(10, 4) }), "of 4 it is known how late"},
		{"lateness out of order", of(func(f F) { f.OwnLateness.MinNS = 11 }), "own lateness of deliveries"},
		{"a first time too few", of(func(f F) { f.First = fewer }), "first receiver counts 2 messages, but 3 had one"},
		{"a median time too few", of(func(f F) { f.Median = fewer }), "median receiver counts 2"},
		{"one without a receiver", of(func(f F) { f.First, f.Median, f.Last, f.Nobody = fewer, fewer, fewer, 1 }), ""},
		{"the last out of order", of(func(f F) { f.Last.MeanNS = 101 }), "time until the last receiver"},
	})

	one := func(lowest, mean, highest int64, p50 *int64) Summary {
		return Summary{Count: 1, MinNS: lowest, MeanNS: mean, MaxNS: highest, P50NS: p50}
	}
	for _, tt := range []struct {
		name string
		a, b Summary
		want string // "" for none
	}{
		{"the same", one(100, 100, 100, new(int64(100))), one(100, 100, 100, new(int64(100))), ""},
		{"a bucket behind", one(102, 102, 102, new(int64(102))), one(100, 100, 100, new(int64(100))), ""},
		{"further behind", one(103, 0, 0, nil), one(100, 0, 0, nil), "fan-out: the minimum of the x receiver is 103 ns, and that of the y 100 ns"},
		{"a mean behind", one(0, 103, 0, nil), one(0, 100, 0, nil), "the mean of the x"},
		{"a maximum behind", one(0, 0, 103, nil), one(0, 0, 100, nil), "the maximum of the x"},
		{"a p50 behind", one(0, 0, 0, new(int64(103))), one(0, 0, 0, new(int64(100))), "the p50 of the x"},
		{"a p50 of one alone", one(0, 0, 0, new(int64(103))), one(0, 0, 0, nil), ""},
		{"a p50 of the other alone", one(0, 0, 0, nil), one(0, 0, 0, new(int64(103))), ""},
		{"of other messages", one(103, 0, 0, nil), Summary{Count: 2}, ""},
	} {
		got := says(new(Run), func(j *judgement) { j.notBehind("x", &tt.a, "y", &tt.b) })
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEdgesOfFanoutDoubts(t *testing.T) {
	type F = *Fanout
	median := func(late, time int64) func(F) {
		return func(f F) { f.OwnLateness.P50NS, f.Median.P50NS = &late, &time }
	}
	stamps := func(kernel, own, taken int64) func(F) {
		return func(f F) { f.KernelStamped, f.OwnStamped, f.Taken = kernel, own, taken }
	}
	away := func(n, due int64) func(F) { return func(f F) { f.Away, f.Due = n, due } }
	const less, half = "Use fewer --receivers, or a machine with more CPUs.", "Half of the deliveries were read 5.00 ms"
	hold(t, func(j *judgement) { fanoutOf(j).doubts(j) }, []edge{
		{"sound", ofFanout(), ""},
		{"no fan-out", Run{Detail: new(ChatDetail)}, ""},
		{"one read late", ofFanout(func(f F) { f.ReadLate, f.Late = 1, 2 }), "1 of 2 late deliveries were at this machine in time, and were read too " +
			"late: that they count as lost is the generator's doing. " + less},
		{"half read late", ofFanout(median(5_000_001, 9_000_000)), half},
		{"half read late, with advice", ofFanout(median(5_000_001, 9_000_000)), less},
		{"half read late by what is no matter", ofFanout(median(5_000_000, 1)), ""},
		{"half read late by half of the time", ofFanout(median(6_000_000, 12_000_000)), ""},
		{"half read late, and no time", ofFanout(func(f F) { f.OwnLateness.P50NS = new(int64(1e9)) }), ""},
		{"a time, and no lateness", ofFanout(func(f F) { f.Median.P50NS = new(int64(1e9)) }), ""},
		{"a hundredth of own stamps", ofFanout(stamps(1, 1, 100)), ""},
		{"more own stamps", ofFanout(stamps(1, 2, 100)), "Of 100 deliveries 2 (more than 1 %) have no stamp"},
		{"own stamps alone", ofFanout(stamps(0, 2, 2)), ""},
		{"a fifth away", ofFanout(away(1, 5)), ""},
		{"more away", ofFanout(away(201, 1000)), "20.1 % of the deliveries were due for receivers that were away (more than 20 %)"},
		{"the only one away", ofFanout(away(1, 1)), "100 % of the deliveries"},
		{"one away of none", ofFanout(away(1, 0)), ""},
	})

	last := func(late, time int64) func(F) {
		return func(f F) { f.OwnLateness.P95NS, f.Last.P95NS = &late, &time }
	}
	for _, tt := range []struct {
		name string
		edit func(F)
		want string // code
	}{
		{"sound", func(F) {}, ""},
		{"one with our stamp", stamps(0, 1, 1), WarnOwnStamps},
		{"one with the kernel's stamp", stamps(1, 0, 1), ""},
		{"nothing taken", stamps(0, 0, 0), ""},
		{"one in twenty read late", last(5_000_001, 9_000_000), WarnReadLate},
		{"one in twenty a little late", last(5_000_000, 9_000_000), ""},
		{"a hundredth away", away(1, 100), ""},
		{"more away", away(11, 1000), WarnReceiversAway},
		{"a fifth away", away(1, 5), WarnReceiversAway},
		{"more than a fifth away", away(201, 1000), ""},
	} {
		run := ofFanout(tt.edit)
		w := warnings{run: &run, total: new(Operation)}
		run.Detail.(*ChatDetail).Fanout.warn(&w)
		got := ""
		for _, warning := range w.list {
			got += warning.Code
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	var none *Fanout
	none.warn(nil)

	for _, tt := range []struct {
		f    Fanout
		want string
	}{
		{Fanout{Receivers: 1, Rooms: 1, Messages: 2, Due: 2, Delivered: 2}, "2 messages × 1 receiver = 2 due = 2 delivered + 0 lost + 0 " +
			"away; 0 duplicated, 0 misordered, 0 foreign"},
		{Fanout{Rooms: 2, OtherRoom: 1}, "0 messages to 0 receivers in 2 rooms: 0 due = 0 delivered + 0 lost + 0 away; 0 duplicated, " +
			"0 misordered, 0 foreign, 1 of another room"},
		{Fanout{}, "0 messages to 0 receivers in 0 rooms: 0 due = 0 delivered + 0 lost + 0 away; 0 duplicated, 0 misordered, 0 foreign"},
	} {
		if got := tt.f.Proof(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if CauseLostDelivery != "lost-delivery" { // it stands in documents that others read
		t.Errorf("the cause is %q", CauseLostDelivery)
	}
}
