package rundoc_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// timesOf are the times of a slice, in ns.
func timesOf(times ...int64) rundoc.SliceTimes {
	h := rundoc.NewSliceHistogram()
	for _, t := range times {
		if err := h.RecordValue(t); err != nil {
			panic(err)
		}
	}
	return rundoc.SummarizeSlice(h)
}

// withCourse adds to a sound document what its points tell of the load, and slices.
func withCourse(t testing.TB) *rundoc.Run {
	run := soundRun(t)
	for i := range run.Series {
		run.Series[i].Offered = new(int64(300))
	}
	run.Series[2].Causes = []rundoc.Cause{{Cause: "reset", Count: 7}, {Cause: rundoc.OtherCauses, Count: 3}}
	run.Series[4].Causes = []rundoc.Cause{{Cause: "reset", Count: 5}}
	run.Series[4].OwnP99NS = 3 * ms
	run.Generator.OwnDelay = new(summaryOf(t, count(2996)...))
	run.Slices = []rundoc.Slice{
		{FromS: 0, Seconds: 2, ResponseTime: timesOf(count(1998)...)},
		{FromS: 2, Seconds: 2},
		{FromS: 4, Seconds: 6, ResponseTime: timesOf(count(998)...)},
	}
	return run
}

func TestJudgeChecksSlices(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*rundoc.Run)
		say  string // part of the first reason; "" for none
	}{
		{"sound", func(*rundoc.Run) {}, ""},
		{"none of it", func(r *rundoc.Run) { r.Slices, r.Series = nil, nil }, ""},
		{"points of two seconds", func(r *rundoc.Run) { inPairs(r) }, ""},
		{"points that overlap", func(r *rundoc.Run) { r.Series[3].Seconds = 2 },
			"series: second 4 follows second 4"},
		{"a point that is longer than the window", func(r *rundoc.Run) { r.Series[9].Seconds = 2 },
			"series: second 9 follows second 8 in a window of 10.0 s"},
		{"a point of less than no time", func(r *rundoc.Run) { r.Series[9].Seconds = -1 }, "series: second 9 follows"},

		{"one offered too many", func(r *rundoc.Run) { *r.Series[3].Offered++ },
			"series: 10 of 10 points have the offered load, 3001 operations in total, but 3000 were scheduled"},
		{"offered in some seconds", func(r *rundoc.Run) { *r.Series[3].Offered, r.Series[4].Offered = 600, nil },
			"series: 9 of 10 points"},
		{"less than none offered", func(r *rundoc.Run) { *r.Series[3].Offered, *r.Series[4].Offered = -1, 601 },
			"offered in second 3 are negative"},

		{"a cause too often", func(r *rundoc.Run) { r.Series[4].Causes[0].Count = 6; r.Series[2].Causes[1].Count = 2 },
			`series: it has 13 attempts that failed by "reset", and the operations have 12`},
		{"a cause of nobody", func(r *rundoc.Run) { r.Series[4].Causes[0].Cause = "protocol" },
			"series: 15 attempts failed, by 1 causes that the operations do not have; those have 16"},
		{"other causes too often", func(r *rundoc.Run) { r.Series[2].Causes[1].Count = 5 }, "series: 17 attempts failed"},
		{"a cause that is called as the others", func(r *rundoc.Run) {
			r.Series[2].Causes[1].Count = 4
			for i := range r.Operations {
				r.Operations[i].Causes = []rundoc.Cause{{Cause: rundoc.OtherCauses, Count: 1}, {Cause: "timeout", Count: 1},
					{Cause: "reset", Count: 6}}
			}
		}, ""},
		{"a cause that never came", func(r *rundoc.Run) { r.Series[4].Causes[0].Count = 0 }, `the cause "reset" 0 times`},
		{"no name", func(r *rundoc.Run) { r.Series[4].Causes[0].Cause = "" },
			"attribution: a failed attempt of second 4 has no cause"},
		{"too many causes", func(r *rundoc.Run) {
			r.Series[4].Causes = slices.Repeat([]rundoc.Cause{{Cause: "timeout", Count: 1}}, 10)
		}, "series: second 4 has 10 causes, more than 9"},

		{"own delay just possible", func(r *rundoc.Run) { r.Series[4].OwnP99NS = r.Generator.OwnDelay.MaxNS / 100 * 103 }, ""},
		{"own delay too long", func(r *rundoc.Run) { r.Series[4].OwnP99NS = r.Generator.OwnDelay.MaxNS / 100 * 105 },
			"series: the generator delay of second 4 has a p99 of 3.15 ms"},
		{"own delay of less than nothing", func(r *rundoc.Run) { r.Series[4].OwnP99NS = -1 }, "the generator delay of second 4"},

		{"a second in which nothing ran", func(r *rundoc.Run) { r.Series[4].GapNS = 1000 * ms }, ""},
		{"a longer gap than a second", func(r *rundoc.Run) { r.Series[4].GapNS = 1000*ms + 1 },
			"series: from second 4 the generator was paused for 1.00 s, of 1 s"},
		{"a gap of less than nothing", func(r *rundoc.Run) { r.Series[4].GapNS = -1 }, "series: from second 4 the generator"},

		{"slices that overlap", func(r *rundoc.Run) { r.Slices[2].FromS = 3 },
			"slices: one of 6 s from second 3 follows second 4"},
		{"slices beyond the end", func(r *rundoc.Run) { r.Slices[2].Seconds = 7 }, "slices: one of 7 s from second 4"},
		{"a slice of no time", func(r *rundoc.Run) { r.Slices[1].Seconds = 0 }, "slices: one of 0 s"},
		{"a slice before the start", func(r *rundoc.Run) { r.Slices[0].FromS = -2 }, "slices: one of 2 s from second -2"},
		{"a slice is missing", func(r *rundoc.Run) { r.Slices = r.Slices[:2] },
			"slices: they have 1998 response times, but the operations have 2996"},
		{"all slices are empty", func(r *rundoc.Run) { r.Slices = r.Slices[1:2] }, "slices: they have 0 response times"},
		{"other times", func(r *rundoc.Run) { r.Slices[2].ResponseTime = r.Slices[0].ResponseTime },
			"slices: they have 3996 response times"},
		{"slower times", func(r *rundoc.Run) {
			r.Slices[0].ResponseTime = timesOf(count(2200)[202:]...)
		}, "slices: the p50 of all is "},
		{"another count", func(r *rundoc.Run) { r.Slices[0].ResponseTime.Count++ },
			"slices: the response times from second 0: histogram: holds 1998 observations, but the summary counts 1999"},
		{"a finer histogram", func(r *rundoc.Run) {
			s := summaryOf(t, count(1998)...)
			r.Slices[0].ResponseTime.HDR = s.HDR
		}, "has 3 significant digits and the unit 1 ns, not 2 and 128 ns"},
		{"no histogram", func(r *rundoc.Run) { r.Slices[0].ResponseTime.HDR = "" }, "has no histogram"},
		{"too many slices", func(r *rundoc.Run) { r.Slices = slices.Repeat(r.Slices, 41) },
			"slices: there are 123, more than 120"},
	} {
		run := withCourse(t)
		tt.edit(run)
		v := rundoc.Judge(run)
		if first := strings.Join(v.Reasons, "\n"); v.Broken() != (tt.say != "") || !strings.Contains(first, tt.say) {
			t.Errorf("%s: %s %q, want %q", tt.name, v.Validity, v.Reasons, tt.say)
		}
	}
}

// inPairs makes one point of each two seconds.
func inPairs(run *rundoc.Run) {
	var pairs []rundoc.Point
	for i := 0; i < len(run.Series); i += 2 {
		p, q := run.Series[i], run.Series[i+1]
		p.Seconds, p.OK, p.Failed, p.Bytes = 2, p.OK+q.OK, p.Failed+q.Failed, p.Bytes+q.Bytes
		if p.Offered != nil {
			p.Offered = new(*p.Offered + *q.Offered)
		}
		p.Causes = append(p.Causes, q.Causes...)
		pairs = append(pairs, p)
	}
	run.Series = pairs
}

// TestWarnsOfDeadPointsOfTwoSeconds tells of those in which nothing ended ok.
func TestWarnsOfDeadPointsOfTwoSeconds(t *testing.T) {
	run := soundRun(t)
	inPairs(run)
	run.Series[2].OK = 0
	want := "in 2 s of 10, first 4 s after the start"
	for _, w := range rundoc.Warnings(run) {
		if w.Code == rundoc.WarnDeadSeconds && strings.Contains(w.Message, want) {
			return
		}
	}
	t.Errorf("%+v", rundoc.Warnings(run))
}

// TestPointsBeforeTheStartAreIgnored has one from long before it, which must not be walked through.
func TestPointsBeforeTheStartAreIgnored(t *testing.T) {
	run := soundRun(t)
	run.Series[2].Second, run.Series[2].Seconds = math.MinInt64, 1
	if w := rundoc.Warnings(run); len(w) == 0 || w[0].Code != rundoc.WarnDeadSeconds || !strings.Contains(w[0].Message, "in 1 s") {
		t.Errorf("%+v", w)
	}
}

func BenchmarkJudgeSlices(b *testing.B) {
	run := withCourse(b)
	run.Slices = slices.Repeat(run.Slices[1:2], rundoc.MaxSlices)
	run.Ledger.WindowNS = 240_000 * ms
	for i := range run.Slices {
		run.Slices[i].FromS = 2 * int64(i)
		run.Slices[i].ResponseTime = timesOf(count(1000)...)
	}
	for b.Loop() {
		rundoc.Judge(run)
	}
}
