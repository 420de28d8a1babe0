package live

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/plimsoll/plimsoll/internal/onlook"
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
