package throughput

import (
	"errors"
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

// A body was sent whole if all that was declared left; without a length, if anybody asked for it. That an answer breaks off
// says nothing of the request before it, and of what Base repeated nobody can say it without the end of its writing.
func TestQualityOfWhatWasSent(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		edit func(*Timeline)
		want Quality
	}{
		{"answer breaks off", func(t *Timeline) { t.Err = broken }, OK},
		{"broken before it was written", func(t *Timeline) { t.Err, t.RequestWritten = broken, 0 }, Aborted},
		{"written unseen", func(t *Timeline) { t.RequestWritten = 0 }, OK},
		{"one byte without a length", func(t *Timeline) { t.ContentLength, t.RequestBytes = -1, 1 }, OK},
		{"nothing without a length", func(t *Timeline) { t.ContentLength, t.RequestBytes = -1, 0 }, Aborted},
		{"repeated", func(t *Timeline) { t.Err, t.Status = ErrRetried, 0 }, OK},
		{"repeated, not written", func(t *Timeline) { t.Err, t.Status, t.RequestWritten = ErrRetried, 0, 0 }, OK},
		{"repeated without a length, not written",
			func(t *Timeline) { t.Err, t.Status, t.RequestWritten, t.ContentLength = ErrRetried, 0, 0, -1 }, Unseen},
		{"copy repeated, not written",
			func(t *Timeline) { t.Err, t.Status, t.RequestWritten, t.Copied = ErrRetried, 0, 0, true }, Unseen},
		{"nothing repeated, not written", func(t *Timeline) {
			t.Err, t.Status, t.RequestWritten, t.ContentLength, t.RequestBytes = ErrRetried, 0, 0, 0, 0
		}, NoBody},
		{"copy repeated", func(t *Timeline) { t.Err, t.Status, t.Copied = ErrRetried, 0, true }, Unseen},
		{"part of a copy", func(t *Timeline) { t.RequestBytes, t.Copied = 5e5, true }, Aborted},
	} {
		tl := upload()
		c.edit(tl)
		if got := tl.WriteQuality(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What Base kept to itself and what net/http decompressed is no rate of the network, however well it was timed.
func TestQualityOfWhatWasRead(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Timeline)
		want Quality
	}{
		{"decompressed", func(t *Timeline) { t.Uncompressed = true }, Unseen},
		{"kept to itself", func(t *Timeline) { t.Err, t.Status, t.ResponseEnded = ErrRetried, 0, false }, Unseen},
		{"sent again before an answer", func(t *Timeline) { t.Err, t.Status, t.ResponseEnded = ErrResent, 0, false }, Aborted},
		{"of the caller", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 45*time.Millisecond, 0 }, Paced},
		{"with a pause", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 3*time.Millisecond, 3*time.Millisecond }, Paced},
		{"with a short pause", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = time.Millisecond, time.Millisecond }, OK},
	} {
		tl := upload()
		c.edit(tl)
		if got := tl.ReadQuality(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
