package rundoc

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// twoBatches is the detail of a run of a second, in which a server applied two batches, with 150 updates that were new
// and 50 that were not.
func twoBatches() *UpdatesDetail {
	d := &UpdatesDetail{Batch: 100, Publishers: 1, Clock: UpdateClock{Shared: true}, Receives: 2, Messages: 2,
		AppliedPerS: 150, Series: []UpdateSecond{{Batches: 2, Applied: 150, Stale: 50}},
		Manifest: Manifest{Batches: 2, Updates: 200, Live: 150, Digest: 9, Publishers: []Published{{Next: 2}}}}
	for _, s := range []struct {
		name string
		ns   int64
	}{
		{StagePublish, 100}, {StageTransit, 200}, {StageReceiveIdle, 900}, {StageReceiveBusy, 100}, {StageReading, 1000},
		{StageQueued, 50}, {StageApply, 300}, {StageProcessing, 350}, {StageAcknowledge, 10}, {StageE2ESent, 550},
		{StageE2EScheduled, 560}, {StageE2EBroker, 500},
	} {
		d.Stages = append(d.Stages, NamedStage{s.name, UpdateStage{Summary: same(s.ns, 2)}})
	}
	state := StateSum{Live: 150, Digest: 9}
	d.Proof = &Proof{Complete: true, Published: 2, Received: 2, Updates: 200, Applied: 150, Stale: 50, StateKnown: true,
		Expected: state, Found: state}
	return d
}

// updating makes runs of two batches, each with one thing that is not as it was.
func updating() func(...func(*UpdatesDetail)) Run {
	sound, service := twoBatches(), same(100, 2)
	return func(edits ...func(*UpdatesDetail)) Run {
		d, proof := *sound, *sound.Proof
		d.Proof = &proof
		d.Stages, d.Series = slices.Clone(d.Stages), slices.Clone(d.Series)
		d.Manifest.Publishers = slices.Clone(d.Manifest.Publishers)
		for _, edit := range edits {
			edit(&d)
		}
		return Run{Workload: WorkloadUpdates, Ledger: lasts(second), Detail: &d,
			Operations: []Operation{{Scheduled: 2, OK: 2, ServiceTime: service, ResponseTime: service}}}
	}
}

// has gives a stage other durations.
func has(name string, s Summary) func(*UpdatesDetail) {
	return func(d *UpdatesDetail) { d.Stage(name).Summary = s }
}

// without takes a stage away.
func without(name string) func(*UpdatesDetail) {
	return func(d *UpdatesDetail) {
		d.Stages = slices.DeleteFunc(d.Stages, func(s NamedStage) bool { return s.Name == name })
	}
}

func TestEdgesOfUpdates(t *testing.T) {
	of := updating()
	later := of(func(d *UpdatesDetail) { d.AppliedPerS = -1 })
	later.Ledger = lasts(0)
	stages := func(n int) func(*UpdatesDetail) {
		return func(d *UpdatesDetail) {
			for i := len(d.Stages); i < n; i++ {
				d.Stages = append(d.Stages, NamedStage{Name: strings.Repeat("x", i)})
			}
		}
	}
	const negative = "updates: a figure is negative"
	hold(t, func(j *judgement) { j.run.Updates().laws(j) }, []edge{
		{"sound", of(), ""},
		{"no detail", Run{}, ""},
		{"without a proof", of(func(d *UpdatesDetail) { d.Proof = nil }), ""},
		{"one of several servers", of(func(d *UpdatesDetail) { d.Servers = make([]UpdateServer, 1) }), "there are 1 servers"},
		{"none of several servers", of(func(d *UpdatesDetail) { d.Spread = new(UpdateSpread) }), "there are 0 servers"},
		{"reads of nobody", of(func(d *UpdatesDetail) { d.Reads = &UpdateReads{Keys: ReadHot, RatePerS: 1} }),
			"reads: 1 a second over 0 connections"},

		{"batches of fewer than none", of(func(d *UpdatesDetail) { d.MessageSize = -1 }), negative},
		{"a backlog below zero", of(func(d *UpdatesDetail) { d.BacklogNS = -1 }), negative},
		{"a rate below zero", later, negative},
		{"a rate that is no number", of(func(d *UpdatesDetail) { d.AppliedPerS = math.NaN() }), negative},
		{"one clock that is off", of(func(d *UpdatesDetail) { d.Clock.OffsetNS = 1 }), "differs from itself by 1.00 ns ± 0"},
		{"one clock that is not known", of(func(d *UpdatesDetail) { d.Clock.BoundNS = 1 }), "differs from itself by 0"},
		{"two clocks", of(func(d *UpdatesDetail) { d.Clock = UpdateClock{OffsetNS: 1, BoundNS: 1} }), ""},
		{"as many stages as there may be", of(stages(100)), ""},
		{"one more", of(stages(101)), "there are 101 stages"},
		{"an impossible manifest", of(func(d *UpdatesDetail) { d.Manifest.Live, d.Proof = -1, nil }), "-1 keys"},
		{"an impossible proof", of(func(d *UpdatesDetail) { d.Proof.Partial = -1 }), "proof: a count is negative"},
	})

	for _, tt := range []struct {
		name     string
		d        UpdatesDetail
		embedded bool
		reasons  []string
		want     bool
	}{
		{"a foreign server's", UpdatesDetail{Proof: new(Proof)}, false, []string{"broken law: updates: x."}, true},
		{"the first of two", UpdatesDetail{Proof: new(Proof)}, false, []string{"broken law: updates: x.", "y"}, true},
		{"our server's", UpdatesDetail{Proof: new(Proof)}, true, []string{"broken law: updates: x."}, false},
		{"nobody's", UpdatesDetail{}, false, []string{"broken law: updates: x."}, false},
		{"another law", UpdatesDetail{Proof: new(Proof)}, false, []string{"broken law: proof: x.", "broken law: updates: x."}, false},
		{"none", UpdatesDetail{Proof: new(Proof)}, false, nil, false},
	} {
		j := judgement{run: &Run{Target: Target{Embedded: tt.embedded}}, reasons: tt.reasons}
		tt.d.whose(&j)
		if strings.HasPrefix(j.whose, "Many of these figures are the key/value server's") != tt.want {
			t.Errorf("%s: %q", tt.name, j.whose)
		}
	}
}

func TestEdgesOfAStageOfUpdates(t *testing.T) {
	for name, want := range map[string]bool{StageTransit: true, StageE2ESent: true, StageE2EScheduled: true,
		StageE2EBroker: false, StageApply: false, "": false} {
		if got := betweenClocks(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	of := func(name string, shared bool, s UpdateStage) Run {
		return Run{Detail: &UpdatesDetail{Clock: UpdateClock{Shared: shared}, Stages: []NamedStage{{name, s}}}}
	}
	below := func(n, lowest int64) UpdateStage { return UpdateStage{Negative: n, NegativeMin: lowest} }
	odd := edited(timesOf(append(slices.Repeat([]int64{10}, 19), 20)...), func(s *Summary) { s.P50NS = new(int64(20)) })
	wrong := edited(same(10, 1), func(s *Summary) { s.MeanNS = 9 })
	unreadable := edited(same(10, 1), func(s *Summary) { s.HDR = "x" })
	const sense, clock = "make no sense together", "are below zero, the lowest -1.00 ns, on one clock"
	twice := Run{Detail: &UpdatesDetail{Stages: []NamedStage{{Name: StageApply}, {Name: StageApply}}}}
	hold(t, func(j *judgement) { j.run.Updates().stageLaws(j, len(j.run.Updates().Stages)-1) }, []edge{
		{"empty", of(StageApply, true, UpdateStage{}), ""},
		{"sound", of(StageApply, true, UpdateStage{Summary: same(10, 1)}), ""},
		{"there twice", twice, `there are two stages "decode and apply"`},
		{"fewer than none", of(StageApply, false, below(-1, 0)), sense},
		{"none, with a lowest", of(StageTransit, false, below(0, -1)), sense},
		{"one, without a lowest", of(StageTransit, false, below(1, 0)), sense},
		{"none, with a lowest above zero", of(StageTransit, false, below(0, 1)), sense},
		{"one, between two clocks", of(StageTransit, false, below(1, -1)), ""},
		{"two, between two clocks", of(StageTransit, false, below(2, -1)), ""},
		{"one, on a clock that is shared", of(StageTransit, true, below(1, -1)), clock},
		{"one, on the server's clock", of(StageApply, false, below(1, -1)), clock},
		{"one, on the broker's clock", of(StageE2EBroker, true, below(1, -1)), ""},
		{"a p50 that is not the histogram's", of(StageTransit, false, UpdateStage{Summary: odd}), "stage transit: p50 is"},
		{"one below that it counts", of(StageTransit, false, UpdateStage{odd, 1, -1}), ""},
		{"one below, out of order", of(StageTransit, false, UpdateStage{wrong, 1, -1}), "are not in order"},
		{"one below, unreadable", of(StageTransit, false, UpdateStage{unreadable, 1, -1}), "times: the stage transit:"},
	})
}

func TestEdgesOfCountsOfStages(t *testing.T) {
	of := updating()
	one, three := same(10, 1), same(10, 3)
	// published is a run with so many operations that were ok, failed and were unfinished.
	published := func(ok, failed, unfinished int64, edits ...func(*UpdatesDetail)) Run {
		run := of(edits...)
		o := &run.Operations[0]
		o.OK, o.Failed, o.Unfinished = ok, failed, unfinished
		return run
	}
	noClock := func(d *UpdatesDetail) { d.NoClock = 1 }
	nothing := func(d *UpdatesDetail) { d.Receives, d.Messages = 0, 0 }
	only := func(n int) func(*UpdatesDetail) {
		return func(d *UpdatesDetail) { d.Stages = []NamedStage{d.Stages[0], {Name: StageAcknowledge}}[:n] }
	}
	const calls, timed = "receive calls of", "the server timed 2 batches of the window, but"
	hold(t, func(j *judgement) { j.run.Updates().stageCounts(j) }, []edge{
		{"sound", of(), ""},
		{"one publish", of(has(StagePublish, one)), "publish has 1 durations, and the operations 2"},
		{"one waited", of(has(StageQueued, one)), "1 batches waited in the server, and 2 were applied"},
		{"one processed", of(has(StageProcessing, one)), "1 batches were processed, and 2 were applied"},
		{"processing is not told", of(without(StageProcessing)), ""},
		{"one from the schedule", of(has(StageE2EScheduled, one)), "1 batches have a time from the schedule and 0 no clock"},
		{"one without a clock", of(has(StageE2EScheduled, one), has(StageTransit, one), has(StageE2ESent, one), noClock), ""},
		{"one without a clock, but for transit", of(has(StageE2EScheduled, one), has(StageE2ESent, one), noClock), ""},
		{"one transit", of(has(StageTransit, one)), "1 batches have the stage transit, of 2"},
		{"three transits", of(has(StageTransit, three)), "3 batches have the stage transit, of 2"},
		{"one from the send", of(has(StageE2ESent, one)), "1 batches have the stage end to end, from the send"},
		{"one from the broker, and acknowledged", of(has(StageE2EBroker, one), has(StageAcknowledge, one)), ""},
		{"three from the broker", of(has(StageE2EBroker, three)), "3 batches have the stage end to end, by the broker's"},
		{"three acknowledged", of(has(StageAcknowledge, three)), "3 batches have the stage acknowledge, of 2"},

		{"one call divided", of(has(StageReceiveIdle, one), has(StageReceiveBusy, one)), ""},
		{"one call idle", of(has(StageReceiveIdle, one)), calls},
		{"one call busy", of(has(StageReceiveBusy, one)), calls},
		{"three calls divided", of(has(StageReceiveIdle, three), has(StageReceiveBusy, three)), calls},
		{"one call", of(func(d *UpdatesDetail) { d.Receives = 1 }), calls},
		{"one message", of(func(d *UpdatesDetail) { d.Messages = 1 }), calls},
		{"three messages", of(func(d *UpdatesDetail) { d.Messages = 3 }), ""},

		{"more published", published(3, 0, 0), timed + " 3 were published and at most 0 more sent"},
		{"fewer published", published(1, 0, 0), timed},
		{"one of the applied failed", published(1, 1, 0), ""},
		{"one of the applied is unfinished", published(0, 1, 1), ""},
		{"more published, without a proof", published(3, 0, 0, func(d *UpdatesDetail) { d.Proof = nil }), ""},
		{"more published, incomplete", published(3, 0, 0, func(d *UpdatesDetail) { d.Proof.Complete = false }), ""},
		{"more published, restarted", published(3, 0, 0, func(d *UpdatesDetail) { d.Proof.Restarted = true }), ""},
		{"published alone", of(nothing, only(1)), ""},
		{"published, and nothing timed", of(nothing, only(2)), "the server timed 0 batches of the window, but 2"},
	})
}

func TestEdgesOfRanksOfStages(t *testing.T) {
	// pair is a run with two stages.
	pair := func(shared bool, part string, a UpdateStage, whole string, b UpdateStage) Run {
		return Run{Detail: &UpdatesDetail{Clock: UpdateClock{Shared: shared}, Stages: []NamedStage{{part, a}, {whole, b}}}}
	}
	lasting := func(s Summary) UpdateStage { return UpdateStage{Summary: s} }
	ten, eleven := lasting(same(10, 2)), lasting(same(11, 2))
	in := func(a, b UpdateStage) Run { return pair(false, StageTransit, a, StageE2ESent, b) }
	twenty := timesOf(append(slices.Repeat([]int64{10}, 11), slices.Repeat([]int64{20}, 9)...)...)
	higher := timesOf(append(slices.Repeat([]int64{10}, 9), slices.Repeat([]int64{20}, 11)...)...)
	none := func(s *Summary) { s.P50NS = nil }
	const longer = "transit is longer than end to end, from the send, which contains it"
	edges := []edge{
		{"neither", Run{Detail: new(UpdatesDetail)}, ""},
		{"as long", in(ten, ten), ""},
		{"one is longer", in(lasting(same(11, 1)), lasting(same(10, 1))), longer},
		{"other batches", in(lasting(same(11, 1)), ten), ""},
		{"the median is longer", in(lasting(higher), lasting(twenty)), longer},
		{"the median is as long", in(lasting(twenty), lasting(twenty)), ""},
		{"no median of the part", in(lasting(edited(higher, none)), lasting(twenty)), ""},
		{"no median of the whole", in(lasting(higher), lasting(edited(twenty, none))), ""},
		{"more of the whole are below zero", in(ten, UpdateStage{same(20, 1), 1, -1}), longer},
		{"as many are below zero", in(UpdateStage{same(10, 1), 1, -1}, UpdateStage{same(10, 1), 1, -1}), ""},
		{"all are below zero", in(UpdateStage{Summary{MaxNS: 5}, 2, -1}, UpdateStage{Summary{}, 2, -1}), ""},
		{"applied for longer, on one clock", pair(true, StageApply, eleven, StageE2ESent, ten), "decode and apply is longer"},
		{"applied for longer, on two clocks", pair(false, StageApply, eleven, StageE2ESent, ten), ""},
	}
	for _, p := range [][2]string{{StageE2ESent, StageE2EScheduled}, {StageReceiveIdle, StageReading}, {StageReceiveBusy, StageReading}} {
		edges = append(edges, edge{p[0], pair(false, p[0], eleven, p[1], ten), p[0] + " is longer than " + p[1]})
	}
	hold(t, func(j *judgement) { j.run.Updates().stageRanks(j) }, edges)
}

func TestEdgesOfSumsOfStages(t *testing.T) {
	of := updating()
	below := func(names ...string) func(*UpdatesDetail) {
		return func(d *UpdatesDetail) {
			for _, name := range names {
				*d.Stage(name) = UpdateStage{same(10, 1), 1, -1}
			}
		}
	}
	processing := func(queued, applied, both Summary) Run {
		return of(without(StageE2ESent), has(StageQueued, queued), has(StageApply, applied), has(StageProcessing, both))
	}
	const wrong = "the mean of processing is"
	hold(t, func(j *judgement) { j.run.Updates().stageSums(j) }, []edge{
		{"sound", of(), ""},
		{"rounded down", of(has(StageProcessing, same(340, 2))), ""},
		{"rounded up", of(has(StageProcessing, same(360, 2))), ""},
		{"too short", of(has(StageProcessing, same(339, 2))), wrong + " 339 ns, but its parts' sum to 350 ns"},
		{"too long", of(has(StageProcessing, same(361, 2))), wrong + " 361 ns"},
		{"end to end", of(has(StageE2ESent, same(561, 2))), "the mean of end to end, from the send is 561 ns"},
		{"reading", of(has(StageReading, same(1011, 2))), "the mean of reading off the queue is 1011 ns"},
		{"one batch", processing(same(10, 1), same(10, 1), same(31, 1)), wrong},
		{"of other batches", processing(same(10, 1), same(10, 2), same(31, 2)), ""},
		{"of fewer batches than the parts", processing(same(10, 2), same(10, 2), same(31, 1)), ""},
		{"no batches", processing(Summary{}, Summary{}, Summary{MeanNS: 11}), ""},
		{"no part is told", of(without(StageQueued)), ""},
		{"a part is below zero", of(without(StageE2ESent), below(StageQueued, StageApply, StageProcessing)), ""},
		{"parts without clocks", of(without(StageTransit), has(StageE2ESent, same(999, 2))), ""},
	})
}

func TestEdgesOfTheServersSeconds(t *testing.T) {
	of := updating()
	seconds := func(rate float64, points ...UpdateSecond) Run {
		return of(func(d *UpdatesDetail) { d.Series, d.AppliedPerS = points, rate })
	}
	long := make([]UpdateSecond, 20*3600) // from so many on a server may have forgotten the oldest
	for i := range long {
		long[i].Second = int64(i)
	}
	const negative = "a figure of the server's second 0 is negative"
	hold(t, func(j *judgement) { j.run.Updates().seriesLaws(j) }, []edge{
		{"sound", of(), ""},
		{"two seconds", seconds(150, UpdateSecond{Batches: 1, Applied: 100}, UpdateSecond{Second: 1, Batches: 1, Applied: 50}), ""},
		{"the first before the window", seconds(0, UpdateSecond{Second: -1, Batches: 2}), ""},
		{"the same twice", seconds(0, UpdateSecond{Second: 1, Batches: 1}, UpdateSecond{Second: 1, Batches: 1}),
			"second 1 follows second 1"},
		{"the wrong way round", seconds(0, UpdateSecond{Second: 1, Batches: 1}, UpdateSecond{Batches: 1}), "second 0 follows second 1"},
		{"a maximum below zero", seconds(0, UpdateSecond{Batches: 2, E2EMaxNS: -1}), negative},
		{"stale below zero", seconds(0, UpdateSecond{Batches: 2, Stale: -1}), negative},
		{"more than were applied", seconds(0, UpdateSecond{Batches: 3}), "have 3 batches, and 2 were applied"},
		{"fewer than were applied", seconds(0, UpdateSecond{Batches: 1}), "have 1 batches, and 2 were applied"},
		{"fewer, of very many seconds", seconds(7, long...), ""},
		{"fewer, of one second less", seconds(0, long[1:]...), "have 0 batches, and 2 were applied"},
		{"full batches", seconds(150, UpdateSecond{Batches: 2, Applied: 150, Stale: 50}), ""},
		{"overfull batches", seconds(150, UpdateSecond{Batches: 2, Applied: 150, Stale: 51}), "201 updates in 2 batches of at most 100"},
	})

	rate := func(window, backlog int64, applied float64, p *Proof) Run {
		return Run{Ledger: lasts(window), Detail: &UpdatesDetail{AppliedPerS: applied, BacklogNS: backlog, Proof: p}}
	}
	const wrong = "updates were applied a second, but 1000 ÷"
	hold(t, func(j *judgement) { j.run.Updates().appliedRate(j, 1000) }, []edge{
		{"sound", rate(second, 0, 1000, nil), ""},
		{"a window that is not known", rate(0, 0, 7, nil), ""},
		{"the shortest window", rate(1, 0, 1000, nil), wrong},
		{"within a backlog", rate(second, second, 500, nil), ""},
		{"within a thousandth", rate(second, 0, 1000.9, nil), ""},
		{"too quick", rate(second, 0, 1001.1, nil), wrong + " 1 s are 1000"},
		{"too slow", rate(second, 0, 998.9, nil), wrong},
		{"not known, of a server that was started again", rate(second, 0, 0, &Proof{Restarted: true}), ""},
		{"wrong, of a server that was started again", rate(second, 0, 7, &Proof{Restarted: true}), wrong},
		{"not known, of one that was not", rate(second, 0, 0, new(Proof)), wrong},
		{"not known, of nobody", rate(second, 0, 0, nil), wrong},
	})
}

func TestEdgesOfTheManifest(t *testing.T) {
	of := func(batches, unknown int64, publishers ...Published) Run {
		return Run{Detail: &UpdatesDetail{Manifest: Manifest{Batches: batches, Unknown: unknown, Publishers: publishers}}}
	}
	skipping := func(batches int64, unused ...SequenceSpan) Run {
		return of(batches, 0, Published{Next: 10, Unused: unused})
	}
	sure := func(next uint64, unsure, arrived int) Published {
		return Published{Next: next, Unsure: make([]uint64, unsure), Arrived: make([]uint64, arrived)}
	}
	sums := func(updates, live int64) Run {
		return Run{Detail: &UpdatesDetail{Manifest: Manifest{Updates: updates, Live: live}}}
	}
	const place, unsure, unknown = "are out of place", "sequences are unsure and", "of which nothing is known, but"
	hold(t, func(j *judgement) { j.run.Updates().Manifest.laws(j) }, []edge{
		{"nothing", of(0, 0), ""},
		{"all", of(5, 0, Published{Next: 2}, Published{Next: 3}), ""},
		{"a batch too many", of(6, 0, Published{Next: 2}, Published{Next: 3}), "has 6 batches, 0 updates and 0 keys, and"},
		{"a batch too few", of(4, 0, Published{Next: 2}, Published{Next: 3}), "sequences are 5"},
		{"fewer than none", of(-1, 0), "has -1 batches"},
		{"updates below zero", sums(-1, 0), "-1 updates"},
		{"keys below zero", sums(0, -1), "-1 keys"},

		{"some not used", skipping(6, SequenceSpan{2, 3}, SequenceSpan{4, 4}, SequenceSpan{9, 9}), ""},
		{"a range that ends before it begins", skipping(10, SequenceSpan{3, 2}), "3 to 2 " + place},
		{"a range beyond the last", skipping(10, SequenceSpan{10, 10}), "10 to 10 " + place},
		{"ranges that overlap", skipping(8, SequenceSpan{2, 3}, SequenceSpan{3, 4}), "3 to 4 " + place},
		{"ranges that overlap later", skipping(7, SequenceSpan{0, 0}, SequenceSpan{2, 3}, SequenceSpan{3, 4}), "3 to 4 " + place},

		{"all unsure", of(0, 0, sure(2, 2, 0)), ""},
		{"more unsure than used", of(2, 0, sure(1, 2, 0), sure(3, 0, 0)), "publisher 0: 2 " + unsure},
		{"all unsure arrived", of(1, 0, sure(2, 1, 1)), ""},
		{"more arrived than unsure", of(2, 0, sure(2, 0, 1)), "0 " + unsure + " 1 of them arrived"},

		{"one unknown", of(1, 1, sure(2, 1, 0)), ""},
		{"two unknown", of(2, 2, sure(2, 1, 0), sure(2, 1, 0)), ""},
		{"one unknown of two", of(2, 1, sure(2, 1, 0), sure(2, 1, 0)), "has 1 batches " + unknown + " 2 were never"},
		{"one unknown that arrived", of(1, 1, sure(2, 1, 1)), unknown + " 1 were never acknowledged, and 1"},
	})
}

func TestEdgesOfTheProof(t *testing.T) {
	make := updating()
	of := func(edit func(*Proof)) Run { return make(func(d *UpdatesDetail) { edit(d.Proof) }) }
	// bad is a proof of which something is wrong, and that says so.
	bad := func(edit func(*Proof)) Run {
		return of(func(p *Proof) {
			p.Complete, p.Problems = false, []string{"something is wrong"}
			edit(p)
		})
	}
	one := []LostSpan{{0, 1, 1}}
	spans := func(n int, lost int64) Run {
		return bad(func(p *Proof) {
			p.Published, p.Lost, p.Received = 2, lost, 2
			p.Unsure = lost
			p.LostSpans = slices.Repeat(one, n)
		})
	}
	const complete = "proof: it is complete, with"
	hold(t, func(j *judgement) { j.run.Updates().proofLaws(j) }, []edge{
		{"sound", of(func(*Proof) {}), ""},
		{"bad", bad(func(*Proof) {}), ""},
		{"partial below zero", of(func(p *Proof) { p.Partial = -1 }), "proof: a count is negative"},
		{"keys below zero", bad(func(p *Proof) { p.Found.Live = -1 }), "proof: a count is negative"},

		{"complete with a problem", of(func(p *Proof) { p.Problems = []string{"one"} }), "complete is true, with 1 problems"},
		{"incomplete without one", of(func(p *Proof) { p.Complete = false }), "complete is false, with 0 problems"},
		{"incomplete with two", bad(func(p *Proof) { p.Problems = []string{"one", "two"} }), ""},
		{"unknown and complete", of(func(p *Proof) { p.Unknown = true }), "it is unknown, complete is true"},
		{"unknown", bad(func(p *Proof) { p.Unknown = true }), ""},
		{"unknown, with one that is foreign", bad(func(p *Proof) { p.Unknown, p.Foreign, p.Received = true, 1, 3 }),
			"it is unknown, complete is false, and 1 batches are foreign"},
		{"one that is foreign", bad(func(p *Proof) { p.Foreign, p.Received = 1, 3 }), ""},

		{"other batches", of(func(p *Proof) { p.Published, p.Received = 3, 3 }), "it expects 3 batches"},
		{"another digest", of(func(p *Proof) { p.Expected.Digest, p.Found.Digest = 8, 8 }), "the digest 0000000000000008"},
		{"other keys", of(func(p *Proof) { p.Expected.Live, p.Found.Live = 8, 8 }), "it expects 2 batches"},
		{"without an answer", bad(func(p *Proof) {
			*p = Proof{Published: 2, Expected: p.Expected, Undrained: 5, Problems: p.Problems}
		}), ""},

		{"one too many received", of(func(p *Proof) { p.Received = 3 }), "3 batches received, but published 2"},
		{"one each", bad(func(p *Proof) {
			p.Lost, p.Unsure, p.Foreign, p.Received, p.LostSpans, p.Undrained = 1, 1, 1, 3, one, 1
		}), ""},
		{"more undrained than lost", bad(func(p *Proof) { p.Lost, p.Received, p.LostSpans, p.Undrained = 1, 1, one, 2 }),
			"2 batches had not arrived, of 1 that were lost"},

		{"complete with one lost", of(func(p *Proof) { p.Lost, p.Received, p.LostSpans = 1, 1, one }), complete + " 1 batches lost"},
		{"complete with one foreign", of(func(p *Proof) { p.Foreign, p.Received = 1, 3 }), "lost, 1 foreign"},
		{"complete in another state", of(func(p *Proof) { p.Found.Digest = 8 }), "the state equal false"},
		{"complete in a state that is not known", of(func(p *Proof) { p.StateKnown = false }), "the state equal false"},
		{"complete with an update in no place", of(func(p *Proof) { p.Updates++ }), "201 updates of which 150"},
		{"incomplete with an update in no place", bad(func(p *Proof) { p.Updates++ }), ""},
		{"incomplete in another state", bad(func(p *Proof) { p.Found.Digest = 8 }), ""},

		{"a range that ends before it begins", bad(func(p *Proof) { p.LostSpans = []LostSpan{{7, 3, 2}} }),
			"the lost range 3 to 2 of publisher 7 ends before"},
		{"a range too many", spans(3, 2), "2 batches were lost, and the ranges have 3"},
		{"a range too few", spans(1, 2), "2 batches were lost, and the ranges have 1"},
		{"as many ranges as there is room for", spans(1000, 1001), ""},
		{"one less", spans(999, 1001), "1001 batches were lost, and the ranges have 999"},
	})
}

// sameJSON reports whether two values are written alike.
func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(one) == string(other)
}
