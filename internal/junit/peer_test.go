package junit

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// reader counts what a reader of others finds in files.
const reader = `
import sys
from junitparser import JUnitXml
for path in sys.argv[1:]:
    xml, n = JUnitXml.fromfile(path), {"Failure": 0, "Error": 0, "Skipped": 0}
    cases = [case for suite in xml for case in suite]
    for case in cases:
        for result in case.result:
            n[type(result).__name__] += 1
    assert (xml.tests, xml.failures, xml.errors) == (len(cases), n["Failure"], n["Error"]), path
    print(path, len(cases), n["Failure"], n["Error"], n["Skipped"])
`

// Others read the golden files as they were meant.
func TestReadByOthers(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), peertest.Python(t), append([]string{"-c", reader}, paths...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	all := reports()
	var want strings.Builder
	for _, path := range paths {
		n := all[strings.TrimSuffix(filepath.Base(path), ".xml")].counts()
		fmt.Fprintln(&want, path, n.all, n.failed, n.errored, n.skipped)
	}
	if string(got) != want.String() {
		t.Errorf("they find\n%swant\n%s", got, want.String())
	}
}
