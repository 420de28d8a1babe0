package throughput

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// A figure is known from the least that is any on.
func TestFiguresAtTheirBounds(t *testing.T) {
	for _, c := range []struct {
		bytes  int64
		window time.Duration
		ok     bool
		want   float64 // 0: absent
	}{
		{1, time.Second, true, 1}, {0, time.Second, true, 0}, {-1, time.Second, true, 0}, {1, 1, true, 1e9}, {1, 0, true, 0},
		{1, -1, true, 0}, {1, time.Second, false, 0},
	} {
		if got, ok := rate(c.bytes, c.window, c.ok); math.Abs(got-c.want) > 1e-6*c.want || ok != (c.want > 0) {
			t.Errorf("%+v: %v, %t", c, got, ok)
		}
	}
}

// What is handed over is known of a body that this package saw taken in two pieces or more.
func TestFiguresOfTheHandoff(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Timeline)
		want float64
	}{
		{"two pieces", func(t *Timeline) { t.RequestReads = 2 }, 1e8},
		{"one", func(t *Timeline) { t.RequestReads = 1 }, 0},
		{"a copy", func(t *Timeline) { t.Copied = true }, 0},
		{"by the kernel", func(t *Timeline) { t.Sendfile = true }, 0},
		{"in no time", func(t *Timeline) { t.LastBodyRead = t.FirstBodyRead }, 0},
		{"not at all", func(t *Timeline) { t.LastBodyRead = 0 }, 0},
	} {
		tl := upload()
		c.edit(tl)
		if got, ok := tl.WriteThroughputHandoff(); math.Abs(got-c.want) > 1e-6*c.want || ok != (c.want > 0) {
			t.Errorf("%s: %v, %t", c.name, got, ok)
		}
	}
}

// What was delivered is known until its error is all of it.
func TestFiguresOfTheDelivery(t *testing.T) {
	part := func(edit func(*Timeline)) func(*Timeline) {
		return func(t *Timeline) {
			t.Drained, t.DrainedError, t.RequestWritten, t.Queued = 0, time.Second, ms(92), SizeOf(1e5)
			edit(t)
		}
	}
	until := func(window time.Duration) func(*Timeline) {
		return func(t *Timeline) { t.MinRTT = 10; t.Drained = t.FirstBodyRead + 10 + Stamp(window) }
	}
	none := func(*Timeline) {}
	for _, c := range []struct {
		name     string
		edit     func(*Timeline)
		want     float64 // 0: absent
		relative float64
	}{
		{"whole", none, 1e7, 0.003},
		{"the least round trip", func(t *Timeline) { t.MinRTT = 1 }, 1e6 / 0.100999999, 200e3 / 100999999.},
		{"the path is not known", func(t *Timeline) { t.MinRTT = 0 }, 0, 0},
		{"shared", func(t *Timeline) { t.Shared = true }, 0, 0},
		{"copied", func(t *Timeline) { t.Copied = true }, 0, 0},
		{"no body", func(t *Timeline) { t.HasBody = false }, 0, 0},
		{"not whole", func(t *Timeline) { t.ContentLength++ }, 0, 0},
		{"a part", part(none), 9e5 / 0.090, 0.1 + 300./90000},
		{"a part, and it is not known which", part(func(t *Timeline) { t.Queued = 0 }), 0, 0},
		{"nothing", part(func(t *Timeline) { t.Queued = SizeOf(1e6) }), 0, 0},
		{"a tenth", part(func(t *Timeline) { t.Queued = SizeOf(9e5) }), 1e5 / 0.090, 0.9 + 300./90000},
		{"the only byte", func(t *Timeline) { t.RequestBytes, t.ContentLength = 1, 1 }, 10, 0.003},
		{"an empty body", func(t *Timeline) { t.RequestBytes, t.ContentLength = 0, 0 }, 0, 0},
		{"in the time of its error", until(200_001), 0, 0},
		{"in a little more", until(200_002), 1e6 / 200_002e-9, 200_001. / 200_002},
		{"in no time", until(0), 0, 0},
		{"before the round trip", until(-5), 0, 0},
		{"before it began", until(-5000), 0, 0},
	} {
		tl := upload()
		c.edit(tl)
		got, ok := tl.WriteThroughputDelivered()
		relative, same := tl.WriteThroughputError()
		if math.Abs(got-c.want) > 1e-6*c.want || math.Abs(relative-c.relative) > 1e-9 || ok != (c.want > 0) || same != ok {
			t.Errorf("%s: %v, %t, off by %v, %t; want %v, off by %v", c.name, got, ok, relative, same, c.want, c.relative)
		}
	}
}

// What was read is known of two pieces or more, from when it was asked what had come; over TLS a record may have been
// on the way.
func TestFiguresOfTheRead(t *testing.T) {
	ahead := func(n int64, scheme string) func(*Timeline) {
		return func(t *Timeline) { t.ResponseAhead, t.ResponseAsked, t.Scheme = n, ms(132), scheme }
	}
	for _, c := range []struct {
		name     string
		edit     func(*Timeline)
		window   time.Duration // 0: absent
		relative float64
		want     float64 // 0: absent
	}{
		{"whole", func(*Timeline) {}, 50 * milli, 0.001, 2e7},
		{"two pieces", func(t *Timeline) { t.ResponseReads = 2 }, 50 * milli, 0.001, 2e7},
		{"one", func(t *Timeline) { t.ResponseReads = 1 }, 0, 0, 0},
		{"the only byte", func(t *Timeline) { t.ResponseBytes = 1 }, 50 * milli, 0.001, 20},
		{"nothing", func(t *Timeline) { t.ResponseBytes = 0 }, 0, 0, 0},
		{"not to its end", func(t *Timeline) { t.ResponseEnded = false }, 50 * milli, 0.001, 0},
		{"in a nanosecond", func(t *Timeline) { t.LastResponseByte = t.FirstResponseByte + 1 }, 1, 50_000, 0},
		{"in no time", func(t *Timeline) { t.LastResponseByte = t.FirstResponseByte }, 0, 0, 0},
		{"never", func(t *Timeline) { t.LastResponseByte = 0 }, 0, 0, 0},
		{"its end is seen late", func(t *Timeline) { t.LastResponseError = milli }, 50 * milli, 0.021, 2e7},
		{"its end is seen too late", func(t *Timeline) { t.LastResponseError = 3 * milli }, 50 * milli, 0.061, 0},
		{"half has come", ahead(5e5, "http"), 40 * milli, 0.00125, 1.25e7},
		{"all but a byte", ahead(1e6-1, "http"), 40 * milli, 0.00125, 25},
		{"all", ahead(1e6, "http"), 0, 0, 0},
		{"half has come, over TLS", ahead(5e5, "https"), 40 * milli, 0.00125 + 16384./5e5, 1.25e7},
		{"a byte has come, over TLS", ahead(1, "https"), 40 * milli, 0.00125 + 16384./999_999, 999_999 / 0.040},
		{"nothing has come, over TLS", ahead(0, "https"), 40 * milli, 0.00125, 2.5e7},
		{"most has come, over TLS", ahead(7e5, "https"), 40 * milli, 0.00125 + 16384./3e5, 0},
	} {
		tl := upload()
		c.edit(tl)
		window, relative, known := tl.readWindow()
		if window != c.window || math.Abs(relative-c.relative) > 1e-9 || known != (c.window > 0) {
			t.Errorf("%s: %v, off by %v, %t", c.name, window, relative, known)
		}
		if got, ok := tl.ReadThroughput(); math.Abs(got-c.want) > 1e-6*c.want || ok != (c.want > 0) {
			t.Errorf("%s: %v, %t; want %v", c.name, got, ok, c.want)
		}
	}
}

// Each rate goes with the quality and the limit of its direction.
func TestFiguresWithTheirQualities(t *testing.T) {
	tl := upload()
	tl.DrainedError, tl.ReaderTime = 10*milli, 45*milli
	var got []string
	for _, r := range tl.Rates() {
		got = append(got, fmt.Sprintf("%s %.0f %s %s", r.Name, r.Value, r.Quality, r.Limit))
	}
	want := []string{
		fmt.Sprintf("write_throughput_handoff 100000000 %s %s", tl.WriteQuality(), tl.WriteLimit()),
		fmt.Sprintf("write_throughput_delivered 10000000 %s %s", tl.WriteQuality(), tl.WriteLimit()),
		fmt.Sprintf("read_throughput 20000000 %s %s", tl.ReadQuality(), tl.ReadLimit()),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || tl.WriteQuality() == tl.ReadQuality() {
		t.Errorf("%q, want %q", got, want)
	}
}

// The times are those of their stamps, from the very start on, and of nothing there are none.
func TestFiguresOfMoments(t *testing.T) {
	var none *Timeline
	never := Timeline{ResponseEnded: true}
	start := Timeline{ResponseEnded: true, ConnectionGot: At(0), FirstResponseByte: At(0), LastResponseByte: At(0),
		Drained: At(0)}
	later := Timeline{ResponseEnded: true, ConnectionGot: At(1), FirstResponseByte: At(7), LastResponseByte: At(9),
		Drained: At(3), RequestWritten: At(2)}
	undrained, cut := later, later
	undrained.Drained, cut.ResponseEnded = 0, false
	for _, c := range []struct {
		of   *Timeline
		want [4]time.Duration // setup, TTFB, TTLB, of the server; below 0: absent
	}{
		{none, [4]time.Duration{-1, -1, -1, -1}},
		{&never, [4]time.Duration{-1, -1, -1, -1}},
		{&start, [4]time.Duration{0, 0, 0, 0}},
		{&later, [4]time.Duration{1, 7, 9, 4}},
		{&undrained, [4]time.Duration{1, 7, 9, 5}},
		{&cut, [4]time.Duration{1, 7, -1, 4}},
	} {
		for i, of := range []func() (time.Duration, bool){c.of.Setup, c.of.TTFB, c.of.TTLB, c.of.ServerTime} {
			if got, ok := of(); got != max(c.want[i], 0) || ok != (c.want[i] >= 0) {
				t.Errorf("%d of %+v: %v, %t", i, c.of, got, ok)
			}
		}
	}
}
