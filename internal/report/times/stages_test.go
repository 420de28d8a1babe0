package times_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/rundoc"
)

// staged is an operation with so many attempts, whose stages take so many ms on average, and twice that at most.
func staged(name string, count, send, wait, body int64) rundoc.Operation {
	of := func(ms int64) rundoc.Summary {
		return rundoc.Summary{Count: count, MeanNS: ms * 1e6, P50NS: new(ms * 1e6), P99NS: new(2 * ms * 1e6), MaxNS: 2 * ms * 1e6}
	}
	return rundoc.Operation{Name: name, Stages: &rundoc.Stages{Send: of(send), Wait: of(wait), Body: of(body)}}
}

func spansOf(p graph.Panel) (all []string) {
	for _, s := range p.Spans {
		all = append(all, fmt.Sprintf("%s %s %g-%g ms: %s", s.Row, s.Part, s.From/1e6, s.To/1e6, s.Text))
	}
	return all
}

// The stages of each operation follow each other and add up to its mean; those that vary are of the one with the most.
func TestOfOperations(t *testing.T) {
	put := staged("put", 900, 3, 6, 1)
	put.Labels = map[string]string{"to": "x", "by": "y"}
	run := &rundoc.Run{Operations: []rundoc.Operation{staged("get", 1, 1, 2, 5), {Name: "none"}, staged("no attempt", 0, 1, 1, 1), put, staged("list", 2, 0, 4, 4)}}
	all := times.OfOperations(run, "requests")
	if len(all) != 2 {
		t.Fatalf("%d panels", len(all))
	}
	want := []string{
		"get send 0-1 ms: 1.00 ms, 12.5%", "get wait 1-3 ms: 2.00 ms, 25.0%", "get body 3-8 ms: 5.00 ms, 62.5%",
		"put y x send 0-3 ms: 3.00 ms, 30.0%", "put y x wait 3-9 ms: 6.00 ms, 60.0%", "put y x body 9-10 ms: 1.00 ms, 10.0%",
		"list wait 0-4 ms: 4.00 ms, 50.0%", "list body 4-8 ms: 4.00 ms, 50.0%",
	}
	if diff := cmp.Diff(want, spansOf(all[0])); diff != "" {
		t.Error(diff)
	}
	const words = "mean %s ms · p50 %[1]s ms · p99 %s ms · max %[2]s ms · n 900"
	send, wait, body := fmt.Sprintf(words, "3.00", "6.00"), fmt.Sprintf(words, "6.00", "12.0"), fmt.Sprintf(words, "1.00", "2.00")
	want = []string{
		"send median 0-3 ms: " + send, "send up to the p99 3-6 ms: " + send, "wait median 3-9 ms: " + wait,
		"wait up to the p99 9-15 ms: " + wait, "body median 9-10 ms: " + body, "body up to the p99 10-11 ms: " + body,
	}
	if diff := cmp.Diff(want, spansOf(all[1])); diff != "" {
		t.Error(diff)
	}
	if all[1].Title != "Stages of put y x: median to p99" || !strings.HasPrefix(all[1].Intro, "The most frequent of 3 kinds of requests.") {
		t.Errorf("%q: %q", all[1].Title, all[1].Intro)
	}
	run.Operations = run.Operations[:3]
	if all := times.OfOperations(run, "requests"); len(all) != 2 || all[1].Intro[:10] != "Each stage" {
		t.Errorf("of one operation: %+v", all)
	}
	run.Operations = append(run.Operations, put)
	if all := times.OfOperations(run, "requests"); !strings.HasPrefix(all[1].Intro, "The most frequent of 2 kinds") {
		t.Errorf("of two operations: %q", all[1].Intro)
	}
	run.Operations = run.Operations[1:3]
	if all := times.OfOperations(run, "requests"); all != nil {
		t.Errorf("of none: %+v", all)
	}
	for n, want := range map[int]int{29: 29, 30: 30, 31: 30, 90: 30} {
		run.Operations = nil
		for i := range n {
			run.Operations = append(run.Operations, staged(fmt.Sprint(i), 5, 0, 1, 0))
		}
		if rows := len(times.OfOperations(run, "requests")[0].Spans); rows != want {
			t.Errorf("%d operations: %d rows, want %d", n, rows, want)
		}
	}
}

// A p99 may be eight times as far as the medians for both to be in one panel.
func TestWaterfallOfFar(t *testing.T) {
	for p99, want := range map[int64]int{30: 1, 75: 1, 80: 1, 81: 2, 85: 2, 900: 2} {
		of := &rundoc.Summary{Count: 1, MeanNS: 12, P50NS: new(int64(10)), P99NS: &p99, MaxNS: p99}
		all := times.Waterfall(graph.Panel{Name: "way", Intro: "Stages."}, times.Stage{Name: "a", Of: of})
		if len(all) != want {
			t.Errorf("a p99 of %d: %d panels, want %d", p99, len(all), want)
		}
		if told := len(all[0].Intro) > len("Stages."); told != (want == 1) {
			t.Errorf("a p99 of %d: %q", p99, all[0].Intro)
		}
	}
	of := &rundoc.Summary{Count: 1, MeanNS: 12, MaxNS: 12} // without a p99 there is no word of it
	if p := times.Waterfall(graph.Panel{Intro: "Stages."}, times.Stage{Name: "a", Of: of})[0]; len(p.Spans) != 1 || p.Intro != "Stages." {
		t.Errorf("%+v", p)
	}
}

func TestWords(t *testing.T) {
	of := rundoc.Summary{Count: 12_345, MeanNS: 1e6, P50NS: new(int64(2e6)), P90NS: new(int64(3e6)), P95NS: new(int64(35e5)), P99NS: new(int64(4e6)),
		P999NS: new(int64(5e6)), MaxNS: 6e6}
	if got, want := times.Words(&of), "mean 1.00 ms · p50 2.00 ms · p90 3.00 ms · p99 4.00 ms · p99.9 5.00 ms · max 6.00 ms · n 12,345"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Medians are apart that differ by half a percent.
func TestApartFromHalfAPercent(t *testing.T) {
	for sum, want := range map[int64]bool{100_000: false, 99_501: false, 100_499: false, 99_500: true, 100_500: true, 99_000: true, 99_600: false} {
		got := times.Apart(&rundoc.Summary{P50NS: new(int64(100_000))}, &rundoc.Summary{P50NS: new(int64(40_000))}, &rundoc.Summary{P50NS: new(sum - 40_000)})
		if (got != "") != want {
			t.Errorf("%d: %q", sum, got)
		}
	}
}

// The shares of a row are of what is shown of it, and add up to all of it.
func TestChainOfShares(t *testing.T) {
	parts := []times.Part{{Name: "a", NS: 3e6}, {Name: "b", NS: -5e6}, {Name: "c", NS: math.Inf(1)}, {Name: "d", NS: math.Inf(-1)},
		{Name: "e", NS: math.NaN()}, {Name: "f", NS: 0}, {Name: "g", NS: 1e6}, {Name: "h", NS: math.MaxInt64}}
	want := []string{"row a 0-3 ms: 3.00 ms, 75.0%", "row g 3-4 ms: 1.00 ms, 25.0%"}
	if diff := cmp.Diff(want, spansOf(graph.Panel{Spans: times.Chain("row", parts...)})); diff != "" {
		t.Error(diff)
	}
}

func TestWithout(t *testing.T) {
	all := []graph.Panel{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "b"}}
	got := ""
	for _, p := range times.Without(all, "b", "z") {
		got += p.Name
	}
	if got != "ac" || all[1].Name != "b" {
		t.Errorf("%s of %+v", got, all)
	}
}
