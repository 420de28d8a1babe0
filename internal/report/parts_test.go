package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
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

// TestBucketsCountOfferedOperations leaves it out where a point does not tell.
func TestBucketsCountOfferedOperations(t *testing.T) {
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

func TestBoldOnlyWithColour(t *testing.T) {
	run := fixture(t, "good")
	var plain, bold bytes.Buffer
	if err := showText(&plain, run, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := showText(&bold, run, report.Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[1;32m", "", "\x1b[0m", "").Replace(bold.String())
	if diff := cmp.Diff(plain.String(), stripped); diff != "" {
		t.Error(diff)
	}
	if plain.Len() == bold.Len() {
		t.Error("nothing is bold")
	}
}

// A run that a threshold ended says so beside its name, and when and why in the answer.
func TestReportOfAbortedRun(t *testing.T) {
	run := fixture(t, "interrupted")
	run.Interrupted, run.Aborted = false, "p99<50ms"
	run.Warnings = rundoc.Warnings(run)
	var out bytes.Buffer
	if err := showText(&out, run, report.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" · ended early · ", "The run was ended after 23.4 s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "interrupted") {
		t.Error("it says that it was interrupted")
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

// The note on the buckets names the highest and the lowest, each by the first of equal ones.
func TestExtremesOfTheThroughput(t *testing.T) {
	point := func(second, ok int64) rundoc.Point { return rundoc.Point{Second: second, OK: ok} }
	for _, tt := range []struct {
		points []rundoc.Point
		cut    int64 // ms that the last second lacks
		want   string
	}{
		{[]rundoc.Point{point(0, 30), point(1, 10), point(2, 50), point(3, 5)}, 900,
			"Highest 50.0 op/s from 0:02 to 0:03; lowest 10.0 op/s from 0:01 to 0:02."},
		{[]rundoc.Point{point(0, 30), point(1, 5)}, 100, ""},
		{[]rundoc.Point{point(0, 30), point(1, 10), point(2, 50), point(3, 10), point(4, 50)}, 0,
			"Highest 50.0 op/s from 0:02 to 0:03; lowest 10.0 op/s from 0:01 to 0:02."},
		{[]rundoc.Point{point(0, 30), point(1, 30)}, 0, "All have the same rate."},
		{[]rundoc.Point{point(0, 30)}, 0, ""},
	} {
		run := &rundoc.Run{Series: tt.points, Ledger: rundoc.Ledger{WindowNS: int64(len(tt.points))*1e9 - tt.cut*1e6}}
		v := report.NewView(run, report.Kind{}, report.Options{Bucket: time.Second})
		notes := strings.Join(v.Throughput().Notes, "\n")
		if !strings.HasPrefix(notes, tt.want) || tt.want == "" && strings.Contains(notes, "ighest") {
			t.Errorf("%v: %s", tt.points, notes)
		}
	}
}
