package rundoc_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

// timed is a stage with these durations; those below zero count as the lowest.
func timed(durations []int64) *rundoc.UpdateStage {
	h, exact := hdrhistogram.New(1, 1<<40, 3), rundoc.Exact{Min: math.MaxInt64}
	var s rundoc.UpdateStage
	for _, v := range durations {
		if v < 0 {
			s.Negative, s.NegativeMin = s.Negative+1, min(s.NegativeMin, v)
			continue
		}
		_ = h.RecordValue(v)
		exact.Min, exact.Max, exact.Sum = min(exact.Min, v), max(exact.Max, v), exact.Sum+v
	}
	s.Summary = rundoc.Summarize(h, exact)
	return &s
}

// TestDueBatchPercentilesCountAbsentBatchesAsSlowest holds the percentiles against a list in which what did not arrive stands last.
func TestDueBatchPercentilesCountAbsentBatchesAsSlowest(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		// Below 2,048 ns a histogram of three digits is exact.
		var all []int64
		for range r.IntN(3000) {
			all = append(all, r.Int64N(2000)-r.Int64N(2)*r.Int64N(300))
		}
		f := rundoc.Fates{Received: int64(len(all)), Lost: r.Int64N(2) * r.Int64N(200), NeverPublished: r.Int64N(2) * r.Int64N(2000),
			Unknown: r.Int64N(2) * r.Int64N(50)}
		unsent := r.Int64N(2) * r.Int64N(100)
		due := f.Received + f.Lost + f.NeverPublished + f.Unknown + unsent
		within := r.Int64N(2000)
		b, err := rundoc.NewDueBatches(due, within, timed(all), f)
		if err != nil {
			t.Fatal(err)
		}
		inTime := int64(0)
		for _, v := range all {
			if v <= within {
				inTime++
			}
		}
		if b.InTime+b.Late+b.Lost+b.NeverPublished+b.Unknown != due || b.InTime != inTime || b.Untimed != 0 ||
			b.NeverPublished != f.NeverPublished+unsent {
			t.Fatalf("%d due, %d in time, %+v: %+v", due, inTime, f, b)
		}
		slices.Sort(all)
		for _, p := range []struct {
			permille int64
			got      *int64
		}{{500, b.P50NS}, {900, b.P90NS}, {950, b.P95NS}, {990, b.P99NS}, {999, b.P999NS}} {
			above := due * (1000 - p.permille) / 1000
			rank := max(1, int64(float64(p.permille)/10/100*float64(due)+0.5))
			never := rank > int64(len(all))
			switch {
			case len(all) == 0, above < rundoc.MinAbove, never, all[rank-1] < 0:
				if p.got != nil {
					t.Fatalf("p%d of %d is %d", p.permille, due, *p.got)
				}
			case p.got == nil || *p.got != all[rank-1]:
				t.Fatalf("p%d of %d is %v, want %d", p.permille, due, p.got, all[rank-1])
			}
			if len(all) > 0 && b.Never(p.permille) != (above >= rundoc.MinAbove && never) {
				t.Fatalf("p%d of %d, of which %d arrived: never is %v", p.permille, due, len(all), b.Never(p.permille))
			}
		}
		if whole := due == int64(len(all)) && due > 0 && all[due-1] >= 0; (b.MaxNS != nil) != whole || whole && *b.MaxNS != all[due-1] {
			t.Fatalf("%d of %d arrived, max %v", len(all), due, b.MaxNS)
		}
	}
}

// TestDueBatchesCountLateArrivalsOnce: more batches may be timed than a server named before.
func TestDueBatchesCountLateArrivalsOnce(t *testing.T) {
	for _, c := range []struct{ before, want rundoc.Fates }{
		{rundoc.Fates{Received: 2, Unknown: 6}, rundoc.Fates{Received: 5, Unknown: 3}},
		{rundoc.Fates{Received: 2, Unknown: 2, Lost: 4}, rundoc.Fates{Received: 5, Lost: 3}},
		{rundoc.Fates{Received: 4, NeverPublished: 4}, rundoc.Fates{Received: 5, NeverPublished: 3}},
		{rundoc.Fates{Received: 5, Unknown: 1, Lost: 1, NeverPublished: 1},
			rundoc.Fates{Received: 5, Unknown: 1, Lost: 1, NeverPublished: 1}},
	} {
		b, err := rundoc.NewDueBatches(9, 10, timed([]int64{1, 2, 3, 40, 50}), c.before)
		if err != nil {
			t.Fatal(err)
		}
		if b.InTime != 3 || b.Late != 2 || b.Untimed != 0 || b.Unknown != c.want.Unknown || b.Lost != c.want.Lost ||
			b.NeverPublished != c.want.NeverPublished+1 {
			t.Errorf("%+v: %+v", c.before, b)
		}
	}
}

// soundDue is the account of updatesRun, of which all was in time.
func soundDue(t testing.TB, d *rundoc.UpdatesDetail, run *rundoc.Run) {
	total, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	n := d.Stage(rundoc.StageE2EScheduled).Summary.Count
	b, err := rundoc.NewDueBatches(total.Scheduled, 1e9, d.Stage(rundoc.StageE2EScheduled), rundoc.Fates{Received: n})
	if err != nil {
		t.Fatal(err)
	}
	d.Due = b
}

// TestJudgeChecksDueBatches breaks each of them.
func TestJudgeChecksDueBatches(t *testing.T) {
	base := updatesRun(t, nil)
	soundDue(t, base.Updates(), base)
	for _, c := range []struct {
		name string
		edit func(d *rundoc.UpdatesDetail)
		says string // "": no law is broken
	}{
		{"sound", func(*rundoc.UpdatesDetail) {}, ""},
		{"a document of before", func(d *rundoc.UpdatesDetail) { d.Due = nil }, ""},
		{"one too many", func(d *rundoc.UpdatesDetail) { d.Due.Late++ }, "batches were due, but"},
		{"one hidden", func(d *rundoc.UpdatesDetail) { d.Due.InTime-- }, "batches were due, but"},
		{"negative", func(d *rundoc.UpdatesDetail) { d.Due.Lost--; d.Due.Unknown++ }, "-1 lost"},
		{"a bound below zero", func(d *rundoc.UpdatesDetail) { d.Due.WithinNS = -1 }, "batches were due, but"},
		{"more untimed than unknown", func(d *rundoc.UpdatesDetail) { d.Due.Untimed = 1 }, "1 of them untimed"},
		{"more was due than was scheduled", func(d *rundoc.UpdatesDetail) { d.Due.Batches++; d.Due.InTime++ }, "the operations are"},
		{"published, and told never", func(d *rundoc.UpdatesDetail) { d.Due.InTime--; d.Due.NeverPublished++ }, "9 of them never published"},
		{"lost, and the proof has none", func(d *rundoc.UpdatesDetail) { d.Due.InTime--; d.Due.Lost++ }, "1 batches of the window are lost"},
		{"unknown, and the proof is complete", func(d *rundoc.UpdatesDetail) { d.Due.InTime--; d.Due.Unknown++ }, "0 batches of the window are lost and 1 unknown"},
		{"late, and no time is", func(d *rundoc.UpdatesDetail) { d.Due.InTime--; d.Due.Late++ }, "in time and 1 late"},
		{"another bound", func(d *rundoc.UpdatesDetail) { d.Due.WithinNS = 700_000 }, "are not"},
		{"a percentile", func(d *rundoc.UpdatesDetail) { *d.Due.P50NS++ }, "the times over all that was due"},
		{"a percentile that is missing", func(d *rundoc.UpdatesDetail) { d.Due.P90NS = nil }, "p90 absent"},
		{"a longest, though some never came", func(d *rundoc.UpdatesDetail) { d.Due.MaxNS = new(int64(9)) }, "max absent"},
		{"nobody was asked", func(d *rundoc.UpdatesDetail) { d.Proof = nil }, "there is no proof"},
	} {
		run := edited(t, base, c.edit)
		var broken []string
		for _, reason := range rundoc.Judge(run).Reasons {
			if strings.HasPrefix(reason, "invariant violated: due: ") {
				broken = append(broken, reason)
			}
		}
		if (len(broken) > 0) != (c.says != "") || c.says != "" && !strings.Contains(broken[0], c.says) {
			t.Errorf("%s: %q, want %q", c.name, broken, c.says)
		}
	}
}
