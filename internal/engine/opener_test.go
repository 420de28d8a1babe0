package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// openerLab has something open beside its clients.
type openerLab struct {
	*lab
	open   func(context.Context) error
	events []string
}

func (l *openerLab) Open(ctx context.Context, clock *op.Clock) error {
	if clock == nil {
		return errors.New("no clock")
	}
	l.events = append(l.events, "open")
	return l.open(ctx)
}

func (l *openerLab) Shut() { l.events = append(l.events, "shut") }

func (l *openerLab) NewClient(number, slots int) workload.Client {
	l.events = append(l.events, "client")
	return l.lab.NewClient(number, slots)
}

// TestOpener is what a workload has beside its clients: open before the first of them, and shut in any case.
func TestOpener(t *testing.T) {
	for _, tt := range []struct {
		name, want, err string
		open            func(context.Context) error
	}{
		{"it opens", "open client client shut", "", func(context.Context) error { return nil }},
		{"it cannot", "open shut", "out of luck", func(context.Context) error { return errors.New("out of luck") }},
		{"a stop while it opens", "open shut", "interrupted while the clients connected",
			func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &openerLab{lab: newLab(), open: tt.open}
				alarms := wake.NewPortable()
				defer alarms.Close()
				stop := make(chan struct{})
				late := time.AfterFunc(time.Minute, func() { close(stop) })
				defer late.Stop()
				_, err := Run(t.Context(), stop, Config{Workload: l, Alarms: alarms, Load: plan.Load{
					Clients: 2, Pipeline: 1, Operations: 4, Retry: plan.Retry{Timeout: time.Second},
				}})
				if got := strings.Join(l.events, " "); got != tt.want {
					t.Errorf("%s", got)
				}
				if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
