package ws

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// A demo's server sends to all where receivers wait for that, unless its own settings say something of it.
func TestDemoServerBroadcastsForFanOut(t *testing.T) {
	for _, c := range []struct {
		fanout     bool
		args, want []string
	}{
		{false, []string{"--delay=1ms"}, []string{"--delay=1ms"}},
		{true, nil, []string{"--broadcast"}},
		{true, []string{"--broadcast-loss=1%"}, []string{"--broadcast-loss=1%", "--broadcast"}},
		{true, []string{"--broadcast=false"}, []string{"--broadcast=false"}},
		{true, []string{"--broadcast"}, []string{"--broadcast"}},
	} {
		a := Audience{Fanout: c.fanout}
		if got := a.Serve(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c, got, c.want)
		}
	}
}

// Faults of a demo's deliveries need no other flag where receivers wait for them.
func TestDemoFaultsNeedFanOut(t *testing.T) {
	c, err := resolve(nil, "fanout", "target-flag=broadcast-loss=1%")
	if err != nil || len(c.serverArgs) != 2 {
		t.Errorf("%v (%v)", err, fault.HintOf(err))
	}
	if _, err := resolve(nil, "target-flag=broadcast-loss=1%"); err == nil {
		t.Error("deliveries that are not made are lost")
	}
	for _, flags := range [][]string{nil, {"broadcast"}, {"--broadcast=false"}} {
		if got := (&Audience{Fanout: true}).TargetFlags(flags); !slices.Equal(got, flags) {
			t.Errorf("%v has become %v", flags, got)
		}
	}
}
