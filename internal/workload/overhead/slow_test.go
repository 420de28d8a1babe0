package overhead

import (
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// slowly is a body that takes its time to be read, as a parser does that is in no hurry.
type slowly struct {
	io.ReadCloser
	pause func()
}

func (s slowly) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if n > 0 {
		s.pause()
	}
	return n, err
}

// The places of a call at which the SDK is made slower.
func beforeTheAttempt(pause func()) func(*middleware.Stack) error {
	return func(s *middleware.Stack) error {
		return s.Serialize.Add(middleware.SerializeMiddlewareFunc("pause", func(ctx context.Context,
			in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
			pause()
			return next.HandleSerialize(ctx, in)
		}), middleware.Before)
	}
}

func inTheAttempt(pause func()) func(*middleware.Stack) error {
	return func(s *middleware.Stack) error {
		return s.Finalize.Add(middleware.FinalizeMiddlewareFunc("pause", func(ctx context.Context,
			in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			pause()
			return next.HandleFinalize(ctx, in)
		}), middleware.After)
	}
}

func readingTheBody(pause func()) func(*middleware.Stack) error {
	return func(s *middleware.Stack) error {
		return s.Deserialize.Add(middleware.DeserializeMiddlewareFunc("pause", func(ctx context.Context,
			in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			if resp, ok := out.RawResponse.(*smithyhttp.Response); ok {
				resp.Body = slowly{resp.Body, pause}
			}
			return out, metadata, err
		}), middleware.After)
	}
}

func afterTheAttempt(pause func()) func(*middleware.Stack) error {
	return func(s *middleware.Stack) error {
		return s.Initialize.Add(middleware.InitializeMiddlewareFunc("pause", func(ctx context.Context,
			in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleInitialize(ctx, in)
			pause()
			return out, metadata, err
		}), middleware.Before)
	}
}

// Wherever in a call the SDK is slower, the client time is longer by just that, and where the service is, it is the
// call and its wait. Time is the test's own, in which only what pauses takes any.
//
// synctest: it sleeps only inside a bubble.
func TestClientTimeCoversTheWholeCall(t *testing.T) {
	const pause, delay = 3 * time.Millisecond, 5 * time.Millisecond
	type figures struct{ client, call, overhead, sdkTime time.Duration }
	for _, tt := range []struct {
		name      string
		operation string
		slow      func(pause func()) func(*middleware.Stack) error
		delay     time.Duration
		want      figures
		stage     Stage // that has the pause; -1 without one
	}{
		{"nothing is slow", "DynamoDB/GetItem", nil, 0, figures{}, -1},
		{"the service", "DynamoDB/GetItem", nil, delay, figures{0, delay, 0, 0}, -1},
		{"before the attempt", "DynamoDB/GetItem", beforeTheAttempt, 0, figures{pause, pause, 0, 0}, Other},
		{"before the attempt, and the service", "DynamoDB/GetItem", beforeTheAttempt, delay,
			figures{pause, pause + delay, 0, 0}, Other},
		{"in the attempt", "DynamoDB/GetItem", inTheAttempt, delay, figures{pause, pause + delay, pause, pause}, Other},
		{"reading the answer", "DynamoDB/GetItem", readingTheBody, delay, figures{pause, pause + delay, pause, pause},
			Deserialize},
		{"after the attempt", "DynamoDB/GetItem", afterTheAttempt, delay, figures{pause, pause + delay, 0, 0}, Other},
		{"reading a stream", "S3Express/GetObject", readingTheBody, delay, figures{pause, pause + delay, pause, pause},
			Deserialize},
		{"after the attempt of a stream", "S3Express/GetObject", afterTheAttempt, delay,
			figures{pause, pause + delay, pause, 0}, Deserialize},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &servicestest.Responder{Answer: func(http.ResponseWriter, string) bool {
				time.Sleep(tt.delay)
				return false
			}}
			synctest.Test(t, func(t *testing.T) {
				l := inFakeTime(t, s, func(p *Plan) { p.Calls = 16 }, tt.operation)
				if tt.slow != nil {
					l.stack = append(l.stack, tt.slow(func() { time.Sleep(pause) }))
				}
				_, result := l.run(t)
				if result.Failed != nil || len(result.Rows) != 1 || result.Rows[0].Client.N != 16 {
					t.Fatalf("%+v", result)
				}
				r := &result.Rows[0]
				for name, of := range map[string]struct {
					of   *Series
					want time.Duration
				}{
					"client time": {r.Client, tt.want.client}, "call": {r.Call, tt.want.call},
					"overhead": {r.Overhead, tt.want.overhead}, "SDK time": {r.SDKTime, tt.want.sdkTime},
				} {
					if of.of.Min != int64(of.want) || of.of.Max != int64(of.want) {
						t.Errorf("%s: from %v to %v, not %v", name, time.Duration(of.of.Min), time.Duration(of.of.Max), of.want)
					}
				}
				for stage, spent := range r.Stages {
					want := time.Duration(0)
					switch Stage(stage) {
					case tt.stage:
						want = pause
					case Wait:
						want = tt.delay
					}
					if spent != want*time.Duration(r.Timed) || r.Timed != 2 {
						t.Errorf("stage %d took %v in %d calls, not %v a call", stage, spent, r.Timed, want)
					}
				}
			})
		})
	}
}

// The CPU time of a call is what the process used in the turns of its operation, and neither in those of others nor in
// warm-ups; what it uses anyway, a twentieth of a CPU here, is taken off for the time that calls waited.
//
// synctest: it sleeps only inside a bubble.
func TestCPUPerCallExcludesOtherTurns(t *testing.T) {
	const get, put = 400 * time.Microsecond, 900 * time.Microsecond
	for _, tt := range []struct {
		clients  int
		delay    time.Duration
		get, put time.Duration // 0: not known
		inPieces bool          // the delay is between the head of the answer and its body
	}{
		{1, 0, get, put, false},
		{1, 5 * time.Millisecond, get, put, false},
		{1, 5 * time.Millisecond, get, put, true},
		{1, 9 * time.Millisecond, 0, put, false}, // that takes 450 µs off of 850
		{1, 50 * time.Millisecond, 0, 0, false},
		{1, 50 * time.Millisecond, 0, 0, true},
		{2, 0, 0, 0, false}, // nobody knows whose it was
	} {
		var used atomic.Int64
		s := &servicestest.Responder{Answer: func(w http.ResponseWriter, _ string) bool {
			if tt.inPieces {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
			}
			time.Sleep(tt.delay)
			return false
		}}
		synctest.Test(t, func(t *testing.T) {
			l := inFakeTime(t, s, func(p *Plan) { p.Calls, p.Concurrency = 30, tt.clients },
				"DynamoDB/GetItem", "DynamoDB/PutItem")
			began := time.Now()
			l.cpu = func() time.Duration { return time.Duration(used.Load()) + time.Since(began)/20 }
			l.stack = append(l.stack, func(s *middleware.Stack) error {
				cost := get
				if strings.HasSuffix(s.ID(), "PutItem") {
					cost = put
				}
				return beforeTheAttempt(func() { used.Add(int64(cost)) })(s)
			})
			_, result := l.run(t)
			if result.Failed != nil || len(result.Rows) != 2 {
				t.Fatalf("%+v", result)
			}
			for i, want := range []time.Duration{tt.get, tt.put} {
				r := &result.Rows[i]
				if got := r.cpuPerCall(result.Idling); math.Abs(got-float64(want)) > 1 {
					t.Errorf("%+v: %s used %.0f ns a call, want %v", tt, r.Operation, got, want)
				}
			}
		})
	}
}
