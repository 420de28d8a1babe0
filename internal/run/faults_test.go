package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// replayed is a run whose operations were measured before, and which streams samples.
type replayed struct {
	samples  Samples
	measured bool
}

func (p *replayed) Measure(_, hard context.Context, r *Run) (*Found, error) {
	rows, err := r.openSamples(&p.samples)
	if err != nil {
		return nil, err
	}
	p.measured = true
	rows.Buffer().Add(&record.Sample{})
	r.closeSamples(hard, rows, &p.samples)
	doc, err := rundoc.ReadFile("../../rundoc/testdata/earlier/chat.json")
	if err != nil {
		return nil, err
	}
	doc.Verdict, doc.Detail = rundoc.Verdict{Validity: rundoc.Valid}, nil
	return &Found{Doc: doc, Plan: map[string]string{}}, nil
}

func (p *replayed) Conclude(*rundoc.Run) Conclusion { return Conclusion{} }

// written are the files that the run writes, below its directory.
const (
	document, samplesFile, buckets, drawing, pageFile, testsFile = "out/run.json", "s.csv", "b.csv", "c.svg", "p.html", "t.xml"
)

// writeAll has a run write all its files to a directory in which there are such files already, but of the document.
func writeAll(t *testing.T, on outfile.Files, dir string) (work *replayed, stderr string, err error) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{samplesFile, buckets, drawing, pageFile, testsFile} {
		if err := os.WriteFile(at(name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var told bytes.Buffer
	env := &Env{
		Stdout: io.Discard, Stderr: &told, IsTerminal: func(io.Writer) bool { return false }, Files: on,
		LookupEnv: func(string) (string, bool) { return "", false },
		Signals:   func() (<-chan os.Signal, func()) { return nil, func() {} },
	}
	work = &replayed{samples: Samples{Path: at(samplesFile), Header: "a\n", Format: func(row []byte, _ *record.Sample) []byte {
		return append(row, "1\n"...)
	}}}
	out := &plan.Output{Samples: at(samplesFile), Buckets: at(buckets), Bucket: report.DefaultBucket, Chart: at(drawing)}
	err = Once(t.Context(), env, Job{
		Workload: rundoc.WorkloadChat, Operations: "messages", Work: work, Files: OutputFiles(out, report.Kind{}),
		Forms: Forms{Quiet: true, JSON: true, Out: at("out"), HTML: at(pageFile), JUnit: at(testsFile)},
	})
	return work, told.String(), err
}

// Whichever file operation fails, the run ends with the right exit status, its message names the file and the reason, no
// file is left half written, and every file left behind is named.
func TestRunSurvivesDiskErrors(t *testing.T) {
	plain := &outfiletest.Faulty{}
	whole := t.TempDir()
	if _, stderr, err := writeAll(t, outfile.On(plain), whole); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	all := len(plain.Calls())
	t.Logf("%d calls: %s", all, strings.Join(plain.Calls(), ", "))
	if testing.Short() {
		t.Skip("a run for each call")
	}
	for name, how := range map[string]outfiletest.Fault{ // others are in the tests of outfile
		"once":  {Err: syscall.EIO},
		"full":  {Err: syscall.ENOSPC, After: true, Can: func(call string) bool { return call == "write" || call == "open" }},
		"short": {Err: syscall.EDQUOT, Short: true, Can: func(call string) bool { return call == "write" }},
	} {
		for n := 1; n <= all; n++ {
			call := strings.Fields(plain.Calls()[n-1])[0]
			if how.Can != nil && !how.Can(call) || how.Can == nil && n%3 != 1 && os.Getenv("PLIMSOLL_NIGHTLY") == "" {
				continue // the first is the same as the next call that can fail so; the second is for make nightly
			}
			t.Run(fmt.Sprintf("%s %d %s", name, n, call), func(t *testing.T) {
				t.Parallel()
				dir, disk := t.TempDir(), &outfiletest.Faulty{Fault: how, At: n}
				work, _, err := writeAll(t, outfile.On(disk), dir)
				if disk.Hit() == "" {
					if err != nil {
						t.Errorf("nothing failed, and it ends with %v", err)
					}
					return
				}
				survived(t, disk, dir, work.measured, err)
			})
		}
	}
}

// survived holds what a run has left against its error.
func survived(t *testing.T, disk *outfiletest.Faulty, dir string, measured bool, err error) {
	t.Helper()
	want := fault.Usage // before anything was measured, as of a flag that is wrong
	if measured {
		want = fault.RunFailed
	}
	if err == nil || fault.CodeOf(err) != want {
		t.Fatalf("%s failed, and the exit status is %d, want %d: %v", disk.Hit(), fault.CodeOf(err), want, err)
	}
	said := fault.OneLine(err.Error())
	if !strings.Contains(said, disk.Err.Error()) || !strings.Contains(said, dir) {
		t.Errorf("%s failed, and it says %s", disk.Hit(), said)
	}
	for _, left := range outfiletest.Leftovers(t, dir) {
		if !strings.Contains(said, left) {
			t.Errorf("%s is left, and it says %s", left, said)
		}
	}
	for _, name := range []string{document, buckets, drawing, pageFile, testsFile} {
		text, no := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		old := string(text) == "old"
		switch {
		case no != nil && name == document, old, no == nil && hasItsEnd(name, text):
		default:
			t.Errorf("%s failed, and %s is %d bytes, %v", disk.Hit(), name, len(text), no)
		}
		// What is not there, or not new, is told of.
		if fresh := no == nil && !old; measured && !fresh && !strings.Contains(said, name) {
			t.Errorf("%s is not new, and it says %s", name, said)
		}
		if !measured && no == nil && !old && name != testsFile {
			t.Errorf("%s was written before anything was measured", name)
		}
	}
	if text, no := os.ReadFile(filepath.Join(dir, samplesFile)); no == nil && !slices.Contains([]string{"old", "a\n1\n"}, string(text)) {
		t.Errorf("%s failed, and the samples are %q", disk.Hit(), text)
	}
}

// hasItsEnd reports whether a file has its end.
func hasItsEnd(name string, text []byte) bool {
	end := map[string]string{document: "}\n", buckets: "\n", drawing: "</svg>", pageFile: "</html>", testsFile: "</testsuites>"}[name]
	return strings.HasSuffix(strings.TrimRight(string(text), "\n"), strings.TrimRight(end, "\n"))
}
