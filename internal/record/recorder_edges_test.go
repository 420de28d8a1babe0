package record

import (
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What an operation counts to in a window from 1000 to 3000, one of the window's own or one that was carried in.
func TestEdgesOfWhatAnOperationCountsTo(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	type counts struct{ OK, Failed, Unfinished, Bytes, Attempts, Retries, First, Times, Carried, Rate, Inside int64 }
	for i, tt := range []struct {
		carried bool
		o       Operation
		want    counts
	}{
		{false, Operation{Start: 1000, End: 3000, Attempts: 1, FirstKept: true, Bytes: 7},
			counts{OK: 1, Bytes: 7, Attempts: 1, First: 1, Times: 1, Rate: 1, Inside: 2000}},
		{false, Operation{Start: 900, End: 3001, Attempts: 2, FirstKept: true, Bytes: 7},
			counts{OK: 1, Bytes: 7, Attempts: 2, Retries: 1, First: 1, Times: 1, Inside: 2000}},
		{false, Operation{Start: 3200, End: 3300, Attempts: 3}, counts{OK: 1, Attempts: 3, Retries: 2, Times: 1}},
		{false, Operation{Start: 1500, End: 1501, Attempts: 1, Outcome: Failed, Bytes: 7}, counts{Failed: 1, Attempts: 1, Inside: 1}},
		{false, Operation{Start: 1500, End: 1501, Attempts: 1, Outcome: Failed, Unanswered: true},
			counts{Failed: 1, Attempts: 1, First: 1, Times: 1, Inside: 1}},
		{false, Operation{Start: 2500, End: 2600, Attempts: 1, Outcome: Unfinished},
			counts{Unfinished: 1, Attempts: 1, Times: 1, First: 1, Inside: 100}},
		{true, Operation{Start: 500, End: 1000}, counts{}},
		{true, Operation{Start: 500, End: 1001, Bytes: 7}, counts{Carried: 1, Rate: 1, Inside: 1}},
		{true, Operation{Start: 1000, End: 3000}, counts{Carried: 1, Rate: 1, Inside: 2000}},
		{true, Operation{Start: 2999, End: 3001}, counts{Inside: 1}}, {true, Operation{Start: 3000, End: 3001}, counts{}},
		{true, Operation{Start: 500, End: 1200, Outcome: Failed}, counts{Carried: 1, Inside: 200}},
		{true, Operation{Start: 500, End: 1200, Outcome: Unfinished}, counts{Inside: 200}},
	} {
		r := New(Config{Kinds: []Kind{{}}, Groups: 1, Start: 1000, Series: true})
		r.End(3000)
		tt.o.Intended, tt.o.Ready = tt.o.Start, tt.o.Start
		if tt.carried {
			r.Carry(0, &tt.o)
		} else {
			r.Record(0, &tt.o)
		}
		run := runOf(r, Kind{})
		run.Start, run.End = 1000, 3000
		o, inside, bytes := run.counted(0)
		if err := (timed{run: run, kinds: []int{0}}).fill(&o, everyTime); err != nil {
			t.Fatal(err)
		}
		got := counts{OK: o.OK, Failed: o.Failed, Unfinished: o.Unfinished, Bytes: o.Bytes, Attempts: o.Attempts, Retries: o.Retries,
			First: o.FirstAttempt.Count, Times: o.ServiceTime.Count, Carried: o.Carried, Rate: inside, Inside: r.shards[0].inside.Load()}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		group := run.Groups()[0]
		if bytes != inside*tt.o.Bytes || r.Inside() != inside || group.Rate != float64(inside)/2e-6 || group.OK != o.OK || group.Failed != o.Failed ||
			group.Times != o.ServiceTime.Count || r.OK() != o.OK || r.Ended() != o.OK+o.Failed {
			t.Errorf("%d: %d bytes, %d inside, %+v", i, bytes, r.Inside(), group)
		}
	}
}

// The stages of an attempt are those of what ended ok, where they are known.
func TestEdgesOfStages(t *testing.T) {
	for i, tt := range []struct {
		kind    int
		outcome Outcome
		known   bool
		want    int64
	}{{1, OK, true, 1}, {1, OK, false, 0}, {1, Failed, true, 0}, {1, Unfinished, true, 0}, {0, OK, true, 0}} {
		r := New(Config{Kinds: []Kind{{}, {Stages: true}}})
		r.Record(0, &Operation{Kind: tt.kind, Outcome: tt.outcome, Attempts: 1, End: 9, Stages: Stages{Known: tt.known, Send: 2, Wait: 3, Body: 4}})
		s, err := timed{run: runOf(r, Kind{}, Kind{Stages: true}), kinds: []int{1}, plain: true}.stages()
		if err != nil || s.Send.Count != tt.want || s.Wait.Count != tt.want || s.Body.Count != tt.want ||
			tt.want > 0 && (s.Send.MaxNS != 2 || s.Wait.MaxNS != 3 || s.Body.MaxNS != 4) {
			t.Errorf("%d: %+v, %v", i, s, err)
		}
	}
}

// A phase begins and ends when it is said to, and a cause on the stroke of its end or before is one of its last second.
func TestEdgesOfAPhase(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	r := New(Config{Kinds: []Kind{{}, {}}, Series: true})
	r.Begin(5e9)
	r.Cause(1, "before", 4e9)
	r.Cause(1, "within", 6e9)
	r.End(7e9)
	r.Cause(0, "stroke", 7e9)
	r.Cause(0, "behind", 7e9+1)
	r.Record(0, &Operation{Kind: 1, Attempts: 1, Intended: 5e9, Start: 5e9, End: 6.5e9})
	run := runOf(r, Kind{}, Kind{})
	run.Start, run.End = 5e9, 7e9
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	type causes = []rundoc.Cause
	for i, want := range []causes{{{Cause: "before", Count: 1}}, {{Cause: "stroke", Count: 1}, {Cause: "within", Count: 1}}} {
		if p := doc.Series[i]; !cmp.Equal(causes(p.Causes), want) || p.OK != int64(i) || *p.Offered != int64(1-i) {
			t.Errorf("second %d: %+v", i, p)
		}
	}
	for i, want := range []causes{{{Cause: "behind", Count: 1}, {Cause: "stroke", Count: 1}}, {{Cause: "before", Count: 1}, {Cause: "within", Count: 1}}} {
		if !cmp.Equal(causes(doc.Operations[i].Causes), want) {
			t.Errorf("kind %d: %+v", i, doc.Operations[i].Causes)
		}
	}
	if r.Failures() != 4 {
		t.Errorf("%d attempts failed", r.Failures())
	}
	// Of times that are no series neither is there one of causes, and a mean and a median there are nevertheless.
	r = New(Config{Kinds: []Kind{{}, {}}})
	r.Begin(5)
	r.Cause(0, "a", 6)
	for kind, took := range []int64{100, 200} {
		r.Record(kind, &Operation{Kind: kind, Attempts: 1, End: took})
		r.Record(kind, &Operation{Kind: kind, Attempts: 2, End: 10 * took})
	}
	if r.Mean() != 3300/4 || r.Median() != 200 || r.ServiceTime() != 3300 || r.OK() != 4 {
		t.Errorf("mean %d, median %d, in all %d", r.Mean(), r.Median(), r.ServiceTime())
	}
}

// A recorder is made for as many processors as there are, and leaves it at that.
func TestEdgesOfShards(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if r := New(Config{}); runtime.GOMAXPROCS(0) != 3 || len(r.shards) != 3 {
		t.Errorf("%d shards, and %d processors of 3", len(r.shards), runtime.GOMAXPROCS(0))
	}
}

// Times below 0 count as none.
func TestEdgesOfDistributions(t *testing.T) {
	for ns, want := range map[int64]int64{-5: 0, 0: 0, 1: 1} {
		d, o := NewDistribution(), NewOrdered()
		d.Add(ns)
		o.Add(ns)
		for _, sum := range []func() (*rundoc.Summary, error){d.Summary, o.Summary} {
			if s, err := sum(); err != nil || s.Count != 1 || s.MinNS != want || s.MaxNS != want || s.MeanNS != want {
				t.Errorf("%d: %+v, %v", ns, s, err)
			}
		}
	}
}

// Bare numbers of times: their quantiles, and their buckets of so many to a doubling, which become wider where they are
// more than they may be.
func TestEdgesOfBareBuckets(t *testing.T) {
	b := Buckets{Count: 10, List: []Bucket{{2, 4, 2}, {10, 12, 3}, {100, 110, 5}}}
	for q, want := range map[float64]time.Duration{0: 3, 0.1: 3, 0.2: 3, 0.21: 11, 0.5: 11, 0.51: 105, 1: 105, 1.2: 0} {
		if got := b.Quantile(q); got != want {
			t.Errorf("quantile %v: %d", q, got)
		}
	}
	if (Buckets{}).Quantile(0.5) != 0 {
		t.Error("nothing has a median")
	}
	if got := (Bucket{From: 3e9, To: 3e9 + 1}).Middle(); got != 3 {
		t.Errorf("a bucket of 3 s has its middle at %v", got)
	}
	const s, half = int64(1e9), int64(5e8)
	b = Buckets{List: []Bucket{{0, 1, 5}, {half / 2, half/2 + 1, 1}, {s, s + 1, 3}, {3 * half, 3*half + 1, 1}, {2 * s, 2*s + 1, 1}, {4 * s, 4*s + 1, 2}}}
	for _, tt := range []struct {
		scale, most, at int
		counts          map[int]int64
	}{
		{0, 4, 0, map[int]int64{-2: 1, 0: 3, 1: 2, 2: 2}}, {0, 3, -1, map[int]int64{-1: 1, 0: 3, 1: 4}}, {0, 2, -2, map[int]int64{0: 4, 1: 4}},
		{1, 5, 1, map[int]int64{-4: 1, 0: 3, 2: 2, 4: 2}}, {2, 5, 2, map[int]int64{-8: 1, 0: 3, 3: 1, 4: 1, 8: 2}},
		{2, 4, 1, map[int]int64{-4: 1, 0: 3, 2: 2, 4: 2}},
	} {
		at, counts, none := b.Exponential(tt.scale, tt.most)
		if diff := cmp.Diff(tt.counts, counts); diff != "" || at != tt.at || none != 5 {
			t.Errorf("scale %d, %d at most: %d, %d of no time, %s", tt.scale, tt.most, at, none, diff)
		}
	}
	h := newHist(fine)
	for _, ns := range []int64{0, 7, 7, 5000} {
		h.add(ns)
	}
	want := Buckets{Count: 4, SumNS: 5014, List: []Bucket{{0, 1, 1}, {7, 8, 2}, {5000, 5004, 1}}}
	if diff := cmp.Diff(want, merge(h).buckets()); diff != "" {
		t.Error(diff)
	}
}
