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
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// foreignOverhead measures a command and gives the detail of the run, which must be ok.
func foreignOverhead(t testing.TB, command string, flags ...string) *rundoc.OverheadDetail {
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
	if d == nil || d.Mode != rundoc.OverheadExec || d.Null == nil || d.Null.SDKTime.N < nullCalls/2 {
		t.Fatalf("%+v", d)
	}
	return d
}

// againstTruth measures a loop of boto3 and gives, by operation, the median that was seen from
// outside ÷ the one by hooks at the program's own socket.
func againstTruth(t testing.TB, calls int, flags ...string) map[string]float64 {
	t.Helper()
	truths := filepath.Join(t.TempDir(), "truth.json")
	d := foreignOverhead(t, fmt.Sprintf("%s testdata/python/aws_loop.py %d %s", os.Getenv("PLIMSOLL_PYTHON"), calls, truths), flags...)
	text, err := os.ReadFile(truths)
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]float64
	if err := json.Unmarshal(text, &truth); err != nil {
		t.Fatal(err)
	}
	ratios := map[string]float64{}
	for _, row := range d.Rows {
		if row.Failed != 0 || row.Overhead.N != 0 || row.ErrorNS <= 0 {
			t.Errorf("%+v", row)
		}
		ratios[row.Operation] = row.SDKTime.MedNS / truth[row.Operation]
	}
	if len(ratios) != 2 || len(truth) != 2 {
		t.Fatalf("measured %v, true %v", ratios, truth)
	}
	return ratios
}

// What is seen of boto3 from outside is what it sees of itself. The bound leaves room for a
// machine that does much else; BenchmarkOverheadExec has the figure.
func TestOverheadExecAgainstTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a Python client")
	}
	python(t)
	for name, flags := range map[string][]string{"plain": nil, "with a latency": {"--latency", "1ms"}} {
		t.Run(name, func(t *testing.T) {
			for operation, ratio := range againstTruth(t, 300, flags...) {
				if ratio < 0.5 || ratio > 2 {
					t.Errorf("%s: %.2f of the truth", operation, ratio)
				}
			}
		})
	}
}

// The SDK trusts the responder's certificate by the variables that it is given.
func TestOverheadExecTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a Python client")
	}
	d := foreignOverhead(t, python(t)+" testdata/python/aws_loop.py 50 "+os.DevNull, "--tls")
	if len(d.Rows) != 2 || !d.Environment.TLS || !strings.HasPrefix(d.Environment.Endpoint, "https:") {
		t.Errorf("%+v", d)
	}
}

// An interrupt is passed on to the command, and what was measured until then is reported.
func TestOverheadExecInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a Python client")
	}
	called := filepath.Join(t.TempDir(), "called.json")
	command := fmt.Sprintf("%s testdata/python/aws_loop.py 50 %s && echo told; trap 'echo interrupted; exit 9' INT; sleep 600", python(t), called)
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
		if said = append(said, lines.Text()); lines.Text() == "told" {
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
	if d := doc.Overhead(); !doc.Interrupted || d == nil || len(d.Rows) != 2 {
		t.Errorf("interrupted %v, %+v", doc.Interrupted, d)
	}
}

func BenchmarkOverheadExec(b *testing.B) {
	if os.Getenv("PLIMSOLL_PYTHON") == "" {
		b.Skip("PLIMSOLL_PYTHON is not set; run 'make test' first, and set it to .venv/bin/python")
	}
	ratios := map[string][]float64{}
	for b.Loop() {
		for operation, ratio := range againstTruth(b, 2000) {
			ratios[operation] = append(ratios[operation], ratio)
		}
	}
	for operation, list := range ratios {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], operation+"/truth")
	}
}

func TestRedactCommand(t *testing.T) {
	for line, want := range map[string]string{
		"python3 loop.py":                                 "python3 loop.py",
		"python3 loop.py --token abc --n 3":               "python3 loop.py --token … --n 3",
		"python3 loop.py --token=abc --n=3":               "python3 loop.py --token=… --n=3",
		"SECRET=abc AWS_SESSION_TOKEN=def X=1 run":        "SECRET=… AWS_SESSION_TOKEN=… X=1 run",
		"export API_KEY='a b c'; run it":                  "export API_KEY=… … … run it",
		`curl -H "Authorization: Bearer abc" http://h/p`:  `curl -H "Authorization: … … http://h/p`,
		"run --password 'a b c' d":                        "run --password … … … d",
		"run -u me:hush http://me:hush@h/p?sig=hush":      "run -u … http://h/p?sig=…",
		"run --url=https://me:hush@h/p?sig=hush":          "run --url=https://h/p?sig=…",
		"run AKIAIOSFODNN7EXAMPLE":                        "run …",
		"run wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY":    "run …",
		"run /home/somebody/with/a/very/long/path/to/it/": "run /home/somebody/with/a/very/long/path/to/it/",
	} {
		if got := redactCommand(line); got != want {
			t.Errorf("%s\n is %s\nwant %s", line, got, want)
		}
	}
	for _, hostile := range []string{"", " ", "=", "-", "--token", "://", "'", "a=://", ":::", "\x00=\xff"} {
		_ = redactCommand(hostile)
	}
}
