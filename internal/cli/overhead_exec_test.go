//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// minNullCalls is how many calls of the null client a run has at least.
const minNullCalls = 10

// foreignOverhead measures a command and gives the document and the detail of the run, which must be ok.
func foreignOverhead(t testing.TB, command string, flags ...string) (*rundoc.Run, *rundoc.OverheadDetail) {
	t.Helper()
	cmd := exec.Command("plimsoll", append([]string{"overhead", "--exec", command, "--json", "--no-save", "--quiet"}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Verdict.Validity == rundoc.Invalid {
		t.Errorf("invalid: %q", doc.Verdict.Reasons)
	}
	d := doc.Overhead()
	if d == nil || d.Mode != rundoc.OverheadExec || d.Null == nil || d.Null.SDKTime.N < minNullCalls {
		t.Fatalf("%+v", d)
	}
	return doc, d
}

// held is a run beside what the program knows of itself.
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

// ratio is the median that was seen from outside ÷ the true one.
func (h *held) ratio(row *rundoc.OverheadRow) float64 {
	return row.SDKTime.MedNS / h.truth[row.Operation]
}

// busy reports whether others kept the machine so busy that the run doubts its own figures.
func (h *held) busy() bool {
	share, known := h.doc.MachineShare()
	return known && share > rundoc.MaxMachineShare
}

// waitedLong reports whether the program waited for a processor so long that a busy machine is a reason to doubt.
func (h *held) waitedLong() bool {
	return slices.ContainsFunc(h.detail.Rows, func(r rundoc.OverheadRow) bool {
		return r.WaitedNS > rundoc.MaxSharedDelay*max(0, r.SDKTime.AvgNS)
	})
}

// quiet reports whether the program had a processor whenever it needed one, as far as can be told.
func (h *held) quiet() bool {
	share, known := h.doc.MachineShare()
	return known && share < 0.5
}

// near refuses what is far from the truth, and by more than the run says. The program does not see
// that it waits for a processor, and the run does: where the machine is busy and that was long, it says so. Half busy is enough for a
// burst of others' work to hold up most calls of a short run: then nothing is compared but by BenchmarkOverheadExec.
func (h *held) near(t *testing.T) {
	t.Helper()
	share, _ := h.doc.MachineShare()
	if h.busy() {
		said := strings.Contains(strings.Join(h.doc.Verdict.Reasons, " "), "Calls and what answers them share this machine")
		if h.waitedLong() && !said {
			t.Errorf("the machine was %.0f %% busy, and nothing is said of it: %q", 100*share, h.doc.Verdict.Reasons)
		}
		return
	}
	if !h.quiet() {
		return
	}
	for i := range h.detail.Rows {
		row := &h.detail.Rows[i]
		off := math.Abs(row.SDKTime.MedNS - h.truth[row.Operation])
		if ratio := h.ratio(row); (ratio < 0.5 || ratio > 2) && off > float64(row.ErrorNS) {
			t.Errorf("%s: %.2f of the truth, %v ± %v; the machine was %.0f %% busy", row.Operation, ratio,
				time.Duration(row.SDKTime.MedNS), time.Duration(row.ErrorNS), 100*share)
		}
	}
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

// loops are clients that know their own cost, each with another way to wait for an answer.
func loops() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{
		"boto3":      func(t testing.TB) string { return pythonLoop(t, "aws_loop.py") },
		"JavaScript": nodeLoop,
		"Go":         func(testing.TB) string { return "goloop" },
	}
}

// javaLoop is that of Amazon's SDK for Java, or for Kotlin.
func javaLoop(t testing.TB, class string) string {
	t.Helper()
	return fmt.Sprintf("java -cp '%s' plimsoll.%s", javaClasses(t), class)
}

// What is seen of a client from outside is what it sees of itself. The bound leaves room for a
// machine that does something else; BenchmarkOverheadExec has the figure.
func TestOverheadExecAgainstTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("it is of times alone")
	}
	t.Parallel()
	for client, loop := range loops() {
		for name, flags := range map[string][]string{"plain": nil, "with a latency": {"--latency", "1ms"}} {
			t.Run(client+" "+name, func(t *testing.T) {
				againstTruth(t, loop(t), 300, flags...).near(t)
			})
		}
	}
}

// Whatever else runs on the machine, what the client sees at its own socket is within the bounds: it is never
// more, and less only where the machine held up what the kernel does not count as a wait.
func TestOverheadExecBoundsOnABusyMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("it keeps all processors busy, and is of times alone")
	}
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how long a process waited")
	}
	for client, loop := range loops() {
		t.Run(client, func(t *testing.T) {
			const hogs = "for i in 1 2 3 4; do (while :; do :; done) & done; "
			againstTruth(t, hogs+"WHOLE=1 "+loop(t), 300, "--warmup", "0s").within(t, 300)
		})
	}
}

// within refuses bounds that the truth is not between. Calls may lack a figure, of which the Go client makes
// some on new connections.
func (h *held) within(t *testing.T, calls int64) {
	t.Helper()
	for i := range h.detail.Rows {
		row, truth := &h.detail.Rows[i], h.truth[h.detail.Rows[i].Operation]
		t.Logf("%s: %.0f between %.0f and %.0f, true %.0f, waited %.0f", row.Operation, row.SDKTime.MedNS, row.MedianFromNS,
			row.MedianToNS, truth, row.WaitedNS)
		if row.SDKTime.N < calls*4/5 || row.MedianToNS == 0 {
			t.Errorf("%s: %d times, up to %.0f", row.Operation, row.SDKTime.N, row.MedianToNS)
		}
		if truth > row.MedianToNS || row.MedianFromNS > 1.25*truth+h.detail.Null.SDKTime.P90NS {
			t.Errorf("%s: the truth is %.0f ns, and not between %.0f and %.0f", row.Operation, truth, row.MedianFromNS, row.MedianToNS)
		}
	}
}

// Programs that call at the same time are measured one by one: what is seen of all of them together is what each of
// them sees, and not a third of that.
func TestOverheadExecOfSeveralPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells whose a connection is")
	}
	const programs = 3
	loop, dir := pythonLoop(t, "aws_loop.py"), t.TempDir()
	var command strings.Builder
	for i := range programs {
		fmt.Fprintf(&command, "WHOLE=1 %s 200 %s/%d.json & ", loop, dir, i)
	}
	_, d := foreignOverhead(t, command.String()+"wait", "--warmup", "0s")
	if !strings.Contains(strings.Join(d.Notes, " "), " processes called in the same time") || d.Environment.Concurrency < 2 {
		t.Skipf("they ran one after the other: %q", d.Notes) // which the machine decides
	}
	for i := range d.Rows {
		row, least := &d.Rows[i], math.Inf(1)
		for n := range programs {
			var truth map[string]float64
			text, err := os.ReadFile(fmt.Sprintf("%s/%d.json", dir, n))
			if err == nil {
				err = json.Unmarshal(text, &truth)
			}
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, truth[row.Operation])
		}
		// The median of all is at least the lowest of theirs, but for what is bounded by the errors.
		if row.MedianToNS < least || row.SDKTime.N < programs*180 {
			t.Errorf("%s: up to %.0f ns, each has at least %.0f; %d times", row.Operation, row.MedianToNS, least, row.SDKTime.N)
		}
	}
}

// A loop that starts the AWS CLI for each call has the start in its figures, and they are true.
func TestOverheadExecOfTheCLI(t *testing.T) {
	peertest.NothingRaces(t, "a client of another process")
	t.Parallel()
	const calls = 5
	h := againstTruth(t, pythonLoop(t, "aws_cli_loop.py"), calls, "--warmup", "0s")
	h.near(t)
	for _, row := range h.detail.Rows {
		if row.SDKTime.N != calls-1 || row.Connections != calls-1 {
			t.Errorf("%s: %d times, of which %d have a new connection", row.Name(), row.SDKTime.N, row.Connections)
		}
	}
	if by := h.detail.Environment.SDK; !strings.HasPrefix(by, "aws-cli/1.") {
		t.Errorf("by %s", by)
	}
}

// So it is with the AWS SDKs for Java and Kotlin, all of whose calls are in the figures.
func TestJavaSDKsOverheadExec(t *testing.T) {
	t.Parallel()
	const calls = 600
	for class, want := range map[string]string{"Loop": "aws-sdk-java/2. lang/java#", "KotlinLoop": "aws-sdk-kotlin/1. lang/kotlin#"} {
		t.Run(class, func(t *testing.T) {
			h := againstTruth(t, javaLoop(t, class), calls, "--warmup", "0s")
			h.near(t)
			d := h.detail
			for i, want := range []string{"S3 HeadObject", "DynamoDB GetItem"} {
				// Between so many calls there is one time less; few of them may have no figure, and more
				// where the responder waits for a processor, too.
				if row := &d.Rows[i]; row.Name() != want || row.SDKTime.N > calls-1 || row.SDKTime.N < calls-1-calls/50 && h.quiet() {
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

// The SDK trusts the responder's certificate by the variables that it is given.
func TestOverheadExecTLS(t *testing.T) {
	t.Parallel()
	_, d := foreignOverhead(t, pythonLoop(t, "aws_loop.py")+" 50 "+os.DevNull, "--tls")
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

// An interrupt is passed on to the command, and what was measured until then is reported.
func TestOverheadExecInterrupt(t *testing.T) {
	t.Parallel()
	called := filepath.Join(t.TempDir(), "called.json")
	// A shell runs its trap only once a program in the foreground has ended, but leaves a wait for it.
	command := fmt.Sprintf("trap 'echo interrupted; exit 9' INT; %s 50 %s || exit 1; echo told; sleep 600 & wait", pythonLoop(t, "aws_loop.py"), called)
	if d := interrupted(t, command, regexp.MustCompile("^told$")); len(d.Rows) != 2 {
		t.Errorf("%+v", d)
	}
}

// What was measured before a second interrupt is reported, for which the null client is still called.
func TestOverheadExecKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	const command = `plimsoll overhead STS/GetCallerIdentity --endpoint $AWS_ENDPOINT_URL --calls 200 --warmup 0s --no-save --quiet >/dev/null
		trap '' INT TERM; echo trapped; while :; do sleep 1; done`
	d := interrupted(t, command, regexp.MustCompile("^trapped$|a second interrupt ends it"))
	if len(d.Rows) != 1 || d.Rows[0].SDKTime.N == 0 || d.Null.SDKTime.N < minNullCalls {
		t.Errorf("%+v", d)
	}
}

func BenchmarkOverheadExec(b *testing.B) {
	b.Run("boto3", func(b *testing.B) { reportRatios(b, pythonLoop(b, "aws_loop.py"), 2000) })
	b.Run("JavaScript", func(b *testing.B) { reportRatios(b, nodeLoop(b), 2000) })
	b.Run("Go", func(b *testing.B) { reportRatios(b, "goloop", 2000) })
	b.Run("CLI", func(b *testing.B) { reportRatios(b, pythonLoop(b, "aws_cli_loop.py"), 10, "--warmup", "0s") })
	for _, class := range []string{"Loop", "KotlinLoop"} {
		b.Run(class, func(b *testing.B) { reportRatios(b, javaLoop(b, class), 2000, "--warmup", "0s") })
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
