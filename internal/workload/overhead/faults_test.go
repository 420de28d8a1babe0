package overhead

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// TestSetUpReportsForeignServers sets up at servers that answer nonsense: the failure says
// what they did, nothing is measured, and the other services are not tried.
func TestSetUpReportsForeignServers(t *testing.T) {
	for _, test := range []struct {
		name        string
		answer      http.HandlerFunc
		cause, want string
		abandoned   bool
	}{
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "status-500", "status 500", false},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>hello</html>")
		}, "html", "a web page (status 200)", false},
		{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout",
			"no response within 20ms", true},
		{"cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "reset", "EOF", true},
		{"its own error", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
			w.WriteHeader(403)
			fmt.Fprint(w, `{"message":"not for you\nsecond line"}`)
		}, "AccessDeniedException", "the server reports AccessDeniedException: not for you", false},
		{"a signature", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Errortype", "InvalidSignatureException")
			w.WriteHeader(403)
			fmt.Fprint(w, `{"message":"x-amz-security-token:hush-hush-hush"}`)
		}, "InvalidSignatureException", "the server reports InvalidSignatureException", false},
		{"another protocol", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "\x00\x01\x02") }, "protocol",
			"does not match this operation", false},
		{"a body without end", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				seen := map[string]bool{}
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					seen[servicestest.OperationOf(r, "")] = true
					mu.Unlock()
					_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client is gone
					test.answer(w, r)
				})
				l := inFakeTime(t, handler, func(p *Plan) {
					p.Timeout = 5 * time.Second // pauses before retries, too
					if test.cause == "timeout" {
						p.Timeout = 20 * time.Millisecond
					}
				}, "DynamoDB", "SecretsManager")
				_, result := l.run(t)
				f := result.Failure
				switch {
				case f == nil:
					t.Fatal("it went well")
				case test.cause != "" && f.Cause != test.cause, !strings.Contains(f.Error(), test.want),
					!strings.HasPrefix(f.Error(), "DynamoDB/CreateTable: "):
					t.Errorf("%s: %v", f.Cause, f)
				case strings.Contains(f.Error(), "hush"), strings.Contains(f.Error(), "\n"):
					t.Errorf("%v", f)
				case f.Hint() == "":
					t.Error("no hint")
				}
				if len(result.Rows) != 0 || result.Null != nil {
					t.Errorf("measured: %+v", result)
				}
				mu.Lock()
				defer mu.Unlock()
				if tried := seen["secretsmanager CreateSecret"] ||
					seen["secretsmanager.CreateSecret"]; tried == test.abandoned {
					t.Errorf("asked for %v", seen)
				}
			})
		})
	}
}

// TestFailingOperationIsCountedAndGivenUp has the service refuse one operation only.
func TestFailingOperationIsCountedAndGivenUp(t *testing.T) {
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if operation != "DynamoDB GetItem" {
			return false
		}
		w.Header().Set("X-Amzn-Errortype", "ThrottlingException")
		w.WriteHeader(400)
		return true
	}}
	url := servicestest.Serve(t, s)
	l := newLab(t, func(p *Plan) { p.Endpoint = url }, "DynamoDB")
	run, result := l.run(t)
	if run == nil || len(result.Rows) != 2 || result.Failed == nil {
		t.Fatalf("%+v", result)
	}
	get, put := result.Rows[0], result.Rows[1]
	if get.Failed != maxFailuresInARow || get.Overhead.N != 0 || put.Failed != 0 || put.Overhead.N != 20 {
		t.Errorf("get %+v, put %+v", get, put)
	}
	if f := result.Failed; f.Cause != "ThrottlingException" ||
		!strings.HasPrefix(f.Error(), "DynamoDB/GetItem: the server reports ThrottlingException") {
		t.Errorf("%s: %v", f.Cause, f)
	}
	// Two calls of the warm-up, one for the allocations, the measured ones in turns of two, and two at
	// the beginning of each turn: none of them twice. The null client makes as many.
	if n := s.Counted("DynamoDB GetItem"); n != 2*(2+1+maxFailuresInARow+maxFailuresInARow/2*2) {
		t.Errorf("GetItem was called %d times: retries are not measured", n)
	}
	if s.Counted("DynamoDB DeleteTable") != 1 {
		t.Error("the table stays")
	}
}

// A server that answers a web page to the operations that it does not know is no other server for that.
func TestUnknownOperationIsNotAnotherServer(t *testing.T) {
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if !strings.HasPrefix(strings.ToLower(operation), "secretsmanager") {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(404)
		fmt.Fprint(w, "<!doctype html><title>404 Not Found</title>")
		return true
	}}
	url := servicestest.Serve(t, s)
	_, result := newLab(t, func(p *Plan) { p.Endpoint = url }, "SecretsManager", "DynamoDB").run(t)
	if len(result.Rows) != 2 {
		t.Errorf("%d operations were measured, want the two of DynamoDB", len(result.Rows))
	}
	if f := result.Failure; f == nil || !strings.Contains(f.Hint(), "does not support this operation") {
		t.Errorf("%+v", f)
	}
}

// TestSlowCallIsATimeout lets single calls take longer than they may, between good ones.
func TestSlowCallIsATimeout(t *testing.T) { synctest.Test(t, testSlowCallIsATimeout) }

func testSlowCallIsATimeout(t *testing.T) {
	release := make(chan struct{})
	var n atomic.Int64
	s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
		if operation != "DynamoDB PutItem" {
			return false
		}
		if n.Add(1)%40 == 0 {
			<-release
		}
		return false
	}}
	l := inFakeTime(t, s, func(p *Plan) { p.Timeout, p.Calls = 100*time.Millisecond, 100 }, "DynamoDB/PutItem")
	defer close(release)
	run, result := l.run(t)
	if run == nil || result.Failed == nil || result.Failed.Cause != "timeout" ||
		!strings.HasSuffix(result.Failed.Error(), "/PutItem: no response within 100ms") {
		t.Fatalf("%+v", result)
	}
	rows := []Row{result.Rows[0], *result.Null} // the null client repeats the operation
	// of twice 100 calls, and those of the warm-up
	if failed := rows[0].Failed + rows[1].Failed; failed < 4 || failed > 6 {
		t.Errorf("%+v", rows)
	}
	for _, r := range rows {
		if r.Overhead.N+r.Failed != 100 || r.Unseen != 0 {
			t.Errorf("%+v", r)
		}
		if time.Duration(r.Overhead.Max) >= 100*time.Millisecond {
			t.Errorf("a call that failed is in the figures: %v", time.Duration(r.Overhead.Max))
		}
	}
}

// TestInterruptLeavesNoResources ends the run in its set-up, in a warm-up and between
// measured calls.
func TestInterruptLeavesNoResources(t *testing.T) {
	for _, at := range []string{"DynamoDB CreateTable", "DynamoDB GetItem", "DynamoDB PutItem"} {
		for _, after := range []int64{1, 30} {
			t.Run(fmt.Sprint(at, after), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var n atomic.Int64
				s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
					if operation == at {
						if n.Add(1) == after {
							cancel()
						}
					}
					return false
				}}
				url := servicestest.Serve(t, s)
				l := newLab(t, func(p *Plan) {
					p.Endpoint, p.Calls, p.Time, p.Concurrency = url, 0, 200*time.Millisecond, 2
				}, "DynamoDB")
				remote, err := services.Connect(ctx, t.Context(), l.plan.access(l.plan.Endpoint, nil))
				if err != nil {
					t.Fatal(err)
				}
				work := New(Config{Plan: l.plan, Remote: remote, Soft: ctx, Hard: t.Context()})
				_, _ = engine.Run(t.Context(), ctx.Done(), engine.Config{Load: l.plan.Load, Workload: work})
				work.CleanUp()
				if made, gone := s.Counted("DynamoDB CreateTable"),
					s.Counted("DynamoDB DeleteTable"); made != 1 || gone != 1 {
					t.Errorf("%d tables made, %d deleted", made, gone)
				}
				if r := work.Result(); len(r.Left) != 0 || r.Failed != nil {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// heard calls a function with each thing that is said.
type heard func(said string)

func (h heard) Write(p []byte) (int, error) {
	h(string(p))
	return len(p), nil
}

// What is said of an interrupt comes when all has been removed: a terminal that takes nothing holds up who tells it.
func TestInterruptIsReportedAfterCleanup(t *testing.T) {
	soft, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n atomic.Int64
	s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
		if operation == "DynamoDB GetItem" && n.Add(1) == 300 {
			cancel()
		}
		return false
	}}
	l := newLab(t, func(p *Plan) {
		p.Endpoint, p.Calls, p.Time = servicestest.Serve(t, s), 0, time.Hour // the interrupt ends it
	}, "DynamoDB/GetItem")
	withKeys(t)
	var told []string
	env := &run.Env{
		Stderr: heard(func(said string) {
			if s.Counted("DynamoDB DeleteTable") == 0 {
				t.Errorf("the table is there when it says %q", said)
			}
			told = append(told, said)
		}),
		IsTerminal: func(io.Writer) bool { return false },
		LookupEnv:  func(string) (string, bool) { return "", false },
	}
	r := &oneRun{c: &Command{Plan: l.plan}}
	if _, err := run.New(env, r.c.job(r)).Measure(soft, t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"plimsoll: interrupted: created resources have been removed\n"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// TestUndeletedResourcesAreListed has a service refuse to delete.
func TestUndeletedResourcesAreListed(t *testing.T) {
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if operation != "DynamoDB DeleteTable" {
			return false
		}
		w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
		w.WriteHeader(400)
		return true
	}}
	url := servicestest.Serve(t, s)
	_, result := newLab(t, func(p *Plan) { p.Endpoint = url }, "DynamoDB/GetItem").run(t)
	if len(result.Left) != 1 || !strings.HasPrefix(result.Left[0], "table plimsoll-") ||
		!strings.Contains(result.Left[0], "AccessDeniedException") {
		t.Errorf("%q", result.Left)
	}
}

// TestTableOfALostResponseIsDeleted creates a table whose answer is lost: it may be there.
func TestTableOfALostResponseIsDeleted(t *testing.T) {
	s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
		if operation == "DynamoDB CreateTable" {
			panic(http.ErrAbortHandler)
		}
		return false
	}}
	url := servicestest.Serve(t, s)
	_, result := newLab(t, func(p *Plan) { p.Endpoint = url }, "DynamoDB/GetItem").run(t)
	if result.Failure == nil || s.Counted("DynamoDB DeleteTable") == 0 {
		t.Errorf("%+v; %d deleted", result, s.Counted("DynamoDB DeleteTable"))
	}
}

// TestUnresponsiveServerFailsTheRun hangs, where nothing is set up that would have told.
func TestUnresponsiveServerFailsTheRun(t *testing.T) {
	synctest.Test(t, testUnresponsiveServerFailsTheRun)
}

func testUnresponsiveServerFailsTheRun(t *testing.T) {
	release := make(chan struct{})
	s := &servicestest.Responder{Answer: func(http.ResponseWriter, string) bool {
		<-release
		return true
	}}
	l := inFakeTime(t, s, func(p *Plan) { p.Timeout = 30 * time.Millisecond }, "STS", "CloudWatch")
	defer close(release)
	_, result := l.run(t)
	f := result.Failure
	if f == nil || f.Cause != cause.Timeout || f.Error() != "STS/AssumeRole: no response within 30ms" ||
		len(result.Rows) > 0 {
		t.Fatalf("%+v", result)
	}
	if n := s.Counted("AssumeRole"); n != warmUpTries || s.Total() != n {
		t.Errorf("asked %d times, %d of them for AssumeRole", s.Total(), n)
	}
}

// TestHangingOperationFailsAlone has a server whose other operations are in order.
func TestHangingOperationFailsAlone(t *testing.T) {
	synctest.Test(t, testHangingOperationFailsAlone)
}

func testHangingOperationFailsAlone(t *testing.T) {
	release := make(chan struct{})
	s := &servicestest.Responder{Answer: func(_ http.ResponseWriter, operation string) bool {
		if operation == "DynamoDB GetItem" {
			<-release
		}
		return false
	}}
	l := inFakeTime(t, s, func(p *Plan) { p.Timeout, p.Calls = 100*time.Millisecond, 4 }, "DynamoDB")
	defer close(release)
	_, result := l.run(t)
	if result.Failure != nil || len(result.Rows) != 2 || result.Rows[0].Failed != 4 || result.Rows[1].Overhead.N != 4 {
		t.Errorf("%+v", result)
	}
}

// TestRedirectsAreNotFollowed sees that a signed request goes to the server that it is for, only.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := servicestest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, _ string) bool {
		w.Header().Set("Location", other+"/")
		w.WriteHeader(http.StatusFound) // of which a client makes a GET, whatever was asked
		return true
	}}
	url := servicestest.Serve(t, s)
	_, result := newLab(t, func(p *Plan) { p.Endpoint = url }, "STS/GetCallerIdentity", "DynamoDB/GetItem").run(t)
	if elsewhere.Load() != 0 || result.Failed == nil || result.Failed.Cause != "status-302" || result.Failure == nil ||
		result.Failure.Cause != "status-302" {
		t.Errorf("%d requests went elsewhere; %v, %v", elsewhere.Load(), result.Failed, result.Failure)
	}
	if result.Null == nil || result.Null.Failed == 0 || result.Null.Overhead.N != 0 {
		t.Errorf("the null client took it for an answer: %+v", result.Null)
	}
}
