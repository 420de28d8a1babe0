package kvapi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written are moments as a server writes them.
func written(all []Moment) (b []byte) {
	var last Moment
	for _, m := range all {
		b = AppendMoment(b, last, m)
		last = m
	}
	return b
}

func someMoments() []Moment {
	return []Moment{
		{Publisher: 1, Sequence: 0, DueNS: 5e12, AppliedNS: 5e12 + 1e6, Updates: 1000},
		{Publisher: 0, Sequence: 7, DueNS: 5e12 - 22e6, AppliedNS: 5e12 + 3e6, Updates: 1},
		{Publisher: math.MaxUint32, Sequence: math.MaxUint64, DueNS: math.MinInt64, AppliedNS: math.MaxInt64, Updates: 0},
		{Publisher: 3, Sequence: 1, DueNS: 3, AppliedNS: -7, Updates: 12},
	}
}

func TestMomentsRoundTrip(t *testing.T) {
	var got []Moment
	err := ReadMoments(bytes.NewReader(written(someMoments())), func(m Moment) bool { got = append(got, m); return true })
	if diff := cmp.Diff(someMoments(), got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	n := 0
	if err := ReadMoments(bytes.NewReader(written(someMoments())), func(Moment) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("%d read, %v", n, err)
	}
}

func TestReadMomentsRejectsTruncatedInput(t *testing.T) {
	b := written(someMoments()[:1])
	for n := 1; n < len(b); n++ {
		if err := ReadMoments(bytes.NewReader(b[:n]), func(Moment) bool { return true }); err == nil {
			t.Errorf("the first %d of %d bytes: no error", n, len(b))
		}
	}
}

func TestClientMoments(t *testing.T) {
	for _, c := range []struct {
		name   string
		header string
		status int
		most   int64
		n      int
		fails  bool
	}{
		{"all", "0", 200, 10, 4, false},
		{"some left out", "3", 200, 10, 4, false},
		{"no moments", "", 404, 10, 0, true},
		{"another program", "", 200, 10, 0, true},
		{"nonsense", "-1", 200, 10, 0, true},
		{"more than there can be", "0", 200, 1, 0, true},
	} {
		client := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if c.header != "" {
				w.Header().Set(LeftOut, c.header)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write(written(someMoments()))
		})
		n := 0
		leftOut, err := client.Moments(t.Context(), 4, c.most, func(Moment) bool { n++; return true })
		if (err != nil) != c.fails || !c.fails && (n != c.n || c.header == "3" && leftOut != 3) {
			t.Errorf("%s: %d, %d left out, %v", c.name, n, leftOut, err)
		}
	}
}

// TestReadMomentsRejectsValuesOutOfRange checks values at the bounds of each field and just beyond.
func TestReadMomentsRejectsValuesOutOfRange(t *testing.T) {
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

func FuzzMoments(f *testing.F) {
	f.Add(written(someMoments()))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got, again []Moment
		if ReadMoments(bytes.NewReader(b), func(m Moment) bool { got = append(got, m); return true }) != nil {
			return
		}
		err := ReadMoments(bytes.NewReader(written(got)), func(m Moment) bool { again = append(again, m); return true })
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%v (-before +again):\n%s", err, diff)
		}
	})
}
