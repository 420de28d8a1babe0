package export

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// A port alone is one of the loopback: whoever wants others to see a run says so.
func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", " 0 ": "127.0.0.1:0", "0.0.0.0:9090": "0.0.0.0:9090",
		"[::1]:80": "[::1]:80", "host.example:9090": "host.example:9090",
	} {
		if got, err := Address(in); got != want || err != nil {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", ":", "a:b:c", "host:", "host", "99999", "-1", ":http"} {
		if got, err := Address(in); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// What cannot be listened on is told before anything is measured, in one line that names the flag.
func TestAnAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := Settings{Metrics: l.Addr().String()}
	_, _, err = s.Open(t.Context(), Surroundings{})
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "--metrics: cannot listen on "+s.Metrics) ||
		strings.Count(err.Error(), s.Metrics) != 1 {
		t.Errorf("%v", err)
	}
}

// A time to wait for a scrape is refused where there is none.
func TestLinger(t *testing.T) {
	for _, one := range []struct {
		Settings
		fine bool
	}{
		{Settings{Metrics: "x:1", MetricsLinger: time.Second}, true}, {Settings{}, true},
		{Settings{MetricsLinger: time.Second}, false}, {Settings{Metrics: "x:1", MetricsLinger: -time.Second}, false},
	} {
		if err := one.linger("--metrics-linger"); (err == nil) != one.fine {
			t.Errorf("%+v: %v", one.Settings, err)
		}
	}
}
