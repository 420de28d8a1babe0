package live

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// TestEvents holds all that is told of runs against a file: written again by -update, it is to be looked at again.
func TestEvents(t *testing.T) {
	moving := counted(2000, 30)
	moving.Operations[0].BytesPerS = 3 << 20
	moving.Operations[0].Unsent = 4
	moving.SumUp(nil)
	other := going("second", moving)
	other.Workload, other.Kind.Mixed = "coffee", true
	var out bytes.Buffer
	for _, c := range []struct {
		name string
		now  []onlook.Moment
	}{
		{"none", nil}, {"one", []onlook.Moment{going("", counted(2000, 30))}}, {"one of several", []onlook.Moment{going("rate=5", moving)}},
		{"not counted", []onlook.Moment{going("", nil)}},
		{"two sides", []onlook.Moment{going("first", counted(2000, 30)), other, going("", nil)}},
	} {
		of := newPage(nil).model(c.now)
		fmt.Fprintf(&out, "# %s: %s\n%s\n", c.name, of.Title, of.Now)
		for _, f := range of.Facts {
			fmt.Fprintf(&out, "%s: %s; strong %v %q\n", f.Key, f.Value, f.Strong, f.Points)
		}
		for _, panel := range of.Panels {
			fmt.Fprintf(&out, "panel %s: %s\n", panel.Name, panel.Title)
		}
		fmt.Fprintf(&out, "%+v\n", of.Lead)
	}
	const path = "testdata/events.txt"
	got := out.String()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("what is told is not that of %s:\n%s", path, got)
	}
}

// TestWhenSilenceIsDoubtful: when nothing has ended for two seconds and longer than the longest response time, while
// something is in flight.
func TestWhenSilenceIsDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		ok, failed, inFlight int64
		window, longest      time.Duration
		doubtful             bool
	}{
		"two seconds":          {1, 0, 1, 3 * time.Second, time.Second, true},
		"not yet":              {1, 0, 1, 3*time.Second - 1, time.Second, false},
		"failures end, too":    {0, 1, 1, 3 * time.Second, time.Second, true},
		"as long as another":   {1, 0, 1, 5 * time.Second, 4 * time.Second, false},
		"longer than another":  {1, 0, 1, 5*time.Second + 1, 4 * time.Second, true},
		"nothing in flight":    {1, 0, 0, 9 * time.Second, time.Second, false},
		"nothing has ended":    {0, 0, 1, 9 * time.Second, 0, false},
		"nothing of either":    {0, 0, 0, 9 * time.Second, 0, false},
		"of many in flight":    {5, 5, 9, 9 * time.Second, time.Second, true},
		"before anything ends": {0, 0, 1, 2 * time.Second, 0, false},
	} {
		doc := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: int64(c.window)}, Series: []rundoc.Point{{OK: c.ok, Failed: c.failed}, {Second: 1}}}
		v := report.NewCount(doc, report.Kind{})
		v.Total.ResponseTime.MaxNS = int64(c.longest)
		f := counting{v, c.inFlight}.responseTime()
		if got := f.Tone == report.Doubtful; got != c.doubtful || got != (len(f.Points) == 1) || !f.Strong {
			t.Errorf("%s: doubtful %v, %q", name, got, f.Points)
		}
	}
}
