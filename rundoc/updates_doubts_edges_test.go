package rundoc

import (
	"strings"
	"testing"
)

// These words stand in documents that others read, and in those of before: they stay.
func TestEdgesOfTheWordsOfUpdates(t *testing.T) {
	for is, want := range map[string]string{
		WorkloadUpdates: "updates", ReadHot: "hot", ReadRecent: "recent", StagePublish: "publish", StageTransit: "transit",
		StageReceiveIdle: "receive, idle", StageReceiveBusy: "receive, busy", StageReading: "reading off the queue",
		StageQueued: "waiting in the server", StageApply: "decode and apply", StageProcessing: "processing",
		StageAcknowledge: "acknowledge", StageE2ESent: "end to end, from the send",
		StageE2EScheduled: "end to end, from the schedule", StageE2EBroker: "end to end, by the broker's clock",
		StageFirst: "end to end, to the first server", StageSpread: "spread between servers",
	} {
		if is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
	if got := (&ReadBatches{Batches: 5, Seen: 3}).Unseen(); got != 2 {
		t.Errorf("%d of 5 unseen, and 3 were seen", got)
	}
	if d := new(UpdatesDetail); (&Run{Detail: d}).Updates() != d || !d.alike() || d.responses() != "the times of publishing" {
		t.Error("an updates run is one, and its batches are alike")
	}
}

func TestEdgesOfStagesByName(t *testing.T) {
	d := UpdatesDetail{Stages: []NamedStage{{"a", UpdateStage{Summary: Summary{Count: 2}, Negative: 1}}, {Name: "b"}}}
	for name, want := range map[string]*UpdateStage{"a": &d.Stages[0].UpdateStage, "b": &d.Stages[1].UpdateStage, "c": nil} {
		if got := d.Stage(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if a, c := d.Stage("a").all(), d.Stage("c").all(); a != 3 || c != 0 {
		t.Errorf("%d durations and, where there is no stage, %d", a, c)
	}
}

func TestEdgesOfAnswers(t *testing.T) {
	for _, tt := range []struct {
		p        Proof
		answered bool
		outcome  string
	}{
		{Proof{}, false, "unknown"}, {Proof{Complete: true}, true, "complete"}, {Proof{StateKnown: true}, true, "incomplete"},
		{Proof{Received: 1}, true, "incomplete"}, {Proof{Lost: 1}, true, "incomplete"}, {Proof{Applied: 1}, true, "incomplete"},
		{Proof{Stale: 1}, true, "incomplete"}, {Proof{Found: StateSum{Live: 1}}, true, "incomplete"},
		{Proof{Unknown: true, Received: 1}, true, "unknown"}, {Proof{Unknown: true}, false, "unknown"},
	} {
		if tt.p.Answered() != tt.answered || tt.p.Outcome() != tt.outcome {
			t.Errorf("%+v: answered %t, %s", tt.p, tt.p.Answered(), tt.p.Outcome())
		}
	}
}

func TestEdgesOfUpdatesDoubts(t *testing.T) {
	of := func(d *UpdatesDetail) Run {
		return Run{Workload: WorkloadUpdates, Detail: d, Operations: []Operation{{Scheduled: 1, OK: 1}}}
	}
	applied := func(n int64, p Proof, edits ...func(*UpdatesDetail)) Run {
		d := &UpdatesDetail{Proof: &p, Clock: UpdateClock{Shared: true},
			Stages: []NamedStage{{StageApply, UpdateStage{Summary: Summary{Count: n}}}}}
		for _, edit := range edits {
			edit(d)
		}
		return of(d)
	}
	nothing := applied(0, Proof{Complete: true})
	nothing.Operations[0].OK = 0
	hold(t, func(j *judgement) { j.run.Updates().unbelievable(j) }, []edge{
		{"no detail", Run{}, "does not say what became of the updates"},
		{"only published", of(&UpdatesDetail{}), ""},
		{"wrong reads", of(&UpdatesDetail{Reads: &UpdateReads{Batches: &ReadBatches{Wrong: 1}}}), "Reads found another value"},
		{"one of several servers", applied(0, Proof{Complete: true}, func(d *UpdatesDetail) {
			d.Servers = []UpdateServer{{URL: "x", Proof: new(Proof)}}
		}), "Nothing is known of what server 1 (x) received"},

		{"complete", applied(1, Proof{Complete: true}), ""},
		{"one lost", applied(1, Proof{Lost: 1}), "The server had not received 1 of"},
		{"not answered", applied(0, Proof{}), "Nothing is known of what the server received"},
		{"unknown", applied(1, Proof{Unknown: true, Received: 1}), "The proof is unknown"},
		{"incomplete", applied(1, Proof{Received: 1}), "The proof is incomplete"},

		{"no times", applied(0, Proof{Complete: true}), "The server told no times"},
		{"no times of nothing", nothing, ""},
		{"started again", applied(1, Proof{Complete: true, Restarted: true}), "came after that, 1 batches of 1"},
		{"one without a clock", applied(1, Proof{Complete: true}, func(d *UpdatesDetail) { d.NoClock = 1 }), "are not known of 1 batches"},
	})

	clocks := func(c UpdateClock, stages ...NamedStage) Run {
		return Run{Detail: &UpdatesDetail{Clock: c, Stages: stages}}
	}
	below := func(name string, n, lowest int64) NamedStage {
		return NamedStage{name, UpdateStage{Negative: n, NegativeMin: lowest}}
	}
	middle := func(ns int64) NamedStage {
		return NamedStage{StageE2EScheduled, UpdateStage{Summary: Summary{P50NS: &ns}}}
	}
	apart := UpdateClock{BoundNS: 60, DriftNS: -40}
	const stepped, agree = "batches have a time below zero in the stage", "The clocks of publisher and server agree only to ±100 ns"
	hold(t, func(j *judgement) { j.run.Updates().clocks(j) }, []edge{
		{"shared", clocks(UpdateClock{Shared: true, BoundNS: 100}, below(StageTransit, 1, -101), middle(1)), ""},
		{"one below what is unsure", clocks(apart, below(StageTransit, 1, -101)), "1 " + stepped},
		{"two stages below what is unsure", clocks(apart, below(StageTransit, 1, -101), below(StageE2ESent, 1, -101)), "1 " + stepped},
		{"one at the edge", clocks(apart, below(StageTransit, 1, -100)), ""},
		{"none below", clocks(apart, below(StageTransit, 0, -101)), ""},
		{"one of the server's own", clocks(apart, below(StageApply, 1, -101)), ""},
		{"a tenth of p50", clocks(apart, middle(1000)), ""},
		{"more than a tenth", clocks(apart, middle(999)), agree + ", which is 10 % of the end-to-end p50 of 999 ns"},
		{"a p50 of nothing", clocks(apart, middle(0)), agree + ", which is 10,000 % of"},
		{"no p50", clocks(apart, below(StageE2EScheduled, 0, 0)), ""},
	})
	if got := (UpdateClock{Shared: true, BoundNS: 1}).Uncertainty(); got != 0 {
		t.Errorf("of one clock %v ns are unsure", got)
	}
}

func TestEdgesOfUpdatesWarnings(t *testing.T) {
	const late = 250_000_001
	window := int64(2 * second)
	busy := func(points ...UpdateSecond) UpdatesDetail { return UpdatesDetail{Series: points} }
	at := func(second, batches int64) UpdateSecond { return UpdateSecond{Second: second, Batches: batches} }
	gap := func(left, ns int64) *Hiccups {
		return &Hiccups{Longest: []Gap{{AtNS: window - ns - left, NS: ns}}}
	}
	behind := UpdatesDetail{BacklogNS: late}
	restarted := func(d UpdatesDetail) UpdatesDetail {
		d.Proof = &Proof{Restarted: true}
		return d
	}
	scheduled := func(n, negative int64, p99 *int64) UpdatesDetail {
		return UpdatesDetail{Stages: []NamedStage{{StageE2EScheduled,
			UpdateStage{Summary: Summary{Count: n - negative, P50NS: new(int64), P90NS: new(int64), P99NS: p99}, Negative: negative}}}}
	}
	for _, tt := range []struct {
		name string
		d    UpdatesDetail
		h    *Hiccups
		want string // how the only warning begins, with its code; "" for none
	}{
		{"nothing", UpdatesDetail{}, nil, ""},
		{"a proof", UpdatesDetail{Proof: new(Proof)}, nil, ""},
		{"interrupted", UpdatesDetail{Proof: &Proof{Interrupted: true}}, nil, WarnInterrupted},
		{"delivered again", UpdatesDetail{Proof: &Proof{Duplicates: 1}}, nil, WarnRedelivered},
		{"unreadable", UpdatesDetail{Proof: &Proof{Unreadable: 1}}, nil, WarnUnreadable},

		{"a backlog that is allowed", UpdatesDetail{BacklogNS: late - 1}, nil, ""},
		{"behind", behind, nil, WarnTargetBehind},
		{"behind, with a proof", UpdatesDetail{BacklogNS: late, Proof: new(Proof)}, nil, WarnTargetBehind},
		{"behind, started again", restarted(behind), nil, ""},
		{"behind, without gaps", behind, new(Hiccups), WarnTargetBehind},
		{"behind, after a gap at the end", behind, gap(0, 1),
			WarnBacklog + " The server applied the last batch 250 ms after the end of the window. Whether it did not keep up is " +
				"not known: the publisher did not run for 1.00 ns"},
		{"behind, after a short gap just before", behind, gap(1, 49_999_999), WarnTargetBehind},
		{"behind, after a long gap just before", behind, gap(249_999_999, 50_000_000), WarnBacklog},
		{"behind, after a long gap that is too early", behind, gap(250_000_000, 50_000_000), WarnTargetBehind},

		{"a dead second", busy(at(0, 20)), nil, WarnStandstill + " The server applied nothing in 1 s of 2, although 10 batches"},
		{"a dead second, at a rate that is rounded up", busy(at(0, 21)), nil, WarnStandstill + " The server applied nothing in 1 s of " +
			"2, although 11 batches"},
		{"a dead second that is listed", busy(at(0, 0), at(1, 20)), nil, WarnStandstill},
		{"a dead second at a low rate", busy(at(0, 19)), nil, ""},
		{"no dead second", busy(at(0, 20), at(1, 1)), nil, ""},
		{"seconds outside the window", busy(at(-1, 20), at(0, 1), at(2, 20)), nil, ""},
		{"only a second before the window", busy(at(-1, 20), at(0, 20)), nil, WarnStandstill},
		{"only a second after the window", busy(at(1, 20), at(2, 20)), nil, WarnStandstill},
		{"a dead second, started again", restarted(busy(at(0, 20))), nil, ""},

		{"one batch", scheduled(1, 0, nil), nil, WarnSmallSample + " 1 batches are too few for p95, p99, p99.9:"},
		{"too few for p99", scheduled(999, 0, nil), nil, WarnSmallSample + " 999 batches are too few for p95, p99, p99.9: a"},
		{"enough for p99", scheduled(1000, 0, new(int64)), nil, ""},
		{"enough, with some below zero", scheduled(1000, 1, nil), nil, ""},
		{"no batch", scheduled(0, 0, nil), nil, ""},
	} {
		run := &Run{Workload: WorkloadUpdates, Detail: &tt.d, Ledger: lasts(window), Generator: Generator{Hiccups: tt.h}}
		w := warnings{run: run, total: new(Operation)}
		tt.d.warn(&w)
		var got []string
		for _, warning := range w.list {
			got = append(got, warning.Code+" "+warning.Message)
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	var none *UpdatesDetail
	w := warnings{run: new(Run), total: &Operation{ResponseTime: Summary{Count: 5}}}
	none.warn(&w)
	if len(w.list) != 1 || w.list[0].Code != WarnSmallSample {
		t.Errorf("without a detail, of five operations: %+v", w.list)
	}
	brief := warnings{run: &Run{Ledger: lasts(second / 2)}, total: new(Operation)}
	one := busy(at(0, 1000))
	if one.nothingApplied(&brief); len(brief.list) > 0 {
		t.Errorf("of half a second: %+v", brief.list)
	}
	tardy := Run{Operations: []Operation{{Scheduled: 1000}}, Generator: Generator{OwnLate: new(int64(11))}}
	if got := tardy.publishedLate(); !strings.HasPrefix(got, "the publisher started 11 batches late for its own reasons") {
		t.Errorf("%q", got)
	}
}

func TestEdgesOfWhatArrivedSince(t *testing.T) {
	for _, tt := range []struct {
		timed     int64
		has, want Fates
	}{
		{5, Fates{5, 1, 1, 1}, Fates{5, 1, 1, 1}}, {4, Fates{5, 1, 1, 1}, Fates{5, 1, 1, 1}},
		{6, Fates{5, 1, 1, 1}, Fates{6, 1, 1, 0}}, {7, Fates{5, 1, 1, 1}, Fates{7, 0, 1, 0}},
		{8, Fates{5, 1, 1, 1}, Fates{8, 0, 0, 0}}, {9, Fates{5, 1, 1, 1}, Fates{8, 0, 0, 0}},
	} {
		f := tt.has
		if f.arrivedSince(tt.timed); f != tt.want {
			t.Errorf("%+v, %d timed: %+v, want %+v", tt.has, tt.timed, f, tt.want)
		}
	}
}

// upTo is a stage with the durations 1 to n ns, and so many below zero.
func upTo(n, below int64) *UpdateStage {
	var times []int64
	for ns := range n {
		times = append(times, ns+1)
	}
	s := &UpdateStage{Negative: below, NegativeMin: -min(1, below)}
	if n > 0 {
		s.Summary = timesOf(times...)
	}
	return s
}

func TestEdgesOfTimesOfWhatWasDue(t *testing.T) {
	const few = ", p90 absent, p95 absent, p99 absent, p99.9 absent, max "
	for _, tt := range []struct {
		name  string
		due   int64
		timed *UpdateStage
		f     Fates
		want  DueBatches // its counts
		times string
		never bool // whether p50 fell among what did not arrive
	}{
		{"nothing", 0, nil, Fates{}, DueBatches{}, "p50 absent" + few + "absent ns", false},
		{"nothing arrived", 30, nil, Fates{Unknown: 10, Lost: 10, NeverPublished: 5},
			DueBatches{Batches: 30, Unknown: 10, Lost: 10, NeverPublished: 10}, "p50 absent" + few + "absent ns", true},
		{"one", 1, upTo(1, 0), Fates{Received: 1}, DueBatches{Batches: 1, InTime: 1}, "p50 absent" + few + "1 ns", false},
		{"all", 20, upTo(20, 0), Fates{Received: 20}, DueBatches{Batches: 20, InTime: 10, Late: 10}, "p50 10" + few + "20 ns", false},
		{"half", 40, upTo(20, 0), Fates{Received: 20, Lost: 20}, DueBatches{Batches: 40, InTime: 10, Late: 10, Lost: 20},
			"p50 20" + few + "absent ns", false},
		{"less than half", 42, upTo(20, 0), Fates{Received: 20, Lost: 22}, DueBatches{Batches: 42, InTime: 10, Late: 10, Lost: 22},
			"p50 absent" + few + "absent ns", true},
		{"all but one", 21, upTo(20, 0), Fates{Received: 20, Lost: 1}, DueBatches{Batches: 21, InTime: 10, Late: 10, Lost: 1},
			"p50 11" + few + "absent ns", false},
		{"less than half below zero", 20, upTo(11, 9), Fates{Received: 20}, DueBatches{Batches: 20, InTime: 19, Late: 1},
			"p50 1" + few + "11 ns", false},
		{"half below zero", 20, upTo(10, 10), Fates{Received: 20}, DueBatches{Batches: 20, InTime: 20}, "p50 absent" + few + "10 ns",
			false},
		{"all below zero", 20, upTo(0, 20), Fates{Received: 20}, DueBatches{Batches: 20, InTime: 20}, "p50 absent" + few + "absent ns",
			false},
		{"one untimed", 21, upTo(20, 0), Fates{Received: 21}, DueBatches{Batches: 21, InTime: 10, Late: 10, Unknown: 1, Untimed: 1},
			"p50 10" + few + "20 ns", false},
		{"of one time", 20, &UpdateStage{Summary: same(1_000_003, 20)}, Fates{Received: 20}, DueBatches{Batches: 20, Late: 20},
			"p50 1000003" + few + "1000003 ns", false},
	} {
		b, err := NewDueBatches(tt.due, 10, tt.timed, tt.f)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		counts, times := *b, b.Times()
		counts.P50NS, counts.P90NS, counts.P95NS, counts.P99NS, counts.P999NS, counts.MaxNS = nil, nil, nil, nil, nil, nil
		tt.want.WithinNS = 10
		if counts != tt.want || b.figures() != tt.times || b.Never(500) != tt.never {
			t.Errorf("%s: %+v, %s, never %t", tt.name, counts, b.figures(), b.Never(500))
		}
		if times.Count != tt.due-tt.want.Untimed || (b.MaxNS != nil) != (times.MaxNS > 0) || times.P50NS != b.P50NS {
			t.Errorf("%s: in all %+v", tt.name, times)
		}
	}
	b := DueBatches{Batches: 1000, Lost: 10}
	if b.Never(990) || b.Never(999) {
		t.Error("a percentile is never reached, although all but those above it arrived")
	}
	if b.Lost++; !b.Never(990) || b.Never(900) || b.Never(999) {
		t.Error("p99 falls among the 11 of 1,000 that were lost, and that is not noticed")
	}
	if _, err := NewDueBatches(1, 1, &UpdateStage{Summary: Summary{Count: 1, HDR: "x"}}, Fates{}); err == nil {
		t.Error("no error of a histogram that cannot be read")
	}
	if b, _ := NewDueBatches(1, 1, &UpdateStage{Summary: Summary{}}, Fates{}); b == nil || b.NeverPublished != 1 {
		t.Errorf("of one that did not come: %+v", b)
	}
}

func TestEdgesOfWhatWasDue(t *testing.T) {
	// due is what became of two batches, of which one was in time; p is what is known of all.
	due := func(edit func(b *DueBatches, o *Operation, p *Proof, s *UpdateStage)) Run {
		b := &DueBatches{Batches: 2, InTime: 1, Late: 1, WithinNS: 10, MaxNS: new(int64(30))}
		o := Operation{Scheduled: 2, OK: 2}
		p, s := &Proof{Received: 2}, &UpdateStage{Summary: timesOf(10, 30)}
		d := &UpdatesDetail{Due: b, Proof: p}
		edit(b, &o, p, s)
		d.Stages = []NamedStage{{StageE2EScheduled, *s}}
		return Run{Detail: d, Operations: []Operation{o}}
	}
	// more is that with another batch, which is not applied.
	more := func(edit func(b *DueBatches, o *Operation, p *Proof)) Run {
		return due(func(b *DueBatches, o *Operation, p *Proof, _ *UpdateStage) {
			b.Batches, b.MaxNS, o.Scheduled = 3, nil, 3
			edit(b, o, p)
		})
	}
	silent := func(b DueBatches) Run {
		return Run{Detail: &UpdatesDetail{Due: &b}, Operations: []Operation{{Scheduled: b.Batches, OK: b.Batches}}}
	}
	type (
		B = *DueBatches
		O = *Operation
		P = *Proof
		S = *UpdateStage
	)
	const sum, operations, places, nobody = "batches were due, but", "; the operations are 3, ", "batches were in time and",
		"nobody said what was received"
	hold(t, func(j *judgement) {
		d := j.run.Updates()
		d.Due.laws(j, d.Stage(StageE2EScheduled), d.Proof)
	}, []edge{
		{"sound", due(func(B, O, P, S) {}), ""},
		{"a document of before", Run{Detail: new(UpdatesDetail)}, ""},
		{"one too many", due(func(b B, _ O, _ P, _ S) { b.Late = 2 }), "2 " + sum + " 1 in time + 2 late"},
		{"fewer than none lost", due(func(b B, _ O, _ P, _ S) { b.Lost, b.Unknown = -1, 1 }), "-1 lost"},
		{"fewer than none untimed", due(func(b B, _ O, _ P, _ S) { b.Untimed = -1 }), sum},
		{"a bound below zero", due(func(b B, _ O, _ P, _ S) { b.WithinNS = -1 }), sum},
		{"more untimed than unknown", due(func(b B, _ O, _ P, _ S) { b.Untimed = 1 }), sum},
		{"all unknown are untimed", due(func(b B, o O, _ P, _ S) { b.Batches, b.Unknown, b.Untimed, o.Scheduled = 3, 1, 1, 3 }), ""},
		{"a bound of nothing", due(func(b B, _ O, _ P, s S) { b.InTime, b.Late, b.WithinNS = 0, 2, 0 }), ""},

		{"more are scheduled", due(func(_ B, o O, _ P, _ S) { o.Scheduled = 3 }), "2 batches, 0 of them never published" + operations},
		{"one unsent", more(func(b B, o O, _ P) { b.NeverPublished, o.Unsent = 1, 1 }), ""},
		{"one failed", more(func(b B, _ O, _ P) { b.NeverPublished = 1 }), ""},
		{"one unsent, and published", more(func(b B, o O, _ P) { b.Unknown, o.Unsent = 1, 1 }), "2 of them ok and 1 unsent"},
		{"one ok, and never published", more(func(b B, o O, _ P) { b.NeverPublished, o.OK = 1, 3 }), "3 of them ok and 0 unsent"},

		{"all unknown, of nobody", silent(DueBatches{Batches: 1, Unknown: 1}), ""},
		{"one lost, by nobody", silent(DueBatches{Batches: 1, Lost: 1}), nobody},
		{"one untimed, by nobody", silent(DueBatches{Batches: 1, Unknown: 1, Untimed: 1}), nobody},
		{"in time, by one that did not answer", due(func(_ B, _ O, p P, _ S) { *p = Proof{} }), nobody},
		{"one lost", more(func(b B, _ O, p P) { b.Lost, p.Lost = 1, 1 }), ""},
		{"one lost of none", more(func(b B, _ O, _ P) { b.Lost = 1 }), "1 batches of the window are lost"},
		{"one unknown", more(func(b B, _ O, _ P) { b.Unknown = 1 }), ""},
		{"one unknown, and complete", more(func(b B, _ O, p P) { b.Unknown, p.Complete = 1, true }), "of 1 nothing is known"},
		{"one untimed, and complete", due(func(b B, o O, p P, _ S) {
			b.Batches, b.Unknown, b.Untimed, o.Scheduled, p.Complete = 3, 1, 1, 3, true
		}), ""},

		{"both in time", due(func(b B, _ O, _ P, _ S) { b.InTime, b.Late = 2, 0 }), "2 " + places + " 0 late"},
		{"one of the late is lost", more(func(b B, _ O, p P) { b.Late, b.Lost, p.Lost = 0, 2, 2 }), "1 " + places + " 0 late"},
		{"one in time is lost", more(func(b B, _ O, p P) { b.InTime, b.Lost, p.Lost = 0, 2, 2 }), "0 " + places + " 1 late"},
		{"in time, and no time is told", Run{Operations: []Operation{{Scheduled: 1, OK: 1}},
			Detail: &UpdatesDetail{Due: &DueBatches{Batches: 1, InTime: 1}, Proof: &Proof{Received: 1}}}, "1 " + places + " 0 late"},
		{"no longest", due(func(b B, _ O, _ P, _ S) { b.MaxNS = nil }), "max absent ns, and should be p50 absent"},
		{"times that cannot be read", due(func(_ B, _ O, _ P, s S) { s.Summary.HDR = "x" }), ""},
	})
}

func TestEdgesOfReads(t *testing.T) {
	service := same(100, 2)
	reads := func(edits ...func(*UpdateReads)) Run {
		r := &UpdateReads{Keys: ReadHot, RatePerS: 1, Readers: 1, Asked: 2, Found: 2,
			Operation: Operation{Name: "read", Scheduled: 2, OK: 2, Attempts: 2, ResponseTime: service, ServiceTime: service}}
		for _, edit := range edits {
			edit(r)
		}
		return Run{Detail: &UpdatesDetail{Reads: r}, Operations: []Operation{{Scheduled: 2}}}
	}
	hold(t, func(j *judgement) { j.run.Updates().Reads.laws(j, j.run.Updates()) }, []edge{
		{"sound", reads(), ""},
		{"one that is in no place", reads(func(r *UpdateReads) { r.Operation.Scheduled = 3 }), "broken law: reads: "},
		{"no rate", reads(func(r *UpdateReads) { r.RatePerS = 0 }), "reads: 0 a second over 1 connections"},
		{"no reader", reads(func(r *UpdateReads) { r.Readers = 0 }), "reads: 1 a second over 0 connections"},
		{"none found", reads(func(r *UpdateReads) { r.Found = 0 }), ""},
		{"fewer than none found", reads(func(r *UpdateReads) { r.Found = -1 }), "found -1 keys of 2"},
		{"more found than asked for", reads(func(r *UpdateReads) { r.Found = 3 }), "found 3 keys of 2"},
		{"no batches of recent keys", reads(func(r *UpdateReads) { r.Keys = ReadRecent }), "which makes no sense"},
		{"batches of hot keys", reads(func(r *UpdateReads) { r.Batches = new(ReadBatches) }), "which makes no sense"},
		{"batches that cannot be", reads(func(r *UpdateReads) { r.Keys, r.Batches = ReadRecent, &ReadBatches{Wrong: -1} }),
			"0 batches were found of 0"},
	})

	found := func(edit func(*ReadBatches, *UpdatesDetail)) Run {
		b := &ReadBatches{Batches: 2, Seen: 1, Times: UpdateStage{Summary: same(100, 1)}, Resolution: UpdateStage{Summary: same(100, 1)}}
		d := &UpdatesDetail{Reads: &UpdateReads{Batches: b}, Proof: &Proof{Received: 1}}
		edit(b, d)
		return Run{Detail: d, Operations: []Operation{{Scheduled: 2}}}
	}
	all := func(b *ReadBatches, n int) { // has n batches found
		b.Seen, b.Times.Summary, b.Resolution.Summary = int64(n), same(100, n), same(100, n)
	}
	type (
		B = *ReadBatches
		D = *UpdatesDetail
	)
	const counts, part = "were not looked for; 2 were due", "and the times that it is a part of are up to"
	const server = "batches were found, and the server received"
	two := func(edit func(B, D)) Run {
		return found(func(b B, d D) {
			all(b, 2)
			edit(b, d)
		})
	}
	hold(t, func(j *judgement) { j.run.Updates().Reads.Batches.laws(j, j.run.Updates()) }, []edge{
		{"sound", found(func(B, D) {}), ""},
		{"without a proof", found(func(_ B, d D) { d.Proof = nil }), ""},
		{"fewer than none not looked for", found(func(b B, _ D) { b.Unwatched = -1 }), counts},
		{"wrong ones below zero", found(func(b B, _ D) { b.Wrong = -1 }), counts},
		{"all found", two(func(_ B, d D) { d.Proof.Received = 2 }), ""},
		{"more found than there were", found(func(b B, d D) { all(b, 3); d.Proof = nil }), "3 batches were found of 2"},
		{"more than were due", found(func(b B, _ D) { b.Unwatched = 1 }), "1 " + counts},
		{"another number of times", found(func(b B, _ D) { b.Times.Summary = same(100, 2) }), "2 have a time, 1 a resolution"},
		{"another number of resolutions", found(func(b B, _ D) { b.Resolution.Summary = same(10, 2) }), "1 have a time, 2 a"},
		{"a time below zero", found(func(b B, _ D) { b.Times = UpdateStage{Negative: 1, NegativeMin: -1} }), "1 have a time"},
		{"times out of order", found(func(b B, _ D) { b.Times.Summary.MeanNS = 101 }), "times until a read found a batch"},
		{"resolutions out of order", found(func(b B, _ D) { b.Resolution.Summary.MeanNS = 99 }), "resolution of those"},
		{"a coarser resolution than all", two(func(b B, d D) { b.Resolution.Summary, d.Proof = timesOf(10, 110), nil }), part},
		{"a coarser resolution in the mean", two(func(b B, d D) { b.Times.Summary, d.Proof = timesOf(10, 100), nil }), part},

		{"more than the server received", two(func(B, D) {}), "2 " + server + " 1"},
		{"more than it knows of", two(func(_ B, d D) { d.Proof.Unknown = true }), ""},
		{"more than since it was started", two(func(_ B, d D) { d.Proof.Restarted = true }), ""},
		{"more than it answered", two(func(_ B, d D) { d.Proof = new(Proof) }), ""},
		{"more than one of several received", two(func(_ B, d D) { d.Servers = make([]UpdateServer, 1) }), ""},
	})

	bad := func(failed, unsent, wrong int64) Run {
		return Run{Detail: &UpdatesDetail{Reads: &UpdateReads{Operation: Operation{Scheduled: 100, Failed: failed, Unsent: unsent},
			Batches: &ReadBatches{Wrong: wrong}}}}
	}
	hold(t, func(j *judgement) { j.run.Updates().Reads.doubts(j) }, []edge{
		{"one of a hundred failed", bad(1, 0, 0), ""},
		{"two of a hundred are missing", bad(1, 1, 0), "Of 100 reads 1 failed and 1 were not sent (more than 1 %)"},
		{"one wrong", bad(0, 0, 1), "was published 1 times"},
		{"hot keys", Run{Detail: &UpdatesDetail{Reads: new(UpdateReads)}}, ""},
	})
}
