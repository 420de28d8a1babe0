//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// minNullCalls is how many calls of the null client a run has at least.
const minNullCalls = 10

// foreignOverhead measures a command and returns the document and the detail of the run.
func foreignOverhead(t testing.TB, command string, flags ...string) (*rundoc.Run, *rundoc.OverheadDetail) {
	t.Helper()
	cmd := exec.Command("plimsoll", append([]string{"overhead", "--exec", command, "--json", "--no-save", "--quiet"}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if !runtest.Completed(err) {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	runtest.CheckInvariants(t, doc)
	d := doc.Overhead()
	if d == nil || d.Mode != rundoc.OverheadExec || d.Null == nil || d.Null.SDKTime.N < minNullCalls {
		t.Fatalf("%+v", d)
	}
	return doc, d
}

// held is a run, and what the program knows of its own cost.
type held struct {
	doc    *rundoc.Run
	detail *rundoc.OverheadDetail
	truth  map[string]float64 // by operation, the median by hooks at the program's own socket, in ns
}

// againstTruth measures a loop, a command that takes a number of calls and a file.
func againstTruth(t testing.TB, loop string, calls int, flags ...string) *held {
	t.Helper()
	truths := filepath.Join(t.TempDir(), "truth.json")
	h := &held{}
	h.doc, h.detail = foreignOverhead(t, fmt.Sprintf("%s %d %s", loop, calls, truths), flags...)
	text, err := os.ReadFile(truths)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &h.truth); err != nil {
		t.Fatal(err)
	}
	for _, row := range h.detail.Rows {
		if row.Failed != 0 || row.Overhead.N != 0 || row.ErrorNS <= 0 || h.truth[row.Operation] <= 0 {
			t.Errorf("%+v", row)
		}
	}
	if len(h.detail.Rows) != 2 || len(h.truth) != 2 {
		t.Fatalf("measured %+v, true %v", h.detail.Rows, h.truth)
	}
	return h
}

// ratio returns the median seen from outside ÷ the true one.
func (h *held) ratio(row *rundoc.OverheadRow) float64 {
	return row.SDKTime.MedNS / h.truth[row.Operation]
}

// pythonLoop is a loop of boto3, or of the AWS CLI.
func pythonLoop(t testing.TB, file string) string {
	t.Helper()
	return peertest.Python(t) + " testdata/python/" + file
}

// nodeLoop is that of the AWS SDK for JavaScript.
func nodeLoop(t testing.TB) string {
	t.Helper()
	return "NODE_PATH='" + peertest.NodeModules(t) + "' node testdata/node/aws_loop.js"
}

// javaLoop is that of Amazon's SDK for Java, or for Kotlin.
func javaLoop(t testing.TB, class string) string {
	t.Helper()
	return fmt.Sprintf("java -cp '%s' plimsoll.%s", javaClasses(t), class)
}

// TestOverheadExecOfForeignSDKs checks that the calls of SDKs that others wrote are seen, and who made them.
// BenchmarkOverheadExec compares the values with what the programs know of themselves.
func TestOverheadExecOfForeignSDKs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		loop  func(testing.TB) string
		calls int
		sdk   string
	}{
		"boto3":      {func(t testing.TB) string { return pythonLoop(t, "aws_loop.py") }, 40, "Boto3/"},
		"JavaScript": {nodeLoop, 40, "aws-sdk-js/"},
		"CLI":        {func(t testing.TB) string { return pythonLoop(t, "aws_cli_loop.py") }, 2, "aws-cli/1."},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "CLI" && os.Getenv("PLIMSOLL_NIGHTLY") == "" {
				t.Skip("make nightly runs it: the AWS CLI needs seconds of processor time")
			}
			h := againstTruth(t, test.loop(t), test.calls, "--warmup-time", "0s")
			for _, row := range h.detail.Rows {
				if row.SDKTime.N == 0 || row.SDKTime.N > int64(test.calls-1) {
					t.Errorf("%s: %d times of %d calls", row.Name(), row.SDKTime.N, test.calls)
				}
			}
			if by := h.detail.Environment.SDK; !strings.HasPrefix(by, test.sdk) {
				t.Errorf("by %s", by)
			}
		})
	}
}

// TestJavaSDKsOverheadExec does the same for the AWS SDKs for Java and Kotlin.
func TestJavaSDKsOverheadExec(t *testing.T) {
	t.Parallel()
	const calls = 600
	for class, want := range map[string]string{"Loop": "aws-sdk-java/2. lang/java#", "KotlinLoop": "aws-sdk-kotlin/1. lang/kotlin#"} {
		t.Run(class, func(t *testing.T) {
			h := againstTruth(t, javaLoop(t, class), calls, "--warmup-time", "0s")
			d := h.detail
			for i, want := range []string{"S3 HeadObject", "DynamoDB GetItem"} {
				if row := &d.Rows[i]; row.Name() != want || row.SDKTime.N > calls-1 {
					t.Errorf("%s: %d calls, want %s with %d", row.Name(), row.SDKTime.N, want, calls)
				}
			}
			e, by := &d.Environment, strings.Fields(want)
			if !strings.HasPrefix(e.SDK, by[0]) || !strings.Contains(e.SDK, " "+by[1]) || e.Protocol != "HTTP/1.1" {
				t.Errorf("%s by %s, want %s", e.Protocol, e.SDK, want)
			}
		})
	}
}

// TestOverheadExecTLS checks that the SDK receives environment variables that make it trust the responder's certificate.
func TestOverheadExecTLS(t *testing.T) {
	t.Parallel()
	_, d := foreignOverhead(t, pythonLoop(t, "aws_loop.py")+" 20 "+os.DevNull, "--tls")
	e := &d.Environment
	if len(d.Rows) != 2 || !e.TLS || !strings.HasPrefix(e.Endpoint, "https:") {
		t.Errorf("%+v", d)
	}
	// The responder ends the TLS itself, and knows as much of the client as without.
	if e.Protocol != "HTTP/1.1" || !strings.HasPrefix(e.SDK, "Boto3/") || !strings.Contains(e.SDK, " lang/python#") {
		t.Errorf("%s by %s", e.Protocol, e.SDK)
	}
}

// interrupted measures a command, interrupts that at each line that matches, and gives the detail of what
// was measured until then.
func interrupted(t *testing.T, command string, at *regexp.Regexp) *rundoc.OverheadDetail {
	t.Helper()
	cmd := exec.Command("plimsoll", "overhead", "--exec", command, "--json", "--no-save")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if said = append(said, lines.Text()); at.MatchString(lines.Text()) {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v, want status 130\n%q", err, said)
	}
	doc, err := rundoc.Read(&stdout)
	if err != nil {
		t.Fatalf("%v\n%q", err, said)
	}
	d := doc.Overhead()
	if !doc.Interrupted || d == nil {
		t.Fatalf("interrupted %v, %+v", doc.Interrupted, d)
	}
	return d
}

// TestOverheadExecInterrupt checks that an interrupt is passed on to the command, and that what was measured until then
// is reported.
func TestOverheadExecInterrupt(t *testing.T) {
	t.Parallel()
	called := filepath.Join(t.TempDir(), "called.json")
	// A shell runs its trap only once a program in the foreground has ended, but leaves a wait for it.
	command := fmt.Sprintf("trap 'echo interrupted; exit 9' INT; %s 20 %s || exit 1; echo told; sleep 600 & wait", pythonLoop(t, "aws_loop.py"), called)
	if d := interrupted(t, command, regexp.MustCompile("^told$")); len(d.Rows) != 2 {
		t.Errorf("%+v", d)
	}
}

// TestOverheadExecSecondInterrupt checks that what was measured before a second interrupt is reported.
func TestOverheadExecSecondInterrupt(t *testing.T) {
	t.Parallel()
	const command = `plimsoll overhead STS/GetCallerIdentity --endpoint $AWS_ENDPOINT_URL --calls 50 --warmup-time 0s --no-save --quiet >/dev/null
		trap '' INT TERM; echo trapped; while :; do sleep 1; done`
	d := interrupted(t, command, regexp.MustCompile("^trapped$|a second interrupt ends it"))
	if len(d.Rows) != 1 || d.Rows[0].SDKTime.N == 0 || d.Null.SDKTime.N < minNullCalls {
		t.Errorf("%+v", d)
	}
}

func BenchmarkOverheadExec(b *testing.B) {
	b.Run("boto3", func(b *testing.B) { reportRatios(b, pythonLoop(b, "aws_loop.py"), 2000) })
	b.Run("JavaScript", func(b *testing.B) { reportRatios(b, nodeLoop(b), 2000) })
	b.Run("CLI", func(b *testing.B) { reportRatios(b, pythonLoop(b, "aws_cli_loop.py"), 10, "--warmup-time", "0s") })
	for _, class := range []string{"Loop", "KotlinLoop"} {
		b.Run(class, func(b *testing.B) { reportRatios(b, javaLoop(b, class), 2000, "--warmup-time", "0s") })
	}
}

// reportRatios gives the median of several runs.
func reportRatios(b *testing.B, loop string, calls int, flags ...string) {
	ratios := map[string][]float64{}
	for b.Loop() {
		h := againstTruth(b, loop, calls, flags...)
		for i := range h.detail.Rows {
			row := &h.detail.Rows[i]
			ratios[row.Operation] = append(ratios[row.Operation], h.ratio(row))
		}
	}
	for operation, list := range ratios {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], operation+"/truth")
	}
}
