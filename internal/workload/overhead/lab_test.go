package overhead

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// responder answers a few operations, and counts them.
type responder struct {
	mu    sync.Mutex
	count map[string]int
	last  map[string]string // the last body of each operation
	// answer, if not nil, answers an operation in another way; false leaves it as it is.
	answer func(w http.ResponseWriter, operation string) bool
}

func (s *responder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	operation := operationOf(r, string(body))
	s.mu.Lock()
	if s.count == nil {
		s.count, s.last = map[string]int{}, map[string]string{}
	}
	s.count[operation]++
	s.last[operation] = string(body)
	s.mu.Unlock()
	if s.answer != nil && s.answer(w, operation) {
		return
	}
	switch operation {
	case "DynamoDB CreateTable":
		jsonAnswer(w, `{"TableDescription":{"TableStatus":"ACTIVE"}}`)
	case "GetCallerIdentity":
		w.Header().Set("Content-Type", "text/xml")
		fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	case "session":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<CreateSessionResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Credentials><SessionToken>t</SessionToken><SecretAccessKey>s</SecretAccessKey><AccessKeyId>k</AccessKeyId><Expiration>%s</Expiration></Credentials></CreateSessionResult>`,
			time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	default:
		if r.Header.Get("X-Amz-Target") != "" {
			jsonAnswer(w, `{}`)
			return
		}
		w.Header().Set("Etag", `"e"`)
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
		}
		if r.Method == http.MethodGet {
			fmt.Fprint(w, objectBody)
		}
	}
}

func jsonAnswer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10))
	fmt.Fprint(w, body)
}

func operationOf(r *http.Request, body string) string {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		version, op, _ := strings.Cut(target, ".")
		service, _, _ := strings.Cut(version, "_")
		return service + " " + op
	}
	if i := strings.Index(body, "Action="); i >= 0 {
		op, _, _ := strings.Cut(body[i+len("Action="):], "&")
		return op
	}
	if r.URL.Query().Has("session") {
		return "session"
	}
	level := "bucket"
	if strings.HasSuffix(r.URL.Path, objectKey) {
		level = "object"
	}
	return r.Method + " " + level
}

func (s *responder) counted(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[operation]
}

func (s *responder) body(operation string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[operation]
}

// standAt is a stand at a server that waits for hardly anything.
func standAt(t *testing.T, url string) *stand {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	p := DefaultPlan()
	p.Endpoint, p.Timeout = url, 10*time.Second
	remote, err := Connect(t.Context(), t.Context(), &p, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := remote.transport()
	t.Cleanup(transport.CloseIdleConnections)
	s := newStand(remote.patient(guarded{plainClient(transport)}), remote, p.Timeout)
	s.pause = time.Millisecond
	s.rename()
	return s
}

// lab is a run against a server.
type lab struct {
	plan Plan
	dial dial // nil for the system's; else it is run in fake time
	stop chan struct{}
	work *Overhead
}

func newLab(t *testing.T, change func(*Plan), operations ...string) *lab {
	t.Helper()
	p := DefaultPlan()
	p.Endpoint, p.Time, p.Calls, p.Warmup = "http://127.0.0.1:1", 0, 20, 0
	if change != nil {
		change(&p)
	}
	var unknown string
	var ok bool
	if p.Operations, unknown, ok = Choose(operations); !ok {
		t.Fatalf("%s is not known", unknown)
	}
	p.Resolve(func(string) bool { return true })
	if err := p.Settings().Check(); err != nil {
		t.Fatal(err)
	}
	return &lab{plan: p, stop: make(chan struct{})}
}

// run carries the plan out, and clears away.
func (l *lab) run(t *testing.T) (*record.Run, Result) {
	t.Helper()
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush-hush-hush")
	ctx := t.Context()
	soft, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := context.AfterFunc(soft, func() { close(l.stop) })
	defer stopped()
	remote, err := Connect(ctx, ctx, &l.plan, l.plan.Endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	remote.dial = l.dial
	l.work = New(Config{Plan: l.plan, Remote: remote, Soft: soft, Hard: ctx})
	config := engine.Config{Load: l.plan.Load, Workload: l.work}
	if l.dial != nil {
		config.Alarms = wake.NewPortable()
		defer config.Alarms.Close()
	}
	run, err := engine.Run(ctx, l.stop, config)
	l.work.CleanUp()
	if err != nil {
		t.Logf("the engine: %v", err)
	}
	return run, l.work.Result()
}

func serve(t testing.TB, s *responder) string { return serveHandler(t, s) }

func serveHandler(t testing.TB, h http.Handler) string {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// inFakeTime makes a lab of a server on a network of pipes, for a test inside a bubble.
func inFakeTime(t *testing.T, h http.Handler, change func(*Plan), operations ...string) *lab {
	t.Helper()
	network := make(peertest.Pipes)
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(network) }()
	t.Cleanup(func() { _ = server.Close() })
	l := newLab(t, func(p *Plan) {
		p.Endpoint = "http://pipe"
		if change != nil {
			change(p)
		}
	}, operations...)
	l.dial = network.Dial
	return l
}

// between fails unless a figure is in a range.
func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s is %v, want from %v to %v", what, got, low, high)
	}
}
