package overhead

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// A server that closes each connection has all calls connect, which is in their figures.
func TestNewConnectionsAreCounted(t *testing.T) {
	for _, closes := range []bool{false, true} {
		s := &servicestest.Responder{Answer: func(w http.ResponseWriter, _ string) bool {
			if closes {
				w.Header().Set("Connection", "close")
			}
			return false
		}}
		synctest.Test(t, func(t *testing.T) {
			_, result := inFakeTime(t, s, nil, "S3/HeadObject").run(t)
			for _, r := range append(result.Rows, *result.Null) {
				if want := map[bool]int64{true: 20}[closes]; r.Overhead.N != 20 || r.Connections != want ||
					r.Resent != 0 {
					t.Errorf("closes %v: %s: %d calls, %d new connections, %d sent again",
						closes, r.Service, r.Overhead.N, r.Connections, r.Resent)
				}
			}
		})
	}
}

// A request that net/http sends a second time has a try in it that came to nothing.
func TestResentRequestsAreExcluded(t *testing.T) {
	var n atomic.Int64
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if operation != "HEAD object" || n.Add(1)%7 != 0 {
			return false
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return true
	}}
	synctest.Test(t, func(t *testing.T) {
		_, result := inFakeTime(t, s, func(p *Plan) { p.Calls = 50 }, "S3/HeadObject").run(t)
		if result.Failed != nil {
			t.Fatal(result.Failed)
		}
		for _, r := range append(result.Rows, *result.Null) {
			if r.Resent < 5 || r.Overhead.N+r.Resent != 50 || r.SDKTime.N != r.Overhead.N || r.Connections != 0 {
				t.Errorf("%s: %d calls, %d sent again, %d new connections",
					r.Service, r.Overhead.N, r.Resent, r.Connections)
			}
		}
	})
}

// The null client has its request signed anew, beside the calls that are measured.
func TestNullClientRenewsSignature(t *testing.T) {
	s := &servicestest.Responder{}
	c := readyAt(t, servicestest.Serve(t, s), "DynamoDB/GetItem")
	c.course.turn++ // the null client's
	c.open()
	old, calls := c.null.kept, s.Counted("DynamoDB GetItem")
	c.Prepare(0, 0)
	if c.null.kept != old || s.Counted("DynamoDB GetItem") != calls {
		t.Error("renewed at once")
	}
	past := *old
	past.at = past.at.Add(-2 * signedFor)
	past.header = past.header.Clone()
	past.header.Set("X-Amz-Date", "20200101T000000Z")
	c.null.kept = &past
	c.Prepare(0, 0)
	if got := c.null.req.Header.Get("X-Amz-Date"); got == "" || got[:4] == "2020" ||
		s.Counted("DynamoDB GetItem") != calls+1 || time.Since(c.null.kept.at) > signedFor {
		t.Errorf("signed at %s, %d calls more", got, s.Counted("DynamoDB GetItem")-calls)
	}
	// A renewal that fails leaves the old one, for a minute.
	s.Answer = func(w http.ResponseWriter, _ string) bool { return servicestest.Refuse(w, "ThrottlingException") }
	c.null.kept = &past
	c.Prepare(0, 0)
	if c.null.kept.header.Get("X-Amz-Date") != "20200101T000000Z" || time.Since(c.null.kept.at) > signedFor {
		t.Errorf("%+v", c.null.kept)
	}
}

// An event that the service did not take is a failure, though its answer is none.
func TestRefusedEventIsAFailure(t *testing.T) {
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if operation != "AWSEvents PutEvents" {
			return false
		}
		servicestest.JSON(w,
			`{"FailedEntryCount":1,"Entries":[{"ErrorCode":"ThrottlingException","ErrorMessage":"slow down"}]}`)
		return true
	}}
	_, result := newLab(t, func(p *Plan) { p.Endpoint = servicestest.Serve(t, s) }, "CloudWatchEvents/PutEvents").run(t)
	if f := result.Failed; f == nil || f.Cause != "ThrottlingException" || !strings.Contains(f.Error(), "slow down") {
		t.Errorf("%v of %d requests", f, s.Total())
	}
}
