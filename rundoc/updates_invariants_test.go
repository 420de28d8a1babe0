package rundoc_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestJudgeChecksUnusedSequences(t *testing.T) {
	// With ten more sequences reserved than used, publisher 1 still has 42 of its own.
	reserve := func(unused ...rundoc.SequenceSpan) func(d *rundoc.UpdatesDetail) {
		return func(d *rundoc.UpdatesDetail) {
			p := &d.Manifest.Publishers[1]
			p.Next, p.Unused = p.Next+10, unused
		}
	}
	base := updatesRun(t, nil)
	for name, tt := range map[string]struct {
		edit func(d *rundoc.UpdatesDetail)
		want string
	}{
		"one range":                {reserve(rundoc.SequenceSpan{First: 10, Last: 19}), ""},
		"two ranges":               {reserve(rundoc.SequenceSpan{First: 10, Last: 14}, rundoc.SequenceSpan{First: 16, Last: 20}), ""},
		"one sequence short":       {reserve(rundoc.SequenceSpan{First: 10, Last: 18}), "the manifest has"},
		"end before the start":     {reserve(rundoc.SequenceSpan{First: 10, Last: 9}), "10 to 9 are out of place"},
		"beyond the last sequence": {reserve(rundoc.SequenceSpan{First: 43, Last: 52}), "43 to 52 are out of place"},
		"overlapping ranges":       {reserve(rundoc.SequenceSpan{First: 10, Last: 14}, rundoc.SequenceSpan{First: 14, Last: 18}), "14 to 18 are out of place"},
		"more arrived than unsure": {func(d *rundoc.UpdatesDetail) { d.Manifest.Publishers[1].Arrived = []uint64{1, 2, 3} }, "2 sequences are unsure and 3 of them arrived"},
		"negative number of keys":  {func(d *rundoc.UpdatesDetail) { d.Manifest.Live = -1 }, "-1 keys"},
		"unreadable end-to-end":    {func(d *rundoc.UpdatesDetail) { d.Stage(rundoc.StageE2EScheduled).Summary.HDR = "x" }, "the stage end to end, from the schedule"},
		"unreadable due times, too": {func(d *rundoc.UpdatesDetail) {
			soundDue(t, d, base)
			d.Stage(rundoc.StageE2EScheduled).Summary.HDR = "x"
		}, "the stage end to end, from the schedule"},
	} {
		t.Run(name, func(t *testing.T) {
			checkReason(t, edited(t, base, tt.edit), tt.want)
		})
	}
}

func TestJudgeNamesTheTimesOfPublishingIfUpdatesAreMissing(t *testing.T) {
	run := soundRun(t)
	unsend(t, run, 50)
	run.Workload = rundoc.WorkloadUpdates
	run.Detail = soundUpdates(t, run)
	reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
	if want := "the publish times cover only the rest"; !strings.Contains(reasons, want) {
		t.Errorf("reasons: %q, want %q", reasons, want)
	}
}

func TestJudgeUpdatesWithoutAnyRelatedClock(t *testing.T) {
	run := updatesRun(t, func(d *rundoc.UpdatesDetail) {
		apart(d)
		d.NoClock = d.Stage(rundoc.StageApply).Summary.Count
		for _, name := range []string{rundoc.StageTransit, rundoc.StageE2ESent, rundoc.StageE2EScheduled} {
			*d.Stage(name) = rundoc.UpdateStage{}
		}
	})
	reasons := rundoc.Judge(run).Reasons
	if len(reasons) != 1 || !strings.HasPrefix(reasons[0], "The clocks of publisher and server could not be compared for") {
		t.Errorf("reasons: %q, want the missing times only", reasons)
	}
	if got := (rundoc.UpdateClock{Shared: true, BoundNS: 5}).Uncertainty(); got != 0 {
		t.Errorf("Uncertainty() of a shared clock = %v, want 0", got)
	}
	if got := (rundoc.UpdateClock{BoundNS: 5, DriftNS: -3}).Uncertainty(); got != 8 {
		t.Errorf("Uncertainty() = %v, want 8", got)
	}
}

func TestUnseenBatchesAreThoseNoReadFound(t *testing.T) {
	if got := (&rundoc.ReadBatches{Batches: 9, Seen: 7}).Unseen(); got != 2 {
		t.Errorf("Unseen() = %d, want 2", got)
	}
}

func TestDueBatchesWithoutTimes(t *testing.T) {
	b, err := rundoc.NewDueBatches(9, 1000, nil, rundoc.Fates{Received: 4, Lost: 2, NeverPublished: 1, Unknown: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := rundoc.DueBatches{Batches: 9, WithinNS: 1000, Lost: 2, NeverPublished: 2, Unknown: 5, Untimed: 4}
	if *b != want {
		t.Errorf("NewDueBatches = %+v, want %+v", *b, want)
	}
	if got := b.Times(); got.Count != 5 || got.P50NS != nil || got.MaxNS != 0 {
		t.Errorf("Times() = %+v, want 5 batches without times", got)
	}
	broken := timed([]int64{5})
	broken.Summary.HDR = "x"
	if b, err := rundoc.NewDueBatches(9, 1000, broken, rundoc.Fates{Received: 1}); err == nil {
		t.Errorf("NewDueBatches with an unreadable histogram = %+v, want an error", b)
	}
	whole, err := rundoc.NewDueBatches(2, 1000, timed([]int64{5, 7}), rundoc.Fates{Received: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := whole.Times().MaxNS; got != 7 {
		t.Errorf("Times().MaxNS = %d, want 7", got)
	}
}

func TestJudgeDueBatchesIfTheServerWasNotAsked(t *testing.T) {
	checkReason(t, updatesRun(t, func(d *rundoc.UpdatesDetail) {
		run := updatesRun(t, nil)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		d.Stages, d.Series, d.AppliedPerS, d.Receives, d.Messages = d.Stages[:1], nil, 0, 0, 0
		d.Proof = &rundoc.Proof{Published: d.Proof.Published, Expected: d.Proof.Expected, Problems: []string{"It could not be asked."}}
		if d.Due, err = rundoc.NewDueBatches(total.Scheduled, 1e9, nil, rundoc.Fates{Unknown: total.OK}); err != nil {
			t.Fatal(err)
		}
	}), "")
}
