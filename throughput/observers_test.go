package throughput

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func ms(n int) Stamp { return At(time.Duration(n) * time.Millisecond) }

// upload is 1 MB in 100 ms and a round trip, answered 20 ms later with 1 MB in 50 ms.
func upload() *Timeline {
	return &Timeline{
		Method: "PUT", Host: "example.org", Status: 200, Attempt: 1, Proto: "HTTP/1.1", HasBody: true,
		ContentLength: 1e6,
		RequestBytes:  1e6, RequestReads: 31, MinRTT: time.Millisecond,
		ConnectionGot: ms(1), FirstBodyRead: ms(1), LastBodyRead: ms(11), RequestWritten: ms(12), Drained: ms(102),
		FirstResponseByte: ms(122), LastResponseByte: ms(172), ResponseEnded: true, ResponseBytes: 1e6,
		ResponseReads: 40,
	}
}

func TestFigures(t *testing.T) {
	figures := func(edit func(*Timeline)) map[string]any {
		tl := upload()
		edit(tl)
		got := map[string]any{"quality": tl.WriteQuality(), "read_quality": tl.ReadQuality()}
		for _, r := range tl.Rates() {
			got[r.Name] = r.Value
		}
		for _, d := range tl.Durations() {
			got[d.Name] = d.Value.String()
		}
		return got
	}
	all := func(change map[string]any) map[string]any {
		want := map[string]any{
			"quality": OK, "read_quality": OK, "write_throughput_handoff": 1e8, "write_throughput_delivered": 1e7, "read_throughput": 2e7,
			"setup": "1ms", "ttfb": "122ms", "ttlb": "172ms", "server_time": "20ms",
		}
		for k, v := range change {
			if v == nil {
				delete(want, k)
			} else {
				want[k] = v
			}
		}
		return want
	}
	none := map[string]any{"write_throughput_delivered": nil}
	with := func(m map[string]any, k string, v any) map[string]any {
		c := map[string]any{k: v}
		for k, v := range m {
			c[k] = v
		}
		return c
	}
	for _, c := range []struct {
		name string
		edit func(*Timeline)
		want map[string]any
	}{
		{"whole", func(*Timeline) {}, nil},
		{"doubtful", func(t *Timeline) { t.DrainedError = 10 * time.Millisecond },
			map[string]any{"quality": BelowResolution}},
		{"hopeless", func(t *Timeline) { t.DrainedError = time.Second }, with(none, "quality", BelowResolution)},
		{"not drained", func(t *Timeline) { t.Drained = 0 },
			map[string]any{"quality": BelowResolution, "write_throughput_delivered": nil, "server_time": "110ms"}},
		{"partly drained", func(t *Timeline) { t.Drained, t.Queued, t.RequestWritten = 0, SizeOf(1e5), ms(92) },
			map[string]any{"quality": BelowResolution, "server_time": "30ms"}},
		{"nobody asked", func(t *Timeline) { t.Drained, t.MinRTT = 0, 0 },
			with(with(none, "quality", BelowResolution), "server_time", "110ms")},
		{"faster than light", func(t *Timeline) { t.Drained = ms(1) },
			with(with(none, "quality", BelowResolution), "server_time", "121ms")},
		{"one piece", func(t *Timeline) { t.RequestReads = 1 }, map[string]any{"write_throughput_handoff": nil}},
		{"one piece, not drained", func(t *Timeline) { t.RequestReads, t.Drained = 1, 0 },
			map[string]any{"quality": SingleRead, "write_throughput_handoff": nil, "write_throughput_delivered": nil,
				"server_time": "110ms"}},
		{"sendfile", func(t *Timeline) { t.Sendfile = true },
			map[string]any{"quality": Sendfile, "write_throughput_handoff": nil}},
		{"shared", func(t *Timeline) { t.Shared = true }, with(none, "quality", SharedConnection)},
		{"cut", func(t *Timeline) { t.RequestBytes-- },
			map[string]any{"quality": Aborted, "write_throughput_delivered": nil,
				"write_throughput_handoff": 99999900.0}},
		{"no answer", func(t *Timeline) { t.Status, t.FirstResponseByte, t.ResponseEnded = 0, 0, false },
			map[string]any{"quality": Aborted, "read_quality": Aborted, "write_throughput_delivered": nil, "read_throughput": nil, "ttfb": nil,
				"ttlb": nil, "server_time": nil}},
		{"at once", func(t *Timeline) { t.LastBodyRead, t.LastResponseByte = t.FirstBodyRead, t.FirstResponseByte },
			map[string]any{"read_quality": BelowResolution, "write_throughput_handoff": nil, "read_throughput": nil,
				"ttlb": "122ms"}},
		{"download", func(t *Timeline) { t.HasBody, t.RequestReads, t.RequestBytes, t.Drained = false, 0, 0, 0 },
			map[string]any{"quality": NoBody, "write_throughput_handoff": nil, "write_throughput_delivered": nil,
				"server_time": "110ms"}},
		{"small download", func(t *Timeline) { t.HasBody, t.RequestReads, t.ResponseReads, t.Drained = false, 0, 1, 0 },
			map[string]any{"quality": NoBody, "read_quality": SingleRead, "read_throughput": nil, "write_throughput_handoff": nil,
				"write_throughput_delivered": nil, "server_time": "110ms"}},
		{"empty", func(t *Timeline) { t.RequestBytes, t.ContentLength, t.ResponseBytes, t.BodyAsked = 0, -1, 0, ms(1) },
			map[string]any{"quality": NoBody, "read_quality": NoBody, "write_throughput_handoff": nil,
				"write_throughput_delivered": nil, "read_throughput": nil}},
		{"refused, and the refusal read", func(t *Timeline) { t.Err, t.RequestWritten = errors.New("x"), 0 },
			map[string]any{"quality": Aborted, "write_throughput_delivered": nil}},
		{"answer first", func(t *Timeline) { t.FirstResponseByte = ms(50) },
			map[string]any{"ttfb": "50ms", "server_time": nil, "read_throughput": 1e6 / 0.122}},
	} {
		near := func(a, b any) bool {
			x, isNumber := a.(float64)
			y, both := b.(float64)
			return a == b || isNumber && both && max(x/y, y/x) < 1+1e-9
		}
		if want, got := all(c.want), figures(c.edit); !maps.EqualFunc(want, got, near) {
			t.Errorf("%s: want %v\ngot  %v", c.name, want, got)
		}
	}
	if len((&Timeline{}).Rates())+len((&Timeline{}).Durations()) != 0 {
		t.Error("figures of nothing")
	}
}

func TestTotals(t *testing.T) {
	var reports []Sums
	o := NewTotals(40*time.Millisecond, func(s Sums) { reports = append(reports, s) })
	up := func() *Timeline { // 20 ms in I/O, 151 ms by the wall
		t := upload()
		t.RequestWritten = ms(14) // after 13 ms, of which the source had 1
		t.SourceTime, t.ReaderTime = time.Millisecond, 42*time.Millisecond
		return t
	}
	for range 5 {
		o.Observe(context.Background(), up())
	}
	failed := up()
	failed.Err, failed.Status, failed.ResponseEnded = errors.New("x"), 0, false
	o.Observe(context.Background(), failed)
	copied := up()
	copied.Copied, copied.ResponseBytes = true, 0
	o.Observe(context.Background(), copied) // nobody saw its body move
	o.AddRead(Progress{First: ms(0), Last: ms(3), Bytes: 7, Calls: 2, InIO: time.Millisecond})
	o.AddWrite(Progress{First: ms(0), Last: ms(3), Bytes: 7, Calls: 2, InIO: 2 * time.Millisecond})
	o.Flush()
	o.Flush()
	two := Sums{Attempts: 2, WriteBytes: 2e6, WriteIO: 24 * time.Millisecond, WriteWall: 202 * time.Millisecond,
		ReadBytes: 2e6, ReadIO: 16 * time.Millisecond, ReadWall: 100 * time.Millisecond}
	rest := Sums{Attempts: 3, Failed: 1, WriteBytes: 1e6 + 7, WriteIO: 14 * time.Millisecond,
		WriteWall: 104 * time.Millisecond, ReadBytes: 1e6 + 7, ReadIO: 9 * time.Millisecond,
		ReadWall: 53 * time.Millisecond}
	if want := []Sums{two, two, rest}; !slices.Equal(want, reports) {
		t.Errorf("want %+v\ngot  %+v", want, reports)
	}
	if all := o.All(); all.Attempts != 7 || all.WriteBytes != 5e6+7 {
		t.Errorf("%+v", all)
	}
	for i, c := range []struct {
		rate func() (float64, bool)
		want float64
	}{
		{two.WriteThroughputIO, 2e6 / 0.024}, {two.WriteThroughputWall, 2e6 / 0.202},
		{two.ReadThroughputIO, 2e6 / 0.016}, {two.ReadThroughputWall, 2e6 / 0.1},
	} {
		if r, ok := c.rate(); !ok || r != c.want {
			t.Errorf("%d: %v, %v instead of %v", i, r, ok, c.want)
		}
	}
	if _, ok := (Sums{Attempts: 1}).ReadThroughputIO(); ok {
		t.Error("a rate of nothing")
	}
	var nothing *Totals
	nothing.Observe(context.Background(), failed)
	nothing.AddRead(Progress{})
	nothing.Flush()
	_ = nothing.All()
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	l := slog.New(slog.NewTextHandler(&out,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	o := NewLogger(l)
	o.Observe(context.Background(), upload())
	o.Observe(context.Background(), &Timeline{Method: "GET", Host: "example.org", Attempt: 1, Err: errors.New("refused")})
	o.Observe(context.Background(), nil)
	want := `level=DEBUG msg="http attempt" method=PUT host=example.org attempt=1 write_quality=ok read_quality=ok request_bytes=1000000 response_bytes=1000000 reused=false status=200 proto=HTTP/1.1 read_limit=network setup=1ms ttfb=122ms ttlb=172ms server_time=20ms write_throughput_handoff=1e+08 write_throughput_delivered=1e+07 read_throughput=2e+07
level=WARN msg="http attempt" method=GET host=example.org attempt=1 write_quality=no_body read_quality=aborted request_bytes=0 response_bytes=0 reused=false error=refused
`
	if out.String() != want {
		t.Errorf("want %s\ngot  %s", want, out.String())
	}
	l.Info("x", "timeline", upload(), "none", (*Timeline)(nil))
	if !strings.Contains(out.String(), "timeline.ttfb=122ms") {
		t.Error(out.String())
	}
}

func TestStreams(t *testing.T) {
	r := NewReader(io.LimitReader(endless{}, 100_000))
	if n, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, make([]byte, 1000)); n != 100_000 || err != nil {
		t.Error(n, err)
	}
	p := r.Progress()
	if p.Bytes != 100_000 || p.Calls < 2 || !p.First.Happened() || p.Last < p.First || p.Started.IsZero() {
		t.Errorf("%+v", p)
	}
	var done []Progress
	c := NewReadCloser(io.NopCloser(strings.NewReader("abc")), func(p Progress) { done = append(done, p) })
	_, _ = io.Copy(io.Discard, c)
	_, _ = c.Close(), c.Close()
	if len(done) != 1 || done[0].Bytes != 3 || done[0].Calls != 1 {
		t.Errorf("%+v", done)
	}
	if _, ok := done[0].Throughput(); ok {
		t.Error("one piece has no rate")
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	for range 3 {
		_, _ = io.WriteString(w, "abc")
	}
	if got := w.Progress(); got.Bytes != 9 || b.Len() != 9 {
		t.Errorf("%+v", got)
	}
	var r0 *Reader
	var c0 *ReadCloser
	var w0 *Writer
	_, e1 := r0.Read(nil)
	_, e2 := NewReadCloser(nil, nil).Read(nil)
	n, e3 := w0.Write([]byte("x"))
	if n, err := new(Writer).Write([]byte("x")); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	_, e4 := NewWriter(nil).Write([]byte("x"))
	if e1 != io.EOF || e2 != io.EOF || n != 1 || e3 != nil || e4 != nil || c0.Close() != nil ||
		r0.Progress() != (Progress{}) || w0.Progress() != (Progress{}) {
		t.Error("nil is not safe")
	}
}

type labelKey struct{}

// Observers read what the request's context holds: also when the context has ended before the
// attempt, and when the caller has given the request another one.
func TestContextOfAnObserver(t *testing.T) {
	s := serve(t, swallow(100_000))
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	type seen struct {
		label string
		err   error
	}
	got := make(chan seen, 2)
	watch := ObserverFunc(func(ctx context.Context, _ *Timeline) {
		label, _ := ctx.Value(labelKey{}).(string)
		got <- seen{label, ctx.Err()}
	})
	c := &http.Client{Transport: Wrap(base, watch)}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), labelKey{}, "of the call"))
	defer cancel()
	req := request(t, http.MethodGet, s.URL, nil).WithContext(WithObserver(ctx, watch))
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	*req = *req.WithContext(context.Background())
	cancel()
	_ = resp.Body.Close()
	for range 2 {
		if each := <-got; each.label != "of the call" || each.err == nil {
			t.Errorf("observed with %q and the error %v", each.label, each.err)
		}
	}
}
