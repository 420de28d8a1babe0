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
)

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
