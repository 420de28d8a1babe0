package plan

import (
	"math"
	"time"
)

// What a run takes for settings that nobody gave.
const (
	DefaultDuration   = 10 * time.Second
	DefaultWarmupTime = 2 * time.Second

	defaultWarmupClients = 32
	defaultWarmupEach    = 1000
	// By default the warm-up takes at most a tenth of the messages of a run that counts
	// them, so that a short run needs no further flags.
	warmupPart = 10
	// Of operations that are due and wait for a free client, ten seconds' worth are kept.
	waitingSeconds = 10
	minWaiting     = 10000

	// defaultMaxClients is as many connections as a server's operator would want to be told about.
	defaultMaxClients = 10000
)

// DefaultRetry is what a message gets for which nothing was given.
func DefaultRetry() Retry {
	return Retry{Timeout: 5 * time.Second, Max: 5, InitialBackoff: 50 * time.Millisecond, MaxBackoff: time.Second}
}

// DefaultOutput writes no files.
func DefaultOutput() Output { return Output{Bucket: 10 * time.Second} }

// Resolve fills in what depends on other settings, in a load that people choose, as in a chat. given
// reports whether the flag of that name was set by the user; what was set stays. It is called once,
// before the rules. Its only error is a rate of 0 that was asked for, which later looks like no rate at
// all.
func (l *Load) Resolve(given func(flag string) bool) error {
	if given("rate") && l.Rate == 0 {
		return l.badRate()
	}
	if given("max-clients") && l.MaxClients == 0 {
		return usage("--max-clients is 0: at least 1 client is needed").Hint("set it to the number of --clients " +
			"for a fixed number")
	}
	if len(l.ClientStages) > 0 {
		if given("clients") {
			l.StartClients = l.Clients
		}
		l.Clients = l.StartClients
		for _, s := range l.ClientStages {
			l.Clients = max(l.Clients, s.Clients)
		}
	}
	if !l.Staged() && !given("duration") && !given(l.called().Count) {
		l.Duration = DefaultDuration
	}
	if l.Open() {
		if !given("max-clients") {
			l.MaxClients = l.enoughClients()
		}
		if !given("max-waiting") {
			l.MaxWaiting = l.EnoughWaiting()
		}
	} else {
		if !given("arrivals") {
			l.Arrivals = ""
		}
		if !given("pacing") {
			l.Pacing = ""
		}
	}
	if !given("drain") {
		l.Drain = l.Retry.Timeout
	}
	l.resolveWarmup(given)
	return nil
}

// enoughClients returns the default of MaxClients: 10,000, or as many as the other bounds of a load allow.
func (l *Load) enoughClients() int {
	pipeline := max(1, l.Pipeline)
	most := min(defaultMaxClients, maxSlots/pipeline)
	if window := l.Window(); window > 0 {
		most = min(most, int(maxSlotTime/window)/pipeline)
	}
	return max(l.Clients, most)
}

// EnoughWaiting is how many operations may be due and wait in the open model when nobody says so.
func (l *Load) EnoughWaiting() int64 {
	return max(minWaiting, int64(math.Min(waitingSeconds*l.PeakRate(), math.MaxInt32)))
}

// resolveWarmup decides how long the warm-up is.
//
// In the closed model it is 1000 messages per client, as in the load test that the defaults
// come from, but not more than 2 s of them, so that a slow target does not make it endless;
// a bound that the user gives replaces both. In the open model it is 2 s at WarmupRate, and
// left out when that is 0.
func (l *Load) resolveWarmup(given func(string) bool) {
	if !given("warmup-clients") {
		l.WarmupClients = min(defaultWarmupClients, l.Clients)
	}
	each, lasts := given(l.called().Warmup), given("warmup-time")
	switch {
	case l.WarmupClients == 0,
		each && l.WarmupOperations == 0,
		lasts && l.WarmupTime == 0 && !each:
		l.WarmupOperations, l.WarmupTime = 0, 0
	case each || lasts:
		// As the user says.
	case l.Open():
		if l.WarmupRate() > 0 {
			l.WarmupTime = l.shortWarmup(DefaultWarmupTime)
		}
	default:
		l.WarmupTime = DefaultWarmupTime
		l.WarmupOperations = defaultWarmupEach
		if l.Operations > 0 {
			part := l.Operations / warmupPart / int64(max(1, l.WarmupClients))
			l.WarmupOperations = min(defaultWarmupEach, part)
		}
		if l.WarmupOperations == 0 {
			l.WarmupTime = 0
		}
	}
	if l.WarmupOperations == 0 && l.WarmupTime == 0 {
		l.WarmupClients = 0
	}
}

// shortWarmup is d, or the time in which the open model makes a tenth of the operations.
func (l *Load) shortWarmup(d time.Duration) time.Duration {
	if l.Operations <= 0 {
		return d
	}
	part := float64(l.Operations) / warmupPart / l.WarmupRate() * float64(time.Second)
	return time.Duration(math.Min(float64(d), part))
}

// WarmupRate is the rate of the warm-up in the open model: that of the run, or what the
// first stage leads to.
func (l *Load) WarmupRate() float64 {
	if l.Rate == 0 && len(l.Stages) > 0 {
		return l.Stages[0].Rate
	}
	return l.Rate
}

// PeakRate is the highest rate that the open model reaches, in operations per second; 0 in
// the closed model.
func (l *Load) PeakRate() float64 {
	peak := l.Rate
	for _, s := range l.Stages {
		peak = math.Max(peak, s.Rate)
	}
	return peak
}
