package rundoc

import (
	"slices"
	"strings"
	"testing"
)

// twoServers is the detail of twoBatches, of which each of two servers got both: one of them always first.
func twoServers() *UpdatesDetail {
	d := twoBatches()
	one := ServerOf(d)
	d.Stages = []NamedStage{d.Stages[0], {StageFirst, UpdateStage{Summary: same(560, 2)}},
		{StageE2EScheduled, UpdateStage{Summary: same(560, 2)}}, {StageSpread, UpdateStage{Summary: timesOf(0, 0)}}}
	d.Receives, d.Messages, d.Series = 0, 0, nil
	one.Live, one.Digest = d.Manifest.Live, d.Manifest.Digest
	first, last := one, one
	first.URL, first.First, last.URL, last.Last = "a", 2, "b", 2
	d.Spread = &UpdateSpread{Batches: 2}
	d.SetServers([]UpdateServer{first, last}, nil, 2)
	return d
}

func TestEdgesOfServers(t *testing.T) {
	sound, service := twoServers(), same(100, 2)
	type D = *UpdatesDetail
	of := func(edits ...func(D)) Run {
		d, proof, spread := *sound, *sound.Proof, *sound.Spread
		d.Proof, d.Spread = &proof, &spread
		d.Stages, d.Servers = slices.Clone(d.Stages), slices.Clone(d.Servers)
		for i := range d.Servers {
			p := *d.Servers[i].Proof
			d.Servers[i].Proof = &p
		}
		for _, edit := range edits {
			edit(&d)
		}
		return Run{Workload: WorkloadUpdates, Ledger: lasts(second), Detail: &d,
			Operations: []Operation{{Scheduled: 2, OK: 2, ServiceTime: service, ResponseTime: service}}}
	}
	many := func(n int) Run {
		d := &UpdatesDetail{Spread: new(UpdateSpread)}
		servers := make([]UpdateServer, n)
		for i := range servers {
			servers[i].Proof = &Proof{Complete: true, StateKnown: true}
		}
		d.SetServers(servers, nil, 0)
		return Run{Detail: d}
	}
	below := func(name string) func(D) {
		return func(d D) { *d.Stage(name) = UpdateStage{same(560, 1), 1, -1} }
	}
	lost := func(d D, whole int64, each ...int64) { // by all servers, and by each
		d.Proof.Complete, d.Proof.Problems, d.Proof.Lost = false, []string{"lost"}, whole
		d.Proof.Unsure = whole
		d.Proof.LostSpans = slices.Repeat([]LostSpan{{}}, int(whole))
		for i, n := range each {
			p := d.Servers[i].Proof
			p.Complete, p.Problems, p.Lost, p.Unsure = false, []string{"lost"}, n, n
			p.LostSpans = slices.Repeat([]LostSpan{{}}, int(n))
		}
	}
	dues := func(all DueBatches, each ...DueBatches) func(D) {
		return func(d D) {
			all.Batches, all.WithinNS, all.MaxNS = 2, 560, new(int64(560))
			d.Due = &all
			for i, b := range each {
				b.Batches, b.WithinNS, b.MaxNS = 2, 560, new(int64(560))
				d.Servers[i].Due = &b
			}
		}
	}
	const between, stage = "was first for 2 batches and last for 2, of 2 with a spread", "one of the stages between them has 1"
	const late, mean = "the first server is later than the last", "the mean to the last server is"
	hold(t, func(j *judgement) { j.run.Updates().laws(j) }, []edge{
		{"sound", of(), ""},
		{"as many servers as there may be", many(1000), ""},
		{"one more", many(1001), "there are 1001 servers, and what is between them is told true"},
		{"one server", of(func(d D) { d.Servers = d.Servers[:1] }), "there are 1 servers, and what is between them is told true"},
		{"what is between them is not told", of(func(d D) { d.Spread = nil }), "2 servers, and what is between them is told false"},
		{"one without a proof", of(func(d D) { d.Servers[1].Proof = nil }), "server 2 has no proof"},
		{"first for fewer than none", of(func(d D) { d.Servers[0].First, d.Servers[1].First = 3, -1 }), "server 2 has no proof, or was first for -1"},
		{"last for fewer than none", of(func(d D) { d.Servers[0].Last, d.Servers[1].Last = -1, 3 }), "server 1 has no proof"},
		{"an impossible server", of(func(d D) { d.Servers[1].Receives = 3 }), "server 2: updates: 3 receive calls"},
		{"first for one", of(func(d D) { d.Servers[0].First = 1 }), "was first for 1 batches and last for 2, of 2"},
		{"last for one", of(func(d D) { d.Servers[1].Last = 1 }), "was first for 2 batches and last for 1, of 2"},
		{"fewer than none untold", of(func(d D) { d.Spread.Untold = -1 }), between},
		{"a bound below zero", of(func(d D) { d.Spread.BoundNS = -1 }), between},

		{"fewer to the first", of(has(StageFirst, same(560, 1))), stage},
		{"fewer to the last", of(has(StageE2EScheduled, same(560, 1))), stage},
		{"fewer with a spread", of(has(StageSpread, timesOf(0))), stage},
		{"a spread below zero", of(func(d D) { *d.Stage(StageSpread) = UpdateStage{timesOf(0), 1, -1} }), "below zero for 1 batches"},
	})
	// Of a server that breaks more laws than are told one by one, the others are counted.
	crowded := of(func(d D) { d.Servers[1].Series = make([]UpdateSecond, 20) })
	alone, all := judgementOf(&crowded), judgementOf(&crowded)
	alone.total, all.total = crowded.Operations[0], crowded.Operations[0]
	crowded.Updates().Alone(1).sideLaws(&alone)
	crowded.Updates().laws(&all)
	if len(all.reasons) != maxBroken || alone.unsaid < 9 || all.unsaid != alone.unsaid {
		t.Errorf("%d broken laws are told and %d are not; of the server alone %d are not", len(all.reasons), all.unsaid, alone.unsaid)
	}
	hold(t, func(j *judgement) { j.run.Updates().spreadLaws(j) }, []edge{
		{"sound", of(), ""},
		{"other publishing", of(has(StagePublish, same(100, 1))), "publish has 1 durations, and the operations 2"},
		{"the longest to the first is longer", of(has(StageFirst, timesOf(559, 561)), has(StageE2EScheduled, timesOf(560, 560))), late},
		{"the shortest to the first is longer", of(has(StageE2EScheduled, timesOf(559, 561))), late},
		{"rounded", of(has(StageE2EScheduled, same(570, 2))), ""},
		{"more than rounded", of(has(StageE2EScheduled, same(571, 2))), mean + " 571 ns, but to the first and the spread are 560 ns"},
		{"one to the first is below zero", of(below(StageFirst), has(StageE2EScheduled, same(99, 2))), ""},
		{"none with a spread", Run{Detail: &UpdatesDetail{Spread: new(UpdateSpread)}}, ""},
		{"one with a spread", Run{Detail: &UpdatesDetail{Spread: &UpdateSpread{Batches: 1}, Stages: []NamedStage{
			{StageFirst, UpdateStage{Summary: same(10, 1)}}, {StageE2EScheduled, UpdateStage{Summary: same(99, 1)}},
			{StageSpread, UpdateStage{Summary: same(10, 1)}}}}}, mean},
	})
	hold(t, func(j *judgement) { j.run.Updates().wholeLaws(j) }, []edge{
		{"sound", of(), ""},
		{"another rate", of(func(d D) { d.AppliedPerS = 151 }), "151 updates were applied a second and the last 0 ns after"},
		{"another backlog", of(func(d D) { d.BacklogNS = 1 }), "the last 1.00 ns after the window"},
		{"no proof", of(func(d D) { d.Proof = nil }), "each server has a proof, and the run has none"},
		{"complete for all but one", of(func(d D) { d.Servers[1].Proof.Complete = false }), "complete for all servers true, and for each false"},
		{"incomplete for none", of(func(d D) { d.Proof.Complete, d.Proof.Problems = false, []string{"x"} }),
			"complete for all servers false, and for each true"},
		{"lost by both", of(func(d D) { lost(d, 1, 1, 1) }), ""},
		{"lost by one each", of(func(d D) { lost(d, 2, 1, 1) }), ""},
		{"lost by more than the servers", of(func(d D) { lost(d, 3, 1, 1) }), "3 batches were lost at one server or more"},
		{"lost by fewer than one server", of(func(d D) { lost(d, 1, 2, 1) }), "and at the one that lost most 2, at all together 3"},
		{"lost by fewer, and not answered", of(func(d D) {
			lost(d, 0, 1, 1)
			*d.Proof = Proof{Published: 2, Expected: d.Proof.Expected, Problems: d.Proof.Problems}
		}), ""},
		{"an impossible proof", of(func(d D) { d.Proof.Partial = -1 }), "proof: a count is negative"},

		{"what was due", of(dues(DueBatches{InTime: 2}, DueBatches{InTime: 2}, DueBatches{InTime: 2})), ""},
		{"what was due, told of all", of(dues(DueBatches{InTime: 2}, DueBatches{InTime: 2})),
			"told of all servers true, and of server 2 false"},
		{"better for all than for one", of(dues(DueBatches{InTime: 2}, DueBatches{InTime: 2}, DueBatches{InTime: 1})),
			"2 batches were in time at all servers and 0 lost at one, but at server 2 they are 1 and 0"},
		{"lost by one, and not by all", of(dues(DueBatches{InTime: 2}, DueBatches{InTime: 2, Lost: 1}, DueBatches{InTime: 2})),
			"at server 1 they are 2 and 1"},
		{"what was due, told of one", of(func(d D) { d.Servers[0].Due = new(DueBatches) }), "told of all servers false, and of server 1 true"},
		{"an impossible account", of(dues(DueBatches{InTime: 1}, DueBatches{InTime: 2}, DueBatches{InTime: 2})), "due: 2 batches were due, but 1"},
	})
}

func TestEdgesOfServersDoubts(t *testing.T) {
	type D = *UpdatesDetail
	of := func(edits ...func(D)) Run {
		d := &UpdatesDetail{Servers: []UpdateServer{{URL: "a"}, {URL: "b"}}, Proof: &Proof{Complete: true}, Spread: new(UpdateSpread)}
		for i := range d.Servers {
			s := &d.Servers[i]
			s.Proof, s.Clock, s.Stages = &Proof{Complete: true}, UpdateClock{Shared: true}, []NamedStage{{StageApply, *upTo(1, 0)}}
		}
		for _, edit := range edits {
			edit(d)
		}
		return Run{Detail: d, Operations: []Operation{{Scheduled: 1, OK: 1}}}
	}
	silent := func(d D) { *d.Proof, *d.Servers[1].Proof = Proof{Unknown: true, Received: 1}, Proof{} }
	spread := func(bound, p50 int64) func(D) {
		return func(d D) {
			d.Spread.BoundNS, d.Stages = bound, []NamedStage{{StageSpread, UpdateStage{Summary: Summary{P50NS: &p50}}}}
		}
	}
	const nothing = "Nothing is known of what server 2 (b) received"
	hold(t, func(j *judgement) { j.run.Updates().serversDoubts(j) }, []edge{
		{"sound", of(), ""},
		{"one is silent", of(silent), nothing},
		{"incomplete", of(func(d D) { *d.Proof = Proof{Received: 1} }), "The proof is incomplete"},
		{"unknown, though none is silent", of(func(d D) { *d.Proof = Proof{Received: 1, Unknown: true} }), "The proof is unknown"},
		{"one started again", of(func(d D) { d.Servers[1].Proof.Restarted = true }), "Of server 2 (b): The server was another one"},
		{"one untold", of(func(d D) { d.Spread.Untold = 1 }), "Of 1 batches not every server told"},
		{"no spread", of(func(d D) { d.Spread, d.Stages = nil, []NamedStage{{StageSpread, *upTo(20, 0)}} }), ""},
		{"a spread as wide as the clocks", of(spread(5, 5)), ""},
		{"a spread within the clocks", of(spread(6, 5)), "agree only to ±6.00 ns, and the p50 of the spread between the servers is 5.00"},
		{"a spread without p50", of(func(d D) { d.Spread.BoundNS, d.Stages = 6, []NamedStage{{Name: StageSpread}} }), ""},
	})
	for _, tt := range []struct {
		name string
		edit func(D)
		want []string
	}{
		{"one silent, one lost", func(d D) { silent(d); d.Proof.Lost = 1 }, []string{"The server had not received 1 of", nothing}},
		{"one silent, one wrong", func(d D) { silent(d); d.Proof.Unknown = false }, []string{"The proof is incomplete", nothing}},
	} {
		run := of(tt.edit)
		if got := says(&run, run.Updates().serversDoubts); !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEdgesOfServersTogether(t *testing.T) {
	state := StateSum{Live: 5, Digest: 7}
	complete, unknown := Proof{Complete: true, Received: 9, Applied: 9}, Proof{Unknown: true, Received: 8, Applied: 8, Undrained: 3}
	incomplete := Proof{Received: 7, Applied: 20, Found: StateSum{Live: 4}, Problems: []string{"x"}}
	for _, tt := range []struct {
		name          string
		first, second Proof
		lost          []LostSpan
		received      int64
		want          Proof // but for what was published and is expected
	}{
		{"both complete", complete, complete, nil, 9, Proof{Complete: true, Received: 9, Applied: 9, Found: state}},
		{"one unknown", complete, unknown, []LostSpan{{1, 3, 4}}, 8,
			Proof{Unknown: true, Received: 8, Lost: 2, LostSpans: []LostSpan{{1, 3, 4}}, Unsure: 1, Applied: 8, Undrained: 2}},
		{"one incomplete, which applied more", incomplete, complete, nil, 9,
			Proof{Received: 9, Applied: 20, Found: StateSum{Live: 4}, Problems: []string{"server 1 (a): x"}}},
		{"both incomplete", complete, incomplete, nil, 8,
			Proof{Received: 8, Applied: 20, Found: StateSum{Live: 4}, Problems: []string{"server 2 (b): x"}}},
		{"both incomplete, the second with fewer", incomplete, Proof{Received: 1, Applied: 6}, nil, 9,
			Proof{Received: 9, Applied: 6, Problems: []string{"server 1 (a): x"}}},
		{"the second with fewer", Proof{Complete: true, Applied: 6, Stale: 3}, Proof{Complete: true, Applied: 8}, nil, 9,
			Proof{Complete: true, Received: 9, Applied: 8, Found: state}},
		{"the worst of both", Proof{Complete: true, Restarted: true, Unreadable: 2, Duplicates: 2},
			Proof{Complete: true, Interrupted: true, Unreadable: 3, Duplicates: 3, Stale: 1}, nil, 9,
			Proof{Complete: true, Restarted: true, Interrupted: true, Unreadable: 3, Duplicates: 5, Received: 9, Found: state}},
		{"more lost ranges than there is room for", unknown, unknown, make([]LostSpan, 1001), 8,
			Proof{Unknown: true, Received: 8, Lost: 1001, LostSpans: make([]LostSpan, 1000), Unsure: 1000, Applied: 8, Undrained: 3}},
	} {
		d := &UpdatesDetail{Manifest: Manifest{Batches: 9, Live: 5, Digest: 7}}
		d.SetServers([]UpdateServer{{URL: "a", Listeners: 1, Receive: 2, Proof: &tt.first, AppliedPerS: 4, BacklogNS: 2},
			{URL: "b", Proof: &tt.second, AppliedPerS: 3, BacklogNS: 1}}, tt.lost, tt.received)
		tt.want.Published, tt.want.Expected = 9, state
		if !sameJSON(t, *d.Proof, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, *d.Proof, tt.want)
		}
		if d.AppliedPerS != 3 || d.BacklogNS != 2 || d.Server != "a" || d.Listeners != 1 || d.Receive != 2 {
			t.Errorf("%s: %+v", tt.name, d)
		}
	}

	for _, tt := range []struct{ a, b, want UpdateClock }{
		{UpdateClock{Shared: true}, UpdateClock{}, UpdateClock{}}, {UpdateClock{}, UpdateClock{Shared: true}, UpdateClock{}},
		{UpdateClock{BoundNS: 2}, UpdateClock{BoundNS: 1}, UpdateClock{BoundNS: 2}},
		{UpdateClock{BoundNS: 1}, UpdateClock{BoundNS: 2}, UpdateClock{BoundNS: 2}},
		{UpdateClock{Shared: true}, UpdateClock{Shared: true}, UpdateClock{Shared: true}},
	} {
		if got := (&UpdatesDetail{Servers: []UpdateServer{{Clock: tt.a}, {Clock: tt.b}}}).leastSure(); got != tt.want {
			t.Errorf("of %+v and %+v: %+v", tt.a, tt.b, got)
		}
	}

	several := &UpdatesDetail{Servers: []UpdateServer{{}, {Proof: &complete}, {Proof: new(Proof)}}}
	if got := several.Silent(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("silent are %v", got)
	}

	whole := twoServers()
	alone := whole.Alone(1)
	if alone.Server != "b" || alone.Spread != nil || alone.Servers != nil || alone.Stages[0].Name != StagePublish ||
		len(alone.Stages) != 12 {
		t.Errorf("alone: %+v", alone)
	}
	again := ServerOf(alone)
	again.Live, again.Digest, again.First, again.Last = 150, 9, 0, 2
	if !sameJSON(t, again, whole.Servers[1]) {
		t.Errorf("%+v, want %+v", again, whole.Servers[1])
	}
	whole.Stages = whole.Stages[1:]
	if alone = whole.Alone(0); len(alone.Stages) != 11 {
		t.Errorf("alone, without publishing: %+v", alone.Stages)
	}
	one := new(UpdatesDetail)
	if one.SetServers(whole.Servers[:1], nil, 2); one.Server != "a" || one.Servers != nil || one.Proof != whole.Servers[0].Proof {
		t.Errorf("one server: %+v", one)
	}
}
