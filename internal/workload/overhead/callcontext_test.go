package overhead

import (
	"net/http"
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// What comes late of a call that failed or took too long is not stamped as another call's.
func TestASpentSessionIsNotUsedAgain(t *testing.T) {
	s := &servicestest.Responder{}
	c := readyAt(t, servicestest.Serve(t, s), "DynamoDB/GetItem")
	c.Prepare(0, 0)
	first := c.callCtx
	if err := c.call(); err != nil || c.settle(err) == nil || c.callCtx != first {
		t.Fatalf("%v: the context of a call that went well has ended", err)
	}
	s.Answer = func(w http.ResponseWriter, _ string) bool { return servicestest.Refuse(w, "ThrottlingException") }
	c.Prepare(0, 0)
	err := c.call()
	if err == nil || c.settle(err) != nil || c.callCtx != nil || first.ctx.Err() == nil {
		t.Errorf("%v: the context goes on", err)
	}
	s.Answer = nil
	c.Prepare(0, 0)
	if c.callCtx == first || c.callCtx.stamps == first.stamps {
		t.Error("the stamps are the old ones")
	}
	// So it is with a call that was overdue, though it went well.
	if err := c.call(); err != nil {
		t.Fatal(err)
	}
	c.callCtx.spent = true
	if c.settle(nil); c.callCtx != nil {
		t.Error("the context of a call that took too long goes on")
	}
}
