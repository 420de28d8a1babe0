package kvapi

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestHowLongAnAnswerAboutARunMayBe: for each batch and each second some more, up to what a server keeps of them.
func TestHowLongAnAnswerAboutARunMayBe(t *testing.T) {
	const least, gaps, seconds = 4 << 20, 1 << 20, 24 * 3600
	for _, c := range []struct{ batches, seconds, want int64 }{
		{0, 0, least}, {-1, -1, least}, {1, 0, least + 64}, {0, 1, least + 512}, {2, 3, least + 2*64 + 3*512},
		{gaps, 0, least + 64*gaps}, {gaps + 1, 0, least + 64*gaps}, {0, seconds, least + 512*seconds},
		{0, seconds + 1, least + 512*seconds}, {math.MaxInt64, math.MaxInt64, least + 64*gaps + 512*seconds},
	} {
		if got := (&RunOptions{Batches: c.batches, Seconds: c.seconds}).most(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestAddresses: what is taken for that of a server, without a slash at its end.
func TestAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"http://host": "http://host", "https://host:1/": "https://host:1", "http://host/a//": "http://host/a", "http://[::1]:8": "http://[::1]:8",
		"http://host#x": "", "http://host?x": "", "http://@host": "", "http://u@host": "", "httpx://host": "", "http:///a": "", "http://h%": "",
	} {
		got, err := address(base)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v", base, got, err)
		}
	}
}

// TestAnswersOfAllStatuses: those from 200 to 299 are answers, and of the others the error is what they say.
func TestAnswersOfAllStatuses(t *testing.T) {
	status, text := 0, ""
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(LeftOut, "2")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
	r, err := NewReader(c.base, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := strings.Repeat("x", 199)
	for _, a := range []struct {
		status     int
		text, want string
	}{
		{200, `{"instance":"i"}`, ""}, {299, `{"instance":"i"}`, ""},
		{300, `{"error":"no"}`, "300 Multiple Choices: no"}, {404, `{"error":""}`, `404 Not Found: {"error":""}`},
		{400, `{"error":1}`, `400 Bad Request: {"error":1}`}, {500, " a\n\tb ", "500 Internal Server Error: a b"}, {503, "", "503 Service Unavailable: "},
		{500, x + "yz", "500 Internal Server Error: " + x + "y…"}, {500, x + "y", "500 Internal Server Error: " + x + "y"},
		{500, `{"error":"` + x + `é"}`, "500 Internal Server Error: " + x + "…"},
	} {
		status, text = a.status, a.text
		info, err := c.Info(t.Context())
		registered := c.Register(t.Context(), 1, Registration{})
		leftOut, moments := c.Moments(t.Context(), 1, 0, func(Moment) bool { return true })
		if a.want == "" {
			if err != nil || info.Instance != "i" || registered != nil || moments != nil || leftOut != 2 {
				t.Errorf("%d: %+v, %v, %v, %v, %d left out", a.status, info, err, registered, moments, leftOut)
			}
			continue
		}
		size, values := r.Values(t.Context(), []string{"a"}, map[string]Value{})
		for what, err := range map[string]error{
			"GET " + c.base + "/v1/info": err, "PUT " + c.base + "/v1/runs/1": registered, "GET " + c.base + "/v1/runs/1/moments": moments,
			"GET " + c.base + "/v1/getvalues": values,
		} {
			var refused *StatusError
			if want := what + ": " + a.want; err == nil || err.Error() != want || !errors.As(err, &refused) || refused.Status != a.status ||
				refused.Request != what {
				t.Errorf("%d: %v, want %s", a.status, err, want)
			}
		}
		if size != len(a.text) || leftOut != 0 {
			t.Errorf("%d: %d bytes, %d left out", a.status, size, leftOut)
		}
	}
	status, text = 204, ""
	if _, err := r.Values(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "204 No Content") {
		t.Errorf("values without any: %v", err)
	}
	status, text = 200, ""
	if err := c.Register(t.Context(), 1, Registration{}); err != nil {
		t.Errorf("nobody reads what is answered to it: %v", err)
	}
}

// TestAQuestionThatIsGivenUp by who asked is told so, and one that cannot be written is told, too.
func TestAQuestionThatIsGivenUp(t *testing.T) {
	c := serving(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := NewReader(c.base, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask := func() (all [3]error) {
		_, all[0] = c.Info(ctx)
		_, all[1] = c.Moments(ctx, 1, 1, func(Moment) bool { return true })
		_, all[2] = r.Values(ctx, nil, nil)
		return all
	}
	for _, err := range ask() {
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "it did not answer") {
			t.Errorf("%v", err)
		}
	}
	ctx, c.base, r.base = t.Context(), "http://[", "http://["
	for _, err := range ask() {
		if err == nil || !strings.Contains(err.Error(), "missing ']'") {
			t.Errorf("%v", err)
		}
	}
}

// TestHowManyWereLeftOut is a decimal number of 64 bits.
func TestHowManyWereLeftOut(t *testing.T) {
	said := ""
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(LeftOut, said) })
	for text, want := range map[string]int64{"0": 0, "10": 10, "9": 9, "9223372036854775807": math.MaxInt64, "a": -1, "": -1, "-1": -1} {
		said = text
		n, err := c.Moments(t.Context(), 1, 1, func(Moment) bool { return true })
		if (err != nil) != (want < 0) || err == nil && n != want || err != nil && n != 0 {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	moved := 0
	m := &mover{strings.NewReader("ab"), func() { moved++ }}
	for _, want := range []int{1, 2, 2} {
		if _, _ = m.Read(make([]byte, 1)); moved != want {
			t.Errorf("it has moved %d times, want %d", moved, want)
		}
	}
}

// TestAnswersThatAreCut are none, and how much came is told of values.
func TestAnswersThatAreCut(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set(LeftOut, "0")
		_, _ = io.WriteString(w, `{"keys":{}}`)
	})
	if _, err := c.Info(t.Context()); err == nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "ended early") {
		t.Errorf("%v", err)
	}
	if n, err := c.Moments(t.Context(), 1, 100, func(Moment) bool { return true }); err == nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	r, err := NewReader(c.base, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Values(t.Context(), nil, map[string]Value{}); n != 11 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, err := range []error{
		func() error {
			c, _ := NewClient(gone.URL, time.Minute)
			_, err := c.Moments(t.Context(), 1, 1, func(Moment) bool { return true })
			return err
		}(),
		func() error {
			r, _ := NewReader(gone.URL, 1)
			_, err := r.Values(t.Context(), nil, nil)
			return err
		}(),
	} {
		if err == nil || strings.Count(err.Error(), gone.URL) != 1 {
			t.Errorf("of a server that is gone: %v", err)
		}
	}
}

// TestMomentsAreBounded: what cannot be one is refused, just beyond the bounds of each part.
func TestMomentsAreBounded(t *testing.T) {
	whole := func(publisher, updates uint64) []byte {
		b := binary.AppendUvarint(nil, publisher)
		for range 3 {
			b = binary.AppendVarint(b, 1)
		}
		return binary.AppendUvarint(b, updates)
	}
	for _, c := range []struct {
		b    []byte
		well bool
	}{
		{whole(math.MaxUint32, 1<<62), true}, {whole(math.MaxUint32+1, 0), false}, {whole(0, 1<<62+1), false}, {nil, true},
		{bytes.Repeat([]byte{0xff}, 11), false}, {append([]byte{0}, bytes.Repeat([]byte{0xff}, 11)...), false},
	} {
		n := 0
		err := ReadMoments(bytes.NewReader(c.b), func(m Moment) bool {
			if n++; m.Sequence != 1 || m.DueNS != 1 || m.AppliedNS != 2 {
				t.Errorf("%+v", m)
			}
			return true
		})
		if (err == nil) != c.well || n > 0 != (c.well && c.b != nil) || !c.well && !errors.Is(err, errMoments) {
			t.Errorf("%x: %d, %v", c.b, n, err)
		}
	}
	if b := AppendMoment([]byte("b"), Moment{}, Moment{1, 2, -3, 4, 5}); !bytes.Equal(b, []byte{'b', 1, 4, 5, 14, 5}) {
		t.Errorf("%v", b)
	}
}

// TestHowManyMomentsAreRead: those of as many batches as were published, at their longest, and none beyond; none of a
// negative number.
func TestHowManyMomentsAreRead(t *testing.T) {
	// Two moments of 50 bytes: every integer of them takes ten.
	var long []byte
	for range 2 {
		for range 5 {
			long = append(long, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0)
		}
	}
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(LeftOut, "0")
		_, _ = w.Write(long)
	})
	for batches, want := range map[int64]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 2, math.MaxInt64: 2} {
		n := 0
		if _, err := c.Moments(t.Context(), 1, batches, func(Moment) bool { n++; return true }); n != want || err != nil {
			t.Errorf("of %d batches %d, %v", batches, n, err)
		}
	}
	if MaxMoments != 4_194_304 {
		t.Errorf("a server keeps %d", MaxMoments)
	}
}

// TestOffsets: from what the two clocks show, the offset of the shortest exchange, and how far it may be off.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		id    uint64
		now   []int64 // of the caller, before and behind each exchange
		clock []Clock // of the server, the first of the exchange that makes the connection
		want  Offset
		fails string
	}{
		{"odd", 1, 9, []int64{10, 15}, []Clock{{}, {1, 100}}, Offset{OffsetNS: 88, BoundNS: 3, RoundTripNS: 5, Exchanges: 1}, ""},
		{"even", 1, 9, []int64{10, 16}, []Clock{{}, {1, 100}}, Offset{OffsetNS: 87, BoundNS: 3, RoundTripNS: 6, Exchanges: 1}, ""},
		{"no time", 1, 9, []int64{10, 10}, []Clock{{}, {1, 9}}, Offset{OffsetNS: -1, Exchanges: 1}, ""},
		{"the first of two that take as long", 2, 9, []int64{0, 4, 10, 14}, []Clock{{}, {1, 50}, {1, 70}},
			Offset{OffsetNS: 48, BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"no time, and then some", 2, 9, []int64{0, 0, 10, 14}, []Clock{{}, {1, 50}, {1, 70}}, Offset{OffsetNS: 50, Exchanges: 2}, ""},
		{"the shorter one", 2, 9, []int64{0, 4, 10, 13}, []Clock{{}, {1, 50}, {1, 70}},
			Offset{OffsetNS: 59, BoundNS: 2, RoundTripNS: 3, Exchanges: 2}, ""},
		{"shared, at both bounds", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {1, 0}, {1, 14}},
			Offset{Shared: true, RoundTripNS: 4, Exchanges: 2}, ""},
		{"before it was asked", 2, 1, []int64{1, 5, 10, 14}, []Clock{{}, {1, 0}, {1, 12}},
			Offset{OffsetNS: -3, BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"behind the answer", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {1, 2}, {1, 15}},
			Offset{BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"another clock once", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {2, 2}, {1, 12}},
			Offset{BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"unknown on both sides", 1, 0, []int64{0, 4}, []Clock{{}, {0, 2}}, Offset{BoundNS: 2, RoundTripNS: 4, Exchanges: 1}, ""},
		{"a clock that goes back", 2, 1, []int64{0, 4, 10, 9}, []Clock{{}, {1, 2}, {1, 10}}, Offset{}, "went back by 1 ns"},
		{"not at all", 0, 1, nil, nil, Offset{}, "at least once"},
		{"nobody the first time", 1, 1, nil, nil, Offset{}, "503"},
		{"nobody behind it", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {1, 2}}, Offset{}, "503"},
	} {
		client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			if len(c.clock) == 0 {
				w.WriteHeader(503)
				return
			}
			answer, _ := json.Marshal(c.clock[0])
			c.clock = c.clock[1:]
			_, _ = w.Write(answer)
		})
		now := func() int64 { n := c.now[0]; c.now = c.now[1:]; return n }
		got, err := client.Offset(t.Context(), c.n, now, c.id)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

// TestValuesOfAllKinds: a text is one with its escapes undone, and what has no value has no entry.
func TestValuesOfAllKinds(t *testing.T) {
	found := map[string]Value{"before": {"x", true}}
	err := decodeValues([]byte(`{"keys":{"a":{"value":"x\n\u00e9\ud800"},"":{"value":""},"n":{"value":null},"1":{"value":1},"o":{}}}`), found)
	want := map[string]Value{"before": {"x", true}, "a": {"x\né\ufffd", true}, "": {"", true}, "n": {}, "1": {}}
	if diff := cmp.Diff(want, found); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, text := range []string{`{"keys":null}`, `{"keys":{"a":{"value":}}}`, `[]`, ``} {
		if err := decodeValues([]byte(text), found); !errors.Is(err, errValues) || strings.HasSuffix(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestStages: what a distribution knows exactly, and what is left out of it.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		name                     string
		values                   []int64
		count, low, high, mean   int64
		negative, lowestNegative int64
	}{
		{"nothing", nil, 0, 0, 0, 0, 0, 0},
		{"zero is not negative", []int64{0}, 1, 0, 0, 0, 0, 0},
		{"one", []int64{7}, 1, 7, 7, 7, 0, 0},
		{"one negative", []int64{-7}, 0, 0, 0, 0, 1, -7},
		{"negative", []int64{-1, -3, -2}, 0, 0, 0, 0, 3, -3},
		{"both", []int64{-1, 4, 2}, 2, 2, 4, 3, 1, -1},
		{"the longest", []int64{Longest, Longest + 2}, 2, Longest, Longest + 2, Longest + 1, 0, 0},
		{"a sum that is just known", []int64{math.MaxInt64 - 1, 1}, 2, 1, math.MaxInt64 - 1, 1 << 62, 0, 0},
	} {
		var d Distribution
		for _, v := range c.values {
			d.Add(v)
		}
		s := d.Stage()
		if s.Summary.Count != c.count || s.Summary.MinNS != c.low || s.Summary.MaxNS != c.high || s.Summary.MeanNS != c.mean ||
			s.Negative != c.negative || s.NegativeMin != c.lowestNegative || d.Any() != (len(c.values) > 0) {
			t.Errorf("%s: %+v, any %v", c.name, s, d.Any())
		}
	}
	// A sum beyond 64 bits is not known: the mean is the histogram's, which ends at the longest that it tells apart.
	var d Distribution
	d.Add(math.MaxInt64)
	d.Add(1)
	if s := d.Stage(); s.Summary.MeanNS < Longest/2-Longest/1000 || s.Summary.MeanNS > Longest/2+Longest/1000 {
		t.Errorf("%+v", s)
	}
}

// TestAClone is not changed by what is entered into the other, nor the other by it.
func TestAClone(t *testing.T) {
	var none Distribution
	if c := none.Clone(); c.Any() {
		t.Error("a copy of nothing has something")
	}
	var d Distribution
	for n := range int64(1000) {
		d.Add(1000 + n)
	}
	before := d.Stage()
	c := d.Clone()
	if diff := cmp.Diff(before, c.Stage()); diff != "" {
		t.Error(diff)
	}
	for range 1000 {
		d.Add(1)
	}
	if diff := cmp.Diff(before, c.Stage()); diff != "" {
		t.Error(diff)
	}
	if s := d.Stage(); s.Summary.Count != 2000 || s.Summary.MinNS != 1 {
		t.Errorf("%+v", s)
	}
}

// TestEachRankHasItsValue, and not that of the one before it: the values are told apart by the histogram.
func TestEachRankHasItsValue(t *testing.T) {
	known := 0
	for n := int64(200); n < 2000; n += 37 {
		var d Distribution
		for i := range n {
			d.Add((i*7919)%n + 1) // as many as there are, in an order that says nothing
		}
		r := stats.QuantileRanks(n, 0.5, d.order.Above)
		if r.Absent != "" { // neighbours are too much alike
			continue
		}
		known++
		if v := d.interval(500); v == nil || v.LowNS != r.Low || v.HighNS != r.High || v.Effective != r.Effective {
			t.Errorf("of %d: %+v, want the ranks %+v", n, v, r)
		}
	}
	if known < 40 {
		t.Errorf("only %d have an interval", known)
	}
}

// TestRanksAmongNegatives: those count, and the percentiles of the others are what is at the rank behind them.
func TestRanksAmongNegatives(t *testing.T) {
	for _, c := range []struct {
		negative, others int64
		want             map[int64]int64
	}{
		{200, 1500, map[int64]int64{500: 650, 900: 1330, 950: 1415, 990: 1483}},
		{500, 2000, map[int64]int64{500: 750, 900: 1750, 950: 1875, 990: 1975}},
		{1, 999, map[int64]int64{500: 499, 900: 899, 950: 949, 990: 989}},
	} {
		var d Distribution
		for range c.negative {
			d.Add(-1)
		}
		for n := range c.others {
			d.Add(n + 1)
		}
		for permille, want := range c.want {
			if v := d.percentile(permille); v == nil || *v != want {
				t.Errorf("%d and %d: %d is %v, want %d", c.negative, c.others, permille, v, want)
			}
		}
	}
	// Three digits are told apart, and even numbers from odd ones.
	var even, large Distribution
	for n := range int64(100) {
		even.Add(2 * n)
		large.Add(1_000_000 + 1000*n)
	}
	if v := even.Stage().Summary.P50NS; v == nil || *v != 98 {
		t.Errorf("the median of even numbers is %v", v)
	}
	if v := large.Stage().Summary.P50NS; v == nil || *v != 1_049_599 { // the last of the 1,024 that are one
		t.Errorf("the median of large numbers is %v", v)
	}
}

// TestIntervalsOfPercentiles hold the percentile, lie within what was seen, and are left out where some are negative.
func TestIntervalsOfPercentiles(t *testing.T) {
	var d Distribution
	for n := range int64(10_000) {
		d.Add(1000 + n*7919%10_000) // in an order that says nothing
	}
	s := d.Stage().Summary
	for permille, want := range map[int64]int64{500: 5999, 900: 9999, 990: 10_899} {
		v := d.interval(permille)
		if v == nil {
			t.Errorf("%d has no interval", permille)
			continue
		}
		// The ranks of a binomial proportion: 1.96·√(n·p·(1−p)) of n to either side.
		p := float64(permille) / 1000
		width := int64(1.96 * math.Sqrt(10_000*p*(1-p)))
		near := func(got, want int64) bool { return got >= want-want/200-2 && got <= want+want/200+2 }
		if !near(v.LowNS, want-width) || !near(v.HighNS, want+width) || v.Effective < 5000 {
			t.Errorf("%d: %+v around %d by %d", permille, v, want, width)
		}
	}
	if s.P50NS == nil || d.interval(999) == nil || d.interval(999).HighNS > s.MaxNS {
		t.Errorf("%+v", d.interval(999))
	}
	var few Distribution
	few.Add(1)
	if v := few.interval(500); v != nil {
		t.Errorf("of one there is %+v", v)
	}
	d.Add(-1)
	with, without := d.Stage().Summary, s
	if cmp.Equal(with, without) || !cmp.Equal(without, func() rundoc.Summary { s := d; s.negative = 0; return s.Stage().Summary }()) {
		t.Errorf("%+v, without a negative one %+v", with, without)
	}
}

// TestWhatOthersKnowByName: servers and clients of other versions write and read these.
func TestWhatOthersKnowByName(t *testing.T) {
	if LeftOut != "Plimsoll-Left-Out" || EventReceiveFailed != "receive-failed" || EventUnreadable != "unreadable" || Longest != 4_398_046_511_103 {
		t.Errorf("%s, %s, %s, %d", LeftOut, EventReceiveFailed, EventUnreadable, int64(Longest))
	}
}
