package plan

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a load becomes that says little of itself.
func TestResolve(t *testing.T) {
	s := time.Second
	retry := Retry{Timeout: 5 * s, Max: 5, InitialBackoff: 50 * time.Millisecond, MaxBackoff: s}
	if diff := cmp.Diff(retry, DefaultRetry()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Output{Bucket: 10 * s}, DefaultOutput()); diff != "" {
		t.Error(diff)
	}
	calls := Called{Operation: "call", Operations: "calls", Count: "calls", Warmup: "warmup-calls"}
	rise := []Stage{{10 * s, 3}, {10 * s, 2000}, {10 * s, 5}}
	for name, tt := range map[string]struct {
		given    []string
		had, got Load // without what all of them have
	}{
		"nothing": {nil, Load{Clients: 64, Arrivals: Poisson, Pacing: Auto},
			Load{Clients: 64, Duration: 10 * s, WarmupClients: 32, WarmupOperations: 1000, WarmupTime: 2 * s, Drain: 5 * s}},
		"few clients": {nil, Load{Clients: 1}, Load{Clients: 1, Duration: 10 * s, WarmupClients: 1, WarmupOperations: 1000,
			WarmupTime: 2 * s, Drain: 5 * s}},
		"arrivals and pacing without a rate": {[]string{"arrivals", "pacing"}, Load{Clients: 1, Arrivals: Poisson, Pacing: Auto},
			Load{Clients: 1, Arrivals: Poisson, Pacing: Auto, Duration: 10 * s, WarmupClients: 1, WarmupOperations: 1000,
				WarmupTime: 2 * s, Drain: 5 * s}},
		"a duration": {[]string{"duration"}, Load{Clients: 1, Duration: 3 * s}, Load{Clients: 1, Duration: 3 * s, WarmupClients: 1,
			WarmupOperations: 1000, WarmupTime: 2 * s, Drain: 5 * s}},
		"a drain": {[]string{"drain"}, Load{Clients: 1, Drain: s}, Load{Clients: 1, Duration: 10 * s, WarmupClients: 1,
			WarmupOperations: 1000, WarmupTime: 2 * s, Drain: s}},
		"a rate": {[]string{"rate"}, Load{Clients: 1, Rate: 2000, Arrivals: Poisson, Pacing: Auto}, Load{Clients: 1, Rate: 2000,
			Arrivals: Poisson, Pacing: Auto, Duration: 10 * s, MaxWaiting: 20_000, WarmupClients: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"a low rate": {[]string{"rate"}, Load{Clients: 1, Rate: 10}, Load{Clients: 1, Rate: 10, Duration: 10 * s, MaxWaiting: 10_000,
			WarmupClients: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"a rate and what may wait": {[]string{"rate", "max-waiting"}, Load{Clients: 1, Rate: 10, MaxWaiting: 5}, Load{Clients: 1,
			Rate: 10, Duration: 10 * s, MaxWaiting: 5, WarmupClients: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"stages": {[]string{"stages"}, Load{Clients: 1, Stages: rise}, Load{Clients: 1, Stages: rise, MaxWaiting: 20_000,
			WarmupClients: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"a stage": {[]string{"stages"}, Load{Clients: 1, Stages: rise[:1]}, Load{Clients: 1, Stages: rise[:1], MaxWaiting: 10_000,
			WarmupClients: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"a stage down to nothing": {[]string{"stages"}, Load{Clients: 1, Stages: []Stage{{s, 0}}}, Load{Clients: 1,
			Stages: []Stage{{s, 0}}, MaxWaiting: 10_000, Drain: 5 * s}},
		"a rate, counted": {[]string{"rate", "calls"}, Load{Called: calls, Clients: 1, Rate: 100, Operations: 1000}, Load{Called: calls,
			Clients: 1, Rate: 100, Operations: 1000, MaxWaiting: 10_000, WarmupClients: 1, WarmupTime: s, Drain: 5 * s}},
		"a rate, and one": {[]string{"rate", "messages"}, Load{Clients: 1, Rate: 100, Operations: 1}, Load{Clients: 1, Rate: 100,
			Operations: 1, MaxWaiting: 10_000, WarmupClients: 1, WarmupTime: time.Millisecond, Drain: 5 * s}},

		"counted": {[]string{"messages"}, Load{Clients: 4, Operations: 1000}, Load{Clients: 4, Operations: 1000, WarmupClients: 4,
			WarmupOperations: 25, WarmupTime: 2 * s, Drain: 5 * s}},
		"many counted": {[]string{"messages"}, Load{Clients: 4, Operations: 100_000}, Load{Clients: 4, Operations: 100_000,
			WarmupClients: 4, WarmupOperations: 1000, WarmupTime: 2 * s, Drain: 5 * s}},
		"one each": {[]string{"messages"}, Load{Clients: 4, Operations: 40}, Load{Clients: 4, Operations: 40, WarmupClients: 4,
			WarmupOperations: 1, WarmupTime: 2 * s, Drain: 5 * s}},
		"by one client": {[]string{"messages"}, Load{Clients: 1, Operations: 50}, Load{Clients: 1, Operations: 50, WarmupClients: 1,
			WarmupOperations: 5, WarmupTime: 2 * s, Drain: 5 * s}},
		"too few": {[]string{"messages"}, Load{Clients: 4, Operations: 39}, Load{Clients: 4, Operations: 39, Drain: 5 * s}},
		"one":     {[]string{"messages"}, Load{Clients: 4, Operations: 1}, Load{Clients: 4, Operations: 1, Drain: 5 * s}},
		"fewer than no client": {[]string{"messages", "warmup-clients"}, Load{Clients: 4, Operations: 50, WarmupClients: -1},
			Load{Clients: 4, Operations: 50, WarmupClients: -1, WarmupOperations: 5, WarmupTime: 2 * s, Drain: 5 * s}},

		"no client to warm up": {[]string{"warmup-clients", "warmup-messages", "warmup-time"},
			Load{Clients: 4, WarmupOperations: 9, WarmupTime: 9}, Load{Clients: 4, Duration: 10 * s, Drain: 5 * s}},
		"none to warm up": {[]string{"warmup-messages"}, Load{Clients: 4, WarmupTime: 9}, Load{Clients: 4, Duration: 10 * s, Drain: 5 * s}},
		"one to warm up": {[]string{"warmup-messages"}, Load{Clients: 4, WarmupOperations: 1}, Load{Clients: 4, Duration: 10 * s,
			WarmupClients: 4, WarmupOperations: 1, Drain: 5 * s}},
		"none of calls": {[]string{"warmup-calls"}, Load{Called: calls, Clients: 4}, Load{Called: calls, Clients: 4, Duration: 10 * s,
			Drain: 5 * s}},
		"no time to warm up": {[]string{"warmup-time"}, Load{Clients: 4, WarmupOperations: 9}, Load{Clients: 4, Duration: 10 * s,
			Drain: 5 * s}},
		"little time": {[]string{"warmup-time"}, Load{Clients: 4, WarmupTime: 1}, Load{Clients: 4, Duration: 10 * s, WarmupClients: 4,
			WarmupTime: 1, Drain: 5 * s}},
		"some in no time": {[]string{"warmup-time", "warmup-messages"}, Load{Clients: 4, WarmupOperations: 7}, Load{Clients: 4,
			Duration: 10 * s, WarmupClients: 4, WarmupOperations: 7, Drain: 5 * s}},
		"none in some time": {[]string{"warmup-time", "warmup-messages"}, Load{Clients: 4, WarmupTime: 3 * s}, Load{Clients: 4,
			Duration: 10 * s, Drain: 5 * s}},
	} {
		l := tt.had
		l.Retry, tt.got.Retry = retry, retry
		if l.Open() {
			tt.got.MaxClients = 10_000
		}
		if err := l.Resolve(func(flag string) bool { return slices.Contains(tt.given, flag) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.got, l); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	err := new(Load).Resolve(func(flag string) bool { return flag == "rate" })
	checkSays(t, "a rate of 0", err, "--rate is 0: it must be above 0 and at most 100000000 messages per second")
}

// How fast a load is, and how long.
func TestRatesOfALoad(t *testing.T) {
	s := time.Second
	rise := []Stage{{10 * s, 3}, {20 * s, 2000}, {5 * s, 5}}
	for name, tt := range map[string]struct {
		load         Load
		open         bool
		warmup, peak float64
		window       time.Duration
		waiting      int64
	}{
		"closed":      {Load{Duration: s}, false, 0, 0, s, 10_000},
		"a rate":      {Load{Duration: s, Rate: 7}, true, 7, 7, s, 10_000},
		"stages":      {Load{Stages: rise}, true, 3, 2000, 35 * s, 20_000},
		"one stage":   {Load{Stages: rise[:1], Duration: s}, true, 3, 3, 10 * s, 10_000},
		"rate, then":  {Load{Rate: 2500, Stages: rise}, true, 2500, 2500, 35 * s, 25_000},
		"beyond all":  {Load{Rate: 1e300}, true, 1e300, 1e300, 0, math.MaxInt32},
		"one to none": {Load{Stages: []Stage{{s, 0}}}, true, 0, 0, s, 10_000},
	} {
		l := &tt.load
		if l.Open() != tt.open || l.WarmupRate() != tt.warmup || l.PeakRate() != tt.peak || l.Window() != tt.window ||
			l.EnoughWaiting() != tt.waiting {
			t.Errorf("%s: %t, %g, %g, %v, %d", name, l.Open(), l.WarmupRate(), l.PeakRate(), l.Window(), l.EnoughWaiting())
		}
	}
	if a, b, c := RandomSeed(), RandomSeed(), RandomSeed(); a == b && b == c || max(a, b, c) > math.MaxUint32 {
		t.Errorf("%d, %d, %d", a, b, c)
	}
}

func TestMaxClientsFitsTheOtherBounds(t *testing.T) {
	for _, tt := range []struct {
		load Load
		want int
	}{
		{Load{Clients: 16, Pipeline: 1, Rate: 1}, 10_000},
		{Load{Clients: 20_000, Pipeline: 1, Rate: 1}, 20_000},
		{Load{Clients: 16, Pipeline: 5000, Rate: 1}, 2000},
		{Load{Clients: 1, Pipeline: 1, Rate: 1, Duration: MaxTime}, 1779},
	} {
		l := tt.load
		if err := l.Resolve(func(flag string) bool { return flag == "duration" }); err != nil || l.MaxClients != tt.want {
			t.Errorf("%+v: %d, want %d (%v)", tt.load, l.MaxClients, tt.want, err)
		}
		for _, rule := range []func() error{l.checkSize, l.checkSlotTime} {
			if err := rule(); err != nil {
				t.Errorf("%+v: %v", tt.load, err)
			}
		}
	}
}

func TestMaxClientsOfZeroIsRefused(t *testing.T) {
	l := Load{Clients: 16, Pipeline: 1, Rate: 1}
	err := l.Resolve(func(flag string) bool { return flag == "rate" || flag == "max-clients" })
	checkSays(t, "--max-clients 0", err, "--max-clients is 0: at least 1 client is needed")
}

func TestMaxClientsIsRefused(t *testing.T) {
	for _, tt := range []struct {
		load Load
		want string
	}{
		{Load{Clients: 16, Pipeline: 1, MaxClients: 20}, "--max-clients has no effect without --rate or --stages"},
		{Load{Clients: 16, Pipeline: 1, Rate: 1, MaxClients: 15}, "--max-clients is 15: it cannot be less than --clients"},
		{Load{Clients: 16, Pipeline: 1, Rate: 1, MaxClients: 2_000_000}, "--max-clients is 2000000: at most 1000000"},
		{Load{Clients: 16, Pipeline: 100, Rate: 1, MaxClients: 200_000}, "--max-clients times --pipeline is 20000000"},
	} {
		checkSays(t, tt.want, tt.load.checkSize(), tt.want)
	}
}
