package rundoc_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestJudgeChecksGeneratorMeasurements breaks each law of what the instrument measured of itself.
func TestJudgeChecksGeneratorMeasurements(t *testing.T) {
	op := func(r *rundoc.Run) *rundoc.Operation { return &r.Operations[0] }
	free := func(r *rundoc.Run) *rundoc.Summary { return op(r).ResponseTime.Free }
	for name, tt := range map[string]struct {
		edit func(*rundoc.Run)
		say  string // "" for none
	}{
		"none": {func(*rundoc.Run) {}, ""},
		"another count": {func(r *rundoc.Run) { *free(r) = summaryOf(t, count(7)...) },
			"the corrected response time of send type=TEXT counts 7 operations, but 1998 including the generator delay"},
		"a free minimum above": {func(r *rundoc.Run) { free(r).MinNS = op(r).ResponseTime.MinNS * 101 / 100 }, "the minimum"},
		"a free time above": {func(r *rundoc.Run) {
			op(r).ServiceTime.Free = new(summaryOf(t, slices.Repeat([]int64{11 * ms}, 1998)...))
		}, "the corrected service time of send type=TEXT: the minimum of 11.0 ms is larger than including the generator delay, 10.0 ms"},
		"free of free":       {func(r *rundoc.Run) { free(r).Free = &rundoc.Summary{} }, "corrected values of corrected values"},
		"free first attempt": {func(r *rundoc.Run) { op(r).FirstAttempt.Free = free(r) }, "only response and service time can"},
		"a histogram of others": {func(r *rundoc.Run) { free(r).HDR = summaryOf(t, count(1998)...).HDR },
			"by its histogram"},
		"own delays that are too few": {func(r *rundoc.Run) { r.Generator.OwnDelay = new(summaryOf(t, 4*ms)) },
			"generator delay: it counts 1 operations, but the response times 2996"},
		"own time that is another":      {func(r *rundoc.Run) { r.Generator.OwnTimeNS += 10_000 }, "the generator delays sum to"},
		"response time that is another": {func(r *rundoc.Run) { r.Generator.ResponseTimeNS -= 10_000 }, "the response times sum to"},
		"a run delay below zero":        {func(r *rundoc.Run) { r.Generator.RunDelayNS = new(int64(-1)) }, "negative time"},
		"throttled, as a group with others may be": {func(r *rundoc.Run) {
			r.Generator.ThrottledNS = new(int64(24_000 * ms))
		}, ""},
		"a share of more than all":      {func(r *rundoc.Run) { r.Generator.Processors = []float64{0.5, 1.2} }, "1.2 is not a share"},
		"gaps that sum to less":         {func(r *rundoc.Run) { r.Generator.Hiccups.GapsNS = 91 * ms }, "the longest gaps sum to 90.0 ms"},
		"a collection of more than all": {func(r *rundoc.Run) { r.Generator.GCShare = 1.01 }, "1.01 is not a share of its CPU time"},
		"a pacing that is none":         {func(r *rundoc.Run) { r.Generator.Pacing = "hover" }, "unknown pacing"},
		"more stamps than attempts": {func(r *rundoc.Run) { r.Generator.Stamps = &rundoc.Stamps{Used: 3_000, Missing: 11} },
			"3011 arrivals with or without a timestamp, but 3010 attempts"},
		"as many stamps as attempts": {func(r *rundoc.Run) { r.Generator.Stamps = &rundoc.Stamps{Used: 3_000, Missing: 10} }, ""},
		"starts later than the latest": {func(r *rundoc.Run) { delayed(t, r); r.Generator.SendDelayP99NS = 2_010_000 },
			"the p99 of the send delay is 2.01 ms"},
		"own starts later than the latest, of rejected ones": {func(r *rundoc.Run) {
			delayed(t, r)
			r.Generator.OwnDelayP99NS = 2_010_000
		}, ""},
		"stamps below zero":            {func(r *rundoc.Run) { r.Generator.Stamps = &rundoc.Stamps{Refused: -1} }, "a count of timestamps"},
		"long gaps of more than all":   {func(r *rundoc.Run) { r.Generator.Hiccups.LongNS = 201 * ms }, "hiccups: 3 gaps"},
		"more gaps than wake-ups":      {func(r *rundoc.Run) { r.Generator.Hiccups.Gaps = 106 }, "hiccups: 106 gaps"},
		"gaps of more than the window": {func(r *rundoc.Run) { r.Generator.Hiccups.GapsNS = 11_001 * ms }, "of 11.0 s"},
		"gaps that are not in order":   {func(r *rundoc.Run) { r.Generator.Hiccups.Longest[1].AtNS = 1 }, "out of order"},
		"a gap behind the window":      {func(r *rundoc.Run) { r.Generator.Hiccups.Longest[2].AtNS = 11_002 * ms }, "outside the window"},
		"gaps that sum to more":        {func(r *rundoc.Run) { r.Generator.Hiccups.Longest[2].NS *= 2 }, "the longest gaps sum to"},
		"gaps that sum to more than fits": {func(r *rundoc.Run) {
			r.Generator.Hiccups.Longest = []rundoc.Gap{{AtNS: 0, NS: math.MaxInt64}, {AtNS: 1, NS: math.MaxInt64}}
		}, "out of order"},
		"more gaps than are listed": {func(r *rundoc.Run) {
			h := r.Generator.Hiccups
			for len(h.Longest) <= rundoc.MaxGaps {
				h.Longest = append(h.Longest, h.Longest[2])
			}
		}, "101 gaps are listed, more than 100"},
		"long gaps that are short": {func(r *rundoc.Run) { r.Generator.Hiccups.Long = 1 }, "1 gaps of 50.0 ms or more, of 3,"},
		"fewer long gaps than are listed": {func(r *rundoc.Run) {
			stopped(t, r, 60*ms, 60*ms, 10*ms)
			r.Generator.Hiccups.Long = 1
		}, "and 2 of them are listed"},
		"long gaps that are counted": {func(r *rundoc.Run) {
			stopped(t, r, 60*ms, 60*ms, 10*ms)
			r.Generator.Hiccups.Long = 2
		}, ""},
		"more in flight than can be":      {func(r *rundoc.Run) { r.Little.InFlightSampled = 33 }, "cannot be of 32 slots"},
		"a variance that cannot be":       {func(r *rundoc.Run) { r.Little.Variance = 260 }, "cannot be of 32 slots"},
		"slots that the clients have not": {func(r *rundoc.Run) { r.Little.Slots = 33 }, "cannot be of 33 slots of 32 clients"},
		"dropped below zero":              {func(r *rundoc.Run) { r.Little.Dropped = -1 }, "are invalid"},
		"totals without the free times":   {func(r *rundoc.Run) { r.Total.ResponseTime.Free = nil }, "invariant violated: totals"},
	} {
		run := ownRun(t, watched(soundRun(t)), all(10*ms, 1*ms))
		stopped(t, run, 30*ms, 30*ms, 30*ms)
		run.Little = rundoc.Little{InFlightSampled: 30, InFlightPredicted: 30, Samples: 1000, Variance: 2, Slots: 32}
		run.Conclude()
		tt.edit(run)
		got := rundoc.Judge(run)
		text := strings.Join(got.Reasons, "\n")
		if (got.Validity == rundoc.Invalid) != (tt.say != "") || !strings.Contains(text, tt.say) {
			t.Errorf("%s: %s: %s", name, got.Validity, text)
		}
	}
}

// The free times of all operations are merged like the raw ones, and the totals have them without a histogram.
func TestFreeTimesAreMerged(t *testing.T) {
	run := ownRun(t, soundRun(t), func(i int) (int64, int64) { return int64(i+1) * 2_000, int64(i+1) * 1_000 })
	sum, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if f := sum.ResponseTime.Free; f == nil || f.Count != sum.ResponseTime.Count || f.MinNS != 1000 ||
		f.MaxNS != sum.ResponseTime.MaxNS/2 || f.HDR == "" {
		t.Errorf("%+v", f)
	}
	run.Conclude()
	if f := run.Total.ServiceTime.Free; f == nil || f.HDR != "" || f.P99NS == nil {
		t.Errorf("%+v", f)
	}
	run.Operations[1].ResponseTime.Free = nil
	if sum, err = run.Totals(); err != nil || sum.ResponseTime.Free != nil || sum.ServiceTime.Free == nil {
		t.Errorf("with one that has none: %+v, %v", sum.ResponseTime.Free, err)
	}
}
