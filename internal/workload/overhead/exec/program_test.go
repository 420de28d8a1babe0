//go:build linux

package exec

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What a user has set for clients of AWS does not lead the command elsewhere.
func TestEnvironment(t *testing.T) {
	user := []string{
		"PATH=/bin", "AWS_ENDPOINT_URL=http://user", "AWS_ENDPOINT_URL_S3=http://user",
		"AWS_ENDPOINT_URL_DYNAMODB=http://user", "AWS_PROFILE=user",
		"AWS_DEFAULT_PROFILE=user", "AWS_SESSION_TOKEN=user", "AWS_ROLE_ARN=user", "AWS_WEB_IDENTITY_TOKEN_FILE=user",
		"AWS_CA_BUNDLE=user",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://user", "AWS_USE_FIPS_ENDPOINT=true", "AWS_CONFIG_FILE=user",
		"AWS_SHARED_CREDENTIALS_FILE=user",
		"AWS_MAX_ATTEMPTS=7",
	}
	cmd := exec.Command("true")
	cmd.Env = append(withoutAWS(user), ClientVariables("http://ours", "", "/dev/null")...)
	got := cmd.Environ() // of several settings of a variable the last one
	for _, want := range []string{
		"PATH=/bin", "AWS_MAX_ATTEMPTS=7", "AWS_ENDPOINT_URL=http://ours", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_CONFIG_FILE=/dev/null",
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
	if !slices.Contains(ClientVariables("", "/c.pem", ""), "AWS_CA_BUNDLE=/c.pem") {
		t.Error("without the responder's certificate")
	}
}

// The null client's request is as long as the one that it stands for, and its row is in the document.
func TestNullRequestLength(t *testing.T) {
	for _, bytes := range []int64{0, 300, 900, 5000} {
		r := nullShape(Exchange{Service: "DynamoDB", Operation: "PutItem", Bytes: bytes})
		length := int64(len(r.body) + len(r.header.Get("X-Plimsoll-Padding")))
		if length < bytes-nullHead || length > max(0, bytes-nullHead)+100 {
			t.Errorf("%d bytes for %d: %+v", length, bytes, r)
		}
	}
	f := &Program{trace: &Trace{}, found: &Result{}, imitated: "DynamoDB PutItem"}
	f.null.Sample = rundoc.Sample{N: 7, MedNS: 5}
	if d := f.detail(); d.Null == nil || d.Null.Operation != "DynamoDB PutItem" || d.Null.SDKTime.N != 7 {
		t.Errorf("%+v", d.Null)
	}
}

// The calls of a trace are counted as it grows, whole lines of it, and those with an error.
func TestGrowingTraceCountsCalls(t *testing.T) {
	const ok, failed = "S3,PutObject,1,1,2,3,kernel,200,9,HTTP/1.1,boto3\n",
		"S3,PutObject,1,1,2,3,kernel,503,9,HTTP/1.1,a, b\n"
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

// A command that ignores the interrupt is ended after a while, and at once after a second one.
func TestCommandIgnoringInterruptIsKilled(t *testing.T) {
	for name, tt := range map[string]struct {
		wait   time.Duration
		second bool
		said   []string
	}{
		"after a while":            {wait: time.Millisecond, said: []string{"has 1ms to exit", "is killed"}},
		"after a second interrupt": {wait: time.Hour, second: true, said: []string{"has 1h0m0s to exit"}},
	} {
		t.Run(name, func(t *testing.T) {
			hard, second := context.WithCancel(t.Context())
			defer second()
			soft, first := context.WithCancel(hard)
			defer first()
			var said []string
			var out bytes.Buffer
			s := shell{
				line: "trap '' INT TERM; echo trapped; while :; do sleep 1; done", wait: tt.wait,
				out: io.MultiWriter(&out, writerFunc(func(p []byte) { first() })), // not before it ignores them
				tell: func(note string) {
					if said = append(said, note); tt.second {
						second()
					}
				},
			}
			e, err := s.run(soft, hard)
			if err != nil || !e.interrupted || e.bad() || out.String() != "trapped\n" {
				t.Errorf("%+v, %v, %q", e, err, &out)
			}
			if len(said) != len(tt.said) {
				t.Fatalf("said %q", said)
			}
			for i, want := range tt.said {
				if !strings.Contains(said[i], want) {
					t.Errorf("said %q, want %q", said[i], want)
				}
			}
		})
	}
}

// A command that goes on beyond a limit is told to end, with all that it has started, and then killed.
func TestLimitsEndTheCommand(t *testing.T) {
	still := func() int64 { return 1 }
	for name, tt := range map[string]struct {
		line string
		wait time.Duration
		by   limit
		said string
	}{
		"when it is told":   {"sleep 600 & sleep 600", time.Hour, limit{flag: "--a", after: time.Millisecond}, "time limit of 1ms reached (--a): the command has 1h0m0s to exit"},
		"when it is killed": {"trap '' TERM; echo trapped; while :; do sleep 1; done", time.Millisecond, limit{flag: "--b", after: time.Second}, "time limit of 1s reached (--b)"},
		"when it is idle":   {"sleep 600", time.Hour, limit{flag: "--c", after: time.Millisecond, progress: still}, "no request for 1ms (--c)"},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			s := shell{line: tt.line, wait: tt.wait, out: io.Discard, tell: func(note string) { said = append(said, note) },
				limits: []limit{{after: time.Hour}, tt.by}}
			e, err := s.run(t.Context(), t.Context())
			if err != nil || !e.bad() || e.interrupted || !strings.Contains(e.clause(), tt.by.reason()) ||
				!strings.Contains(e.fault().Error(), tt.by.flag) {
				t.Errorf("%+v, %v, %s", e, err, e.clause())
			}
			if len(said) == 0 || !strings.HasPrefix(said[0], tt.said) {
				t.Errorf("said %q, want %q", said, tt.said)
			}
		})
	}
}

// Requests keep a command going, and so does each one of them for the whole limit.
func TestIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		l := limit{after: 20 * time.Second, progress: func() int64 {
			return int64(min(time.Since(begun), 50*time.Second)) // grows for so long
		}}
		if passed := l.wait(t.Context()); !passed || time.Since(begun) < 70*time.Second || time.Since(begun) > 72*time.Second {
			t.Errorf("%v, after %v", passed, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if l.wait(ctx) || (&limit{after: time.Minute}).wait(ctx) {
			t.Error("passed although it had ended")
		}
	})
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }
