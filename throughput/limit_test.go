package throughput

import (
	"testing"
	"time"
)

// sending is an upload of 1 MB in 100 ms and a round trip of 1 ms of which the kernel counted all as busy.
func sending(edit func(*Timeline)) *Timeline {
	t := upload()
	t.Sending = &Sending{Busy: 101 * time.Millisecond, Tick: 4 * time.Millisecond}
	edit(t)
	return t
}

func TestWriteLimit(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name    string
		edit    func(*Timeline)
		limit   Limit
		quality Quality
	}{
		{"the network", func(*Timeline) {}, LimitNetwork, OK},
		{"not counted", func(t *Timeline) { t.Sending = nil }, "", OK},
		{"too short", func(t *Timeline) { t.Drained, t.Sending.Busy = t.FirstBodyRead+Stamp(12*ms), 9*ms }, "", OK},
		{"just long enough", func(t *Timeline) {
			t.Drained, t.Sending.Busy = t.FirstBodyRead+Stamp(12*ms), 10*ms
		}, LimitNetwork, OK},
		{"an unknown tick", func(t *Timeline) { t.Sending.Tick = 0 }, LimitNetwork, OK},
		{"a byte", func(t *Timeline) { t.RequestBytes, t.ContentLength = 1, 1 }, LimitNetwork, OK},
		{"no byte", func(t *Timeline) { t.RequestBytes, t.ContentLength = 0, 0 }, "", NoBody},
		{"nothing but a round trip", func(t *Timeline) { t.MinRTT = 101 * ms }, "", BelowResolution},
		{"a source alone", func(t *Timeline) { t.SourceTime = 90 * ms }, LimitSource, Paced},
		{"a source alone, not counted", func(t *Timeline) { t.SourceTime, t.Sending = 90*ms, nil }, LimitSource, Paced},
		{"a source that may be", func(t *Timeline) { t.SourceTime, t.Sending = 89*ms, nil }, "", Paced},
		{"a source that is slower than the network's end", func(t *Timeline) {
			t.SourceTime, t.DrainedError, t.Sending = 90*ms, 2*ms, nil
		}, "", Paced},
		{"a source that is a little of it", func(t *Timeline) { t.SourceTime, t.Sending = 4*ms, nil }, "", OK},
		{"a source that is more of it", func(t *Timeline) { t.SourceTime, t.Sending = 5*ms, nil }, "", Paced},
		{"a source beside a queue that was never empty", func(t *Timeline) { t.SourceTime = 60 * ms }, "", Paced},
		{"starved", func(t *Timeline) { t.SourceTime, t.Sending.Busy = 60*ms, 81*ms }, LimitSource, Paced},
		{"starved, by what nobody saw", func(t *Timeline) { t.Sending.Busy = 81 * ms }, LimitSource, Paced},
		{"starved, by the window of HTTP/2", func(t *Timeline) { t.Proto, t.Sending.Busy = "HTTP/2.0", 81*ms }, "", OK},
		{"starved on HTTP/2", func(t *Timeline) {
			t.Proto, t.SourceTime, t.Sending.Busy = "HTTP/2.0", 60*ms, 81*ms
		}, LimitSource, Paced},
		{"starved or not", func(t *Timeline) { t.SourceTime, t.Sending.Busy = 60*ms, 95*ms }, "", Paced},
		{"headers long before the body", func(t *Timeline) {
			t.WroteHeaders, t.FirstBodyRead, t.MinRTT = 1, t.FirstBodyRead+Stamp(9*ms), 10*ms
			t.SourceTime, t.Sending.Busy = 90*ms, 80*ms
		}, LimitSource, Paced},
		{"sendfile, starved", func(t *Timeline) { t.Sendfile, t.Sending.Busy = true, 81*ms }, LimitSource, Sendfile},
		{"sendfile", func(t *Timeline) { t.Sendfile = true }, "", Sendfile},
		{"sendfile, not counted", func(t *Timeline) { t.Sendfile, t.Sending = true, nil }, "", Sendfile},
		{"the receiver", func(t *Timeline) { t.Sending.ReceiverLimited = 51 * ms }, LimitReceiver, OK},
		{"the receiver a little", func(t *Timeline) { t.Sending.ReceiverLimited = 50 * ms }, LimitNetwork, OK},
		{"the send buffer", func(t *Timeline) { t.Sending.BufferLimited = 51 * ms }, LimitSendBuffer, OK},
		{"the send buffer a little", func(t *Timeline) { t.Sending.BufferLimited = 50 * ms }, LimitNetwork, OK},
		{"not seen empty", func(t *Timeline) { t.Drained = 0 }, "", BelowResolution},
		{"shared", func(t *Timeline) { t.Shared = true }, "", SharedConnection},
		{"cut", func(t *Timeline) { t.RequestBytes-- }, "", Aborted},
		{"none", func(t *Timeline) { t.HasBody = false }, "", NoBody},
		{"faster than light", func(t *Timeline) { t.Drained = t.FirstBodyRead + 1 }, "", BelowResolution},
	} {
		got := sending(c.edit)
		if got.WriteLimit() != c.limit || got.WriteQuality() != c.quality {
			t.Errorf("%s: limited by %q, %s, instead of %q, %s", c.name, got.WriteLimit(), got.WriteQuality(), c.limit,
				c.quality)
		}
	}
}

func TestReadLimit(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct { // of 50 ms
		name    string
		edit    func(*Timeline)
		limit   Limit
		quality Quality
	}{
		{"the network", func(*Timeline) {}, LimitNetwork, OK},
		{"the reader", func(t *Timeline) { t.ReaderTime = 45 * ms }, LimitReader, Paced},
		{"a reader that is nearly as slow", func(t *Timeline) { t.ReaderTime = 44 * ms }, LimitNetwork, OK},
		{"a long pause", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 25*ms, 25*ms }, LimitReader, Paced},
		{"one that may not matter", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 24*ms, 24*ms }, "", Paced},
		{"a short one", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 5*ms, 5*ms }, LimitNetwork, Paced},
		{"a very short one", func(t *Timeline) { t.ReaderTime, t.ReaderPaused = 2*ms, 2*ms }, LimitNetwork, OK},
		{"one piece", func(t *Timeline) { t.ResponseReads = 1 }, "", SingleRead},
		{"too short", func(t *Timeline) { t.LastResponseByte = t.FirstResponseByte + Stamp(ms)/2 }, "", BelowResolution},
		{"cut", func(t *Timeline) { t.ResponseEnded = false }, "", Aborted},
		{"none", func(t *Timeline) { t.ResponseBytes = 0 }, "", NoBody},
	} {
		got := upload()
		c.edit(got)
		if got.ReadLimit() != c.limit || got.ReadQuality() != c.quality {
			t.Errorf("%s: limited by %q, %s, instead of %q, %s", c.name, got.ReadLimit(), got.ReadQuality(), c.limit,
				c.quality)
		}
	}
	var none *Timeline
	if none.WriteLimit() != "" || none.ReadLimit() != "" {
		t.Error("a limit of nothing")
	}
}

// Exporters, files and alerts know qualities and limits by these names.
func TestLimitsAndQualitiesByName(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{string(LimitSource), "source"}, {string(LimitSendBuffer), "send_buffer"}, {string(LimitReceiver), "receiver"},
		{string(LimitNetwork), "network"}, {string(LimitReader), "reader"},
		{string(NoBody), "no_body"}, {string(Aborted), "aborted"}, {string(SharedConnection), "shared_connection"},
		{string(Sendfile), "sendfile"}, {string(Unseen), "unseen"}, {string(OK), "ok"}, {string(Paced), "paced"},
		{string(SingleRead), "single_read"}, {string(BelowResolution), "below_resolution"},
	} {
		if c.got != c.want {
			t.Errorf("%q instead of %q", c.got, c.want)
		}
	}
}
