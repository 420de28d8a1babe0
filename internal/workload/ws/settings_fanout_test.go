package ws

import (
	"slices"
	"testing"
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
