package throughput

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
)

type both struct {
	At   Stamp
	Size Size
}

// Stamps and sizes are written as what they mean, and not as the numbers that hold them.
func TestMarshal(t *testing.T) {
	for _, c := range []struct {
		is               both
		prints, asJSON   string
		stampText, bytes string
		logged           string
	}{
		{both{}, "{never unknown}", `{"At":null,"Size":null}`, "", "", `at=<nil> size=<nil>`},
		{both{At(0), SizeOf(0)}, "{0s 0 bytes}", `{"At":0,"Size":0}`, "0", "0", `at=0s size=0`},
		{both{At(1500 * time.Microsecond), SizeOf(4096)}, "{1.5ms 4096 bytes}", `{"At":1500000,"Size":4096}`,
			"1500000", "4096", `at=1.5ms size=4096`},
		{both{At(math.MaxInt64), SizeOf(math.MaxInt64)}, "{2562047h47m16.854775806s 9223372036854775806 bytes}",
			`{"At":9223372036854775806,"Size":9223372036854775806}`, "9223372036854775806", "9223372036854775806",
			`at=2562047h47m16.854775806s size=9223372036854775806`},
		{both{-1, -1}, "{never unknown}", `{"At":null,"Size":null}`, "", "", `at=<nil> size=<nil>`},
	} {
		if got := fmt.Sprint(c.is); got != c.prints {
			t.Errorf("prints %q instead of %q", got, c.prints)
		}
		want := both{max(c.is.At, 0), max(c.is.Size, 0)}
		text, err := json.Marshal(c.is)
		back := both{77, 77}
		if e := json.Unmarshal(text, &back); err != nil || e != nil || string(text) != c.asJSON || back != want {
			t.Errorf("JSON %s instead of %s, and back %+v: %v, %v", text, c.asJSON, back, err, e)
		}
		back = both{77, 77}
		for _, each := range []struct {
			from encoding.TextMarshaler
			to   encoding.TextUnmarshaler
			want string
		}{{c.is.At, &back.At, c.stampText}, {c.is.Size, &back.Size, c.bytes}} {
			text, err := each.from.MarshalText()
			if e := each.to.UnmarshalText(text); err != nil || e != nil || string(text) != each.want {
				t.Errorf("text %q instead of %q: %v, %v", text, each.want, err, e)
			}
		}
		if back != want {
			t.Errorf("back from text %+v instead of %+v", back, want)
		}
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Info("", "at", c.is.At, "size", c.is.Size)
		if !strings.HasSuffix(out.String(), c.logged+"\n") {
			t.Errorf("logged %q instead of %q", out.String(), c.logged)
		}
	}
}

func TestUnmarshalWrong(t *testing.T) {
	for _, text := range []string{`-1`, `1.5`, `"1"`, `true`, `9223372036854775807`, `99999999999999999999`} {
		is := both{5, 5}
		for _, err := range []error{json.Unmarshal([]byte(text), &is.At), json.Unmarshal([]byte(text), &is.Size)} {
			if err == nil || !strings.Contains(err.Error(), "is not a") {
				t.Errorf("%s: %v", text, err)
			}
		}
		if is != (both{5, 5}) {
			t.Errorf("%s became %v", text, is)
		}
	}
	var s Stamp
	if err := s.UnmarshalText([]byte("null")); err == nil {
		t.Error("null is no text")
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{"", "null", "0", "-1", "+1", "1e3", "9223372036854775806", "9223372036854775807"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again Stamp
		if s.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		written, err := s.MarshalJSON()
		if e := again.UnmarshalJSON(written); err != nil || e != nil || s < 0 || again != s {
			t.Errorf("%q is %d, written %s, and back %d: %v, %v", text, s, written, again, err, e)
		}
	})
}

// The time between two moments needs both, in their order.
func TestSince(t *testing.T) {
	for _, c := range []struct {
		s, earlier Stamp
		want       time.Duration // below 0: absent
	}{{At(5), At(2), 3}, {At(5), At(5), 0}, {At(0), At(0), 0}, {At(2), At(5), -1}, {At(5), 0, -1}, {0, At(5), -1}, {0, 0, -1}} {
		if got, ok := c.s.since(c.earlier); got != max(c.want, 0) || ok != (c.want >= 0) {
			t.Errorf("from %v to %v: %v, %t", c.earlier, c.s, got, ok)
		}
	}
}
