package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

// window makes a document with so many ok operations in each second of a window.
func window(length time.Duration, perSecond ...int64) *rundoc.Run {
	start := time.Date(2026, 1, 31, 23, 59, 55, 0, time.FixedZone("", 3600))
	run := &rundoc.Run{
		Ledger: rundoc.Ledger{WindowNS: length.Nanoseconds()},
		Phases: []rundoc.Phase{{Name: rundoc.PhaseWindow, Started: start, DurationNS: length.Nanoseconds()}},
	}
	for s, n := range perSecond {
		run.Series = append(run.Series, rundoc.Point{Second: int64(s), OK: n})
	}
	return run
}

// inPairs makes of each second two.
func inPairs(run *rundoc.Run) *rundoc.Run {
	for i := range run.Series {
		run.Series[i].Second, run.Series[i].Seconds = 2*run.Series[i].Second, 2
	}
	return run
}

func TestBuckets(t *testing.T) {
	type bucket struct {
		Start, End string
		Messages   int64
		PerSecond  float64
	}
	for _, tt := range []struct {
		name  string
		run   *rundoc.Run
		width time.Duration
		want  []bucket
	}{
		{"whole", window(4*time.Second, 1, 2, 3, 4), 2 * time.Second, []bucket{
			{"22:59:55.000", "22:59:57.000", 3, 1.5}, {"22:59:57.000", "22:59:59.000", 7, 3.5},
		}},
		{"a shorter last one has the rate of its true length", window(2500*time.Millisecond, 1, 2, 3), 2 * time.Second, []bucket{
			{"22:59:55.000", "22:59:57.000", 3, 1.5}, {"22:59:57.000", "22:59:57.500", 3, 6},
		}},
		{"an end that is too short joins the one before", window(2009*time.Millisecond, 5, 5, 1), time.Second, []bucket{
			{"22:59:55.000", "22:59:56.000", 5, 5}, {"22:59:56.000", "22:59:57.009", 6, 6 / 1.009},
		}},
		{"a window within one", window(300*time.Millisecond, 3), 10 * time.Second, []bucket{
			{"22:59:55.000", "22:59:55.300", 3, 10},
		}},
		{"a width that is rounded up", window(2*time.Second, 1, 1), 1500 * time.Millisecond, []bucket{
			{"22:59:55.000", "22:59:57.000", 2, 1},
		}},
		{"points of two seconds", inPairs(window(4*time.Second, 1, 2)), 3 * time.Second, []bucket{
			{"22:59:55.000", "22:59:59.000", 3, .75},
		}},
		{"points of two seconds in narrower ones", inPairs(window(4*time.Second, 1, 2)), time.Second, []bucket{
			{"22:59:55.000", "22:59:57.000", 1, .5}, {"22:59:57.000", "22:59:59.000", 2, 1},
		}},
		{"no window", &rundoc.Run{}, time.Second, nil},
	} {
		var got []bucket
		for _, b := range report.Buckets(tt.run, tt.width) {
			got = append(got, bucket{b.Start.Format("15:04:05.000"), b.End.Format("15:04:05.000"), b.Messages, b.PerSecond})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestWhatWasOfferedInABucket leaves it out where a point does not tell.
func TestWhatWasOfferedInABucket(t *testing.T) {
	run := window(3*time.Second, 1, 2, 3)
	for i := range run.Series {
		run.Series[i].Offered = new(int64(10 * (i + 1)))
	}
	for _, want := range []string{"0,3,1.500,30\n2026", ",3,3.000,\n"} {
		var out strings.Builder
		if err := report.WriteBuckets(&out, run, 2*time.Second); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(out.String(), "Z,", ",")
		if !strings.Contains(got, strings.TrimPrefix(want, "0")) {
			t.Errorf("%s lacks %q", got, want)
		}
		run.Series[1].Offered = nil
	}
}

func TestBucketsSumToTheSeries(t *testing.T) {
	run := fixture(t, "failing")
	var want int64
	for _, p := range run.Series {
		want += p.OK
	}
	for width := time.Second; width < 50*time.Second; width += time.Second {
		var got int64
		for _, b := range report.Buckets(run, width) {
			got += b.Messages
		}
		if got != want {
			t.Errorf("width %s: %d, want %d", width, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		kind report.Kind
		live report.Live
		want string
	}{
		{
			chat.ReportKind(), report.Live{Phase: "window", Elapsed: 8 * time.Second, Rate: 48112.4, P50: 621 * time.Microsecond,
				P99: 1520 * time.Microsecond, InFlight: 32, Left: 62 * time.Second},
			"0:08 · 48,112 msg/s · p50 621 µs · p99 1.52 ms · 32 in flight · 0 errors · 1:02 left",
		},
		{
			report.Kind{}, report.Live{Phase: "window", Doing: "S3/PutObject, round 3 of 15", Elapsed: 31 * time.Second, Rate: 13414,
				P50: 67 * time.Microsecond, P99: 123 * time.Microsecond, InFlight: 1, Left: 290 * time.Second},
			"S3/PutObject, round 3 of 15 · 0:31 · 13,414 op/s · 0 errors · about 4:50 left",
		},
		{
			report.Kind{}, report.Live{Phase: "warm-up", Elapsed: time.Hour, Rate: 1.5, InFlight: 1, Errors: 1, Left: -1},
			"warm-up · 1:00:00 · 1.50 op/s · p50 – · p99 – · 1 in flight · 1 error",
		},
	} {
		if diff := cmp.Diff(tt.want, report.Progress(tt.kind, tt.live)); diff != "" && utf8.RuneCountInString(tt.want) <= 80 {
			t.Error(diff)
		}
	}
	long := report.Live{Phase: strings.Repeat("phase", 5), Elapsed: 100 * time.Hour, Rate: 1e12,
		P50: time.Hour, P99: 20 * time.Hour, InFlight: 1e9, Errors: 1e12, Left: 1000 * time.Hour}
	for columns, want := range map[int]string{
		80: "warm-up · 0:01 · 48,112 msg/s · p50 621 µs · p99 1.52 ms · 0 errors · 0:09 left",
		50: "0:01 · 48,112 msg/s · p99 1.52 ms · 0 errors",
		13: "48,112 msg/s",
		10: "48,112 ms…",
	} {
		got := report.Progress(chat.ReportKind(), report.Live{Phase: "warm-up", Elapsed: time.Second, Rate: 48112,
			P50: 621 * time.Microsecond, P99: 1520 * time.Microsecond, InFlight: 32, Left: 9 * time.Second, Width: columns})
		if got != want {
			t.Errorf("in %d columns %q, want %q", columns, got, want)
		}
	}
	for _, l := range []report.Live{long, {}, {Elapsed: time.Minute, Rate: 123456, P50: 123456, P99: 1234567, InFlight: 1000, Errors: 1000, Left: 600e9}} {
		if n := utf8.RuneCountInString(report.Progress(chat.ReportKind(), l)); n > 80 {
			t.Errorf("%d columns: %s", n, report.Progress(chat.ReportKind(), l))
		}
	}
}

func TestBoldOnlyWithColour(t *testing.T) {
	run := fixture(t, "good")
	var plain, bold bytes.Buffer
	if err := showText(&plain, run, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := showText(&bold, run, report.Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(bold.String())
	if diff := cmp.Diff(plain.String(), stripped); diff != "" {
		t.Error(diff)
	}
	if plain.Len() == bold.Len() {
		t.Error("nothing is bold")
	}
}

func TestBucketWidthOption(t *testing.T) {
	var out bytes.Buffer
	if err := showText(&out, fixture(t, "interrupted"), report.Options{Bucket: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Throughput per 5s", "  0:05     0:10 ", "  0:20  0:23.42 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
