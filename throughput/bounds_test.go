package throughput

import (
	"math"
	"testing"
	"time"
)

// The error of a delivered rate is the one that is documented: 200 µs and a tenth of the round trip, and how far that and
// the moment may be off, of the time that it took without the round trip.
func TestWriteErrorIsTheDocumentedOne(t *testing.T) {
	for _, test := range []struct {
		minRTT, astray, doubt time.Duration
		want                  float64 // of (102 − 1) ms − minRTT
	}{
		{time.Millisecond, 0, 0, 300e3 / 100e6},
		{11 * time.Millisecond, 0, 0, 1300e3 / 90e6},
		{time.Microsecond, 0, 0, 200.1e3 / 100.999e6},
		{time.Millisecond, 0, 700 * time.Microsecond, 1000e3 / 100e6},
		{time.Millisecond, 500 * time.Microsecond, 200 * time.Microsecond, 1000e3 / 100e6},
	} {
		tl := upload()
		tl.MinRTT, tl.MinRTTError, tl.DrainedError = test.minRTT, test.astray, test.doubt
		if got, ok := tl.WriteThroughputError(); !ok || math.Abs(got-test.want) > 1e-9 {
			t.Errorf("round trip %v, doubt %v: %v, %t; want %v", test.minRTT, test.doubt, got, ok, test.want)
		}
	}
}

// Over HTTP/2 it also has what may be of others on the connection, of all that was acknowledged.
func TestCompanyIsInTheError(t *testing.T) {
	for _, test := range []struct {
		proto string
		wire  Size
		more  float64
		want  Quality
	}{
		{"HTTP/2.0", SizeOf(1e6), 0, OK},
		{"HTTP/2.0", SizeOf(1.01e6), 0.01 / 1.01, OK},
		{"HTTP/2.0", SizeOf(1.06e6), 0.06 / 1.06, BelowResolution},
		{"HTTP/2.0", SizeOf(0.9e6), 0, OK},
		{"HTTP/2.0", 0, 0, OK},
		{"HTTP/1.1", SizeOf(1.06e6), 0, OK},
	} {
		tl := upload()
		tl.Proto, tl.WireBytes = test.proto, test.wire
		got, ok := tl.WriteThroughputError()
		if want := 300e3/100e6 + test.more; !ok || math.Abs(got-want) > 1e-9 || tl.WriteQuality() != test.want {
			t.Errorf("%s, %v: %v, %s; want %v, %s", test.proto, test.wire, got, tl.WriteQuality(), want, test.want)
		}
	}
}

// A read is good from 20 times the error of a stamp on, which is a millisecond; a write where its error is 5 %.
func TestQualityAtItsBound(t *testing.T) {
	for window, want := range map[time.Duration]Quality{
		time.Millisecond: OK, time.Millisecond - 1: BelowResolution, 1020 * time.Microsecond: OK,
		980 * time.Microsecond: BelowResolution,
	} {
		tl := upload()
		tl.LastResponseByte = tl.FirstResponseByte + Stamp(window)
		_, known := tl.ReadThroughput()
		if got := tl.ReadQuality(); got != want || known != (want == OK) {
			t.Errorf("read in %v: %s, %t; want %s", window, got, known, want)
		}
	}
	for window, want := range map[time.Duration]Quality{ // 300 µs are 5 % of 6 ms
		6 * time.Millisecond: OK, 6*time.Millisecond - 1: BelowResolution, 5900 * time.Microsecond: BelowResolution,
	} {
		tl := upload()
		tl.Drained = tl.FirstBodyRead + Stamp(window+tl.MinRTT)
		if got := tl.WriteQuality(); got != want {
			t.Errorf("written in %v: %s, want %s", window, got, want)
		}
	}
}
