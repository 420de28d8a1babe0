package script

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFileErrorsAreExplained: of each file of testdata/refused.txt its error, where that is, and what to do. A file begins
// behind a line ----; what is said of it follows behind =>.
func TestFileErrorsAreExplained(t *testing.T) {
	const name = "testdata/refused.txt"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for i, part := range strings.Split(string(data), "----\n") {
		text, _, _ := strings.Cut(part, "=>\n")
		if i == 0 {
			now.WriteString(text)
			continue
		}
		o := Options{Base: "http://h/", Open: opened, Env: func(name string) (string, bool) { return "s3cret", name == "KEY" }}
		if strings.Contains(text, "NO_BASE") {
			o.Base = ""
		}
		fmt.Fprintf(&now, "----\n%s=>\n", text)
		s, err := Read("f.yaml", []byte(text), o)
		if err == nil || s != nil {
			t.Errorf("it is taken:\n%s", text)
			continue
		}
		fmt.Fprintf(&now, "%s\n", err)
		for _, line := range fault.PictureOf(err) {
			fmt.Fprintf(&now, "  | %s\n", line)
		}
		fmt.Fprintf(&now, "hint: %s\n\n", fault.HintOf(err))
		if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" || strings.Contains(err.Error(), "\n") ||
			strings.Contains(fmt.Sprint(err, fault.PictureOf(err)), "s3cret") {
			t.Errorf("%q: code %d, hint %q", err, fault.CodeOf(err), fault.HintOf(err))
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(now.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), now.String()); diff != "" {
		t.Error(diff)
	}
}
