//go:build linux

package cli

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/passive"
	"github.com/plimsoll/plimsoll/internal/run"
	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What a user has set for clients of AWS does not lead the command elsewhere.
func TestOverheadExecEnvironment(t *testing.T) {
	user := []string{
		"PATH=/bin", "AWS_ENDPOINT_URL=http://user", "AWS_ENDPOINT_URL_S3=http://user", "AWS_ENDPOINT_URL_DYNAMODB=http://user", "AWS_PROFILE=user",
		"AWS_DEFAULT_PROFILE=user", "AWS_SESSION_TOKEN=user", "AWS_ROLE_ARN=user", "AWS_WEB_IDENTITY_TOKEN_FILE=user", "AWS_CA_BUNDLE=user",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://user", "AWS_USE_FIPS_ENDPOINT=true", "AWS_CONFIG_FILE=user", "AWS_SHARED_CREDENTIALS_FILE=user",
		"AWS_MAX_ATTEMPTS=7",
	}
	cmd := exec.Command("true")
	cmd.Env = append(withoutAWS(user), clientVariables("http://ours", "", "/dev/null")...)
	got := cmd.Environ() // of several settings of a variable the last one
	for _, want := range []string{
		"PATH=/bin", "AWS_MAX_ATTEMPTS=7", "AWS_ENDPOINT_URL=http://ours", "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("without %s", want)
		}
	}
	for _, v := range got {
		if strings.Contains(v, "user") {
			t.Errorf("with %s", v)
		}
	}
	if !slices.Contains(clientVariables("", "/c.pem", ""), "AWS_CA_BUNDLE=/c.pem") {
		t.Error("without the responder's certificate")
	}
}

// started runs the command by plimsoll, until the command says "here", and gives what the command's
// output comes by.
func started(t *testing.T, command string) (*exec.Cmd, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	cmd := exec.Command("plimsoll", "overhead", "--no-save", "--quiet", "--exec", command)
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	for said := ""; !strings.Contains(said, "here\n"); {
		text := make([]byte, 100)
		n, err := read.Read(text)
		if said += string(text[:n]); err != nil {
			t.Fatalf("%v after %q", err, said)
		}
	}
	return cmd, read
}

// ended reports whether all processes have ended that could write to the other end of a pipe.
func ended(pipe *os.File) bool {
	_ = pipe.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := io.Copy(io.Discard, pipe)
	return err == nil
}

// The command ends with us, even if we are killed, and so does what it has started.
func TestOverheadExecIsKilledWithUs(t *testing.T) {
	for _, command := range []string{"echo here >&2; exec sleep 600", "sh -c 'sleep 600; :' & echo here >&2; trap '' INT TERM HUP; wait"} {
		cmd, pipe := started(t, command)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if !ended(pipe) {
			t.Errorf("goes on: %s", command)
		}
	}
}

// What the command has left behind is ended with it.
func TestOverheadExecLeavesNothingBehind(t *testing.T) {
	cmd, pipe := started(t, "sleep 600 & echo here >&2")
	if err := cmd.Wait(); err == nil {
		t.Error("a command without a request went well")
	}
	if !ended(pipe) {
		t.Error("what the command has started goes on")
	}
}

// The null client sends a request of the operation that it stands for, as the responder sees it.
func TestNullRequestIsOfItsOperation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	responder, err := run.Start(t.Context(), &Env{Executable: "plimsoll", Stderr: os.Stderr}, "aws", []string{"--trace", path})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	transport := &http.Transport{}
	for _, service := range overhead.Catalog() {
		for _, operation := range service.Operations {
			like := passive.Exchange{Service: service.Name, Operation: operation, Bytes: 1000}
			name := service.Name + " " + operation
			switch service.Name {
			case "CloudWatchEvents":
				like.Service = awstarget.EventBridge
			case "Pinpoint": // is not imitated
				name = "DynamoDB GetItem"
			}
			want = append(want, name)
			if err := nullShape(like).send(t.Context(), transport, responder.URL); err != nil {
				t.Error(err)
			}
		}
	}
	transport.CloseIdleConnections()
	if err := responder.Stop(); err != nil {
		t.Fatal(err)
	}
	trace, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	read, err := passive.Read(trace)
	if err != nil {
		t.Fatal(err)
	}
	for i := range read.Exchanges {
		got = append(got, requestOf(&read.Exchanges[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The null client's request is as long as the one that it stands for, and its row is in the document.
func TestOverheadExecNull(t *testing.T) {
	for _, bytes := range []int64{0, 300, 900, 5000} {
		r := nullShape(passive.Exchange{Service: "DynamoDB", Operation: "PutItem", Bytes: bytes})
		length := int64(len(r.body) + len(r.header.Get("X-Plimsoll-Padding")))
		if length < bytes-nullHead || length > max(0, bytes-nullHead)+100 {
			t.Errorf("%d bytes for %d: %+v", length, bytes, r)
		}
	}
	f := &foreign{o: &overheadOptions{}, trace: &passive.Trace{}, found: &passive.Result{}, imitated: "DynamoDB PutItem"}
	f.null.Sample = rundoc.Sample{N: 7, MedNS: 5}
	if d := f.detail(); d.Null == nil || d.Null.Operation != "DynamoDB PutItem" || d.Null.SDKTime.N != 7 {
		t.Errorf("%+v", d.Null)
	}
}

// The calls of a trace are counted as it grows, whole lines of it, and those with an error.
func TestGrowingTrace(t *testing.T) {
	const ok, failed = "S3,PutObject,1,1,2,3,kernel,200,9,HTTP/1.1,boto3\n", "S3,PutObject,1,1,2,3,kernel,503,9,HTTP/1.1,a, b\n"
	path := filepath.Join(t.TempDir(), "t.csv")
	trace := &growingTrace{path: path}
	text := ""
	for _, step := range []struct {
		text       string
		n, errored int64
	}{
		{"", 0, 0}, // there is no file yet
		{"service,operation,…,status,…\n", 0, 0},
		{ok + failed[:20], 1, 0},
		{"", 1, 0},
		{failed[20:] + ok + failed + strings.Repeat(ok, 10_000), 10_004, 2},
	} {
		if text += step.text; text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n, errored := trace.calls(); n != step.n || errored != step.errored {
			t.Errorf("%d calls, %d errors, want %d and %d", n, errored, step.n, step.errored)
		}
	}
}
