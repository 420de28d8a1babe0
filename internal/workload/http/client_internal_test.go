package http

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// connected is a client of a plan, and the control of its attempts.
func connected(t *testing.T, url string, change func(p *Plan)) (*client, *op.Control) {
	t.Helper()
	step, service, err := (&script.Request{URL: url}).Compile(&template.Known{})
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultPlan()
	if change != nil {
		change(&p)
	}
	h, err := New(p, &script.Script{Service: service,
		Flows: []script.Flow{{Name: "flow", Weight: 1, Steps: []script.Step{step}}}})
	if err != nil {
		t.Fatal(err)
	}
	clock := op.NewClock()
	h.Stamp(wire.NewTimes(time.Now()))
	c := h.NewClient(0, 1).(sender).client
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctl := op.NewControl(clock, time.Minute, c.Cut)
	t.Cleanup(func() { ctl.Stop(); c.Close(); h.Close() })
	c.Prepare(0, 1)
	ctl.Begin(clock.Now())
	return c, ctl
}

// TestConnectionCutAfterResponseIsNotReused: a connection that was cut at the moment when the answer was whole is not used for the next
// request, which would fail for what the one before did.
func TestConnectionCutAfterResponseIsNotReused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	c, ctl := connected(t, server.URL+"/", nil)
	if why := ctl.End(c.Do(t.Context(), 0, &ctl.Attempt)); why != nil || c.Down() != nil {
		t.Fatal(why, c.Down())
	}
	c.Cut(op.ErrTimeout)
	if c.Down() != abandoned {
		t.Errorf("down: %v", c.Down())
	}
}
