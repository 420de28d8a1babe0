package plan

import (
	"math"
	"time"
)

// Bounds that keep a slip of the finger from becoming a day-long run or an exhausted
// machine. They are far above what one machine can do.
const (
	MaxRetries = 1000
	MaxTime    = 30 * 24 * time.Hour // of each setting that is a time

	maxClients  = 1_000_000
	maxPipeline = 10_000
	maxSlots    = 10_000_000 // clients × pipeline
	maxRate     = 100_000_000
	// maxSlotTime is what all slots' times may sum to within the window: ns in an int64 are 292 years, and half of that
	// leaves room for the drain.
	maxSlotTime = math.MaxInt64 / 2
)

// Rules are those of a load that people choose, as the settings of a chat have it: clients and
// messages, in the closed model or in the open one. The rules of a single time go with its setting.
func (l *Load) Rules() []func() error {
	return []func() error{
		l.checkSize, l.checkModel, l.checkLength, l.checkSlotTime, l.checkWarmup, l.Retry.Check, l.checkOperations,
	}
}

func (l *Load) checkSize() error {
	c := l.called()
	switch {
	case l.Clients < 1 && len(l.ClientStages) > 0:
		return usage("--client-stages never has a client: nothing would be sent").
			Hint("write stages as 10s:50,1m:50,10s:0")
	case l.Clients < 1:
		return usage("--clients is %d: at least 1 client is needed", l.Clients)
	case l.Clients > maxClients:
		return usage("--clients is %d: at most %d can be simulated by one process", l.Clients, maxClients).
			Hint("run several processes on several machines")
	case l.Pipeline < 1:
		return usage("--pipeline is %d: a client needs at least 1 %s in flight", l.Pipeline, c.Operation)
	case l.Pipeline > maxPipeline:
		return usage("--pipeline is %d: at most %d %s in flight per client", l.Pipeline, maxPipeline, c.Operations)
	case l.Clients*l.Pipeline > maxSlots:
		return usage("--clients times --pipeline is %d: at most %d %s can be in flight",
			l.Clients*l.Pipeline, maxSlots, c.Operations)
	}
	return l.checkMaxClients()
}

func (l *Load) checkMaxClients() error {
	switch {
	case l.MaxClients == 0:
		return nil
	case !l.Open():
		return usage("--max-clients has no effect without --rate or --stages: the number of clients is then --clients").
			Hint("add --rate, or remove --max-clients")
	case l.MaxClients < l.Clients:
		return usage("--max-clients is %d: it cannot be less than --clients, which is %d", l.MaxClients, l.Clients).
			Hint("set --max-clients to %d for a fixed number of clients, or reduce --clients", l.Clients)
	case l.MaxClients > maxClients:
		return usage("--max-clients is %d: at most %d can be simulated by one process", l.MaxClients, maxClients)
	case l.MaxClients*l.Pipeline > maxSlots:
		return usage("--max-clients times --pipeline is %d: at most %d %s can be in flight",
			l.MaxClients*l.Pipeline, maxSlots, l.called().Operations)
	}
	return nil
}

func (l *Load) checkLength() error {
	count := l.called().Count
	if l.Operations < 0 {
		return usage("--%s is %d: it cannot be negative", count, l.Operations)
	}
	counted, timed, staged := l.Operations > 0, l.Duration > 0, l.Staged()
	flag := "--stages"
	if len(l.ClientStages) > 0 {
		flag = "--client-stages"
	}
	switch {
	case staged && counted:
		return usage("--%s and %s are both given, but the stages set the length of the run", count, flag).
			Hint("remove one of them")
	case staged && timed:
		return usage("--duration and %s are both given, but the stages set the length of the run", flag).
			Hint("remove --duration; the stages last %v", l.Window())
	case counted && timed:
		return usage("--%s and --duration are both given, but only one can end the run", count).
			Hint("remove one of them")
	case !counted && !timed && !staged:
		return usage("the run has no end: --%s or --duration must be above 0", count).
			Hint("give --%s 500000, or --duration 10s", count)
	}
	return nil
}

// checkSlotTime refuses a run whose sums of times would not fit, instead of breaking a law at its end.
func (l *Load) checkSlotTime() error {
	if slots := l.MostClients() * l.Pipeline; float64(slots)*float64(l.Window()) > maxSlotTime {
		return usage("%d %s in flight for %v: the sum of their times exceeds the limit, which is reached after %v",
			slots, l.called().Operations, l.Window(), (maxSlotTime / time.Duration(slots)).Truncate(time.Second)).
			Hint("use a shorter run, or several processes on several machines")
	}
	return nil
}

func (l *Load) checkModel() error {
	if !(l.Rate >= 0 && l.Rate <= maxRate) {
		return l.badRate()
	}
	for i, s := range l.Stages {
		if err := checkStage(s); err != nil {
			return usage("--stages: stage %d: %w", i+1, err)
		}
	}
	if !l.Open() {
		return l.checkClosed()
	}
	if len(l.ClientStages) > 0 {
		return usage("--client-stages has no effect with --rate or --stages: clients are added as the rate needs them").
			Hint("remove --client-stages, or remove --rate and --stages")
	}
	recorded := l.Recorded && l.Arrivals == AsRecorded
	switch {
	case l.PeakRate() == 0:
		return usage("--stages never has a rate above 0: nothing would be sent")
	case recorded && (l.Ramp > 0 || len(l.Stages) > 0):
		return usage("--ramp and --stages have no effect with recorded times, which set when requests start").
			Hint("remove them, or use --rate instead of the recorded times")
	case !recorded && l.Arrivals != Poisson && l.Arrivals != Constant && l.Arrivals != Burst:
		return usage("--arrivals is %q: it must be poisson, constant or burst", string(l.Arrivals))
	case l.Pacing != "" && l.Pacing != Auto && l.Pacing != Spin && l.Pacing != Sleep:
		return usage("--pacing is %q: it must be auto, spin or sleep", string(l.Pacing))
	case l.ThinkTime > 0:
		return usage("--think-time has no effect with --rate or --stages, which set when a %s starts", l.called().Operation).
			Hint("remove --think-time, or remove --rate for clients that wait for the response")
	case len(l.Stages) > 0 && l.Ramp > 0:
		return usage("--ramp and --stages are both given, but the stages set how the rate rises").
			Hint("start with a rise instead, for example --stages 10s:2000,30s:2000")
	case l.MaxWaiting < 1:
		return usage("--max-waiting is %d: it must be at least 1", l.MaxWaiting)
	}
	return nil
}

// checkClosed refuses settings that mean nothing without a rate, instead of ignoring them.
func (l *Load) checkClosed() error {
	switch {
	case l.Arrivals != "":
		return usage("--arrivals has no effect without --rate or --stages").
			Hint("add --rate, or remove --arrivals")
	case l.Pacing != "" || l.Realtime:
		return usage("--pacing and --realtime have no effect without --rate or --stages").
			Hint("add --rate, or remove them")
	case len(l.ClientStages) > 0 && l.Ramp > 0:
		return usage("--ramp and --client-stages are both given, but the stages set how the number of clients rises").
			Hint("start with a rise instead, for example --client-stages 10s:50,1m:50")
	case l.MaxWaiting != 0:
		return usage("--max-waiting has no effect without --rate or --stages").
			Hint("add --rate, or remove --max-waiting")
	}
	return nil
}

func (l *Load) badRate() error {
	return usage("--rate is %v: it must be above 0 and at most %d %s per second", l.Rate, int64(maxRate),
		l.called().Operations).
		Hint("use a rate such as --rate 2000, or remove --rate to run as fast as the clients can")
}

func (l *Load) checkWarmup() error {
	switch {
	case l.WarmupClients < 0:
		return usage("--warmup-clients is %d: it cannot be negative", l.WarmupClients).
			Hint("give 0 for no warm-up")
	case l.WarmupClients > maxClients:
		return usage("--warmup-clients is %d: at most %d can be simulated by one process",
			l.WarmupClients, maxClients)
	case l.WarmupOperations < 0:
		return usage("--%s is %d: it cannot be negative", l.called().Warmup, l.WarmupOperations).
			Hint("give 0 for no warm-up")
	case l.WarmupClients > 0 && l.Open() && l.WarmupRate() == 0:
		return usage("the warm-up needs a rate, but the first of the --stages leads to 0").
			Hint("add --rate for the warm-up and the start of the stages, or disable the warm-up with " +
				"--warmup-clients 0")
	}
	return nil
}

// Check says what is wrong with the retries, beside the single times.
func (r *Retry) Check() error {
	switch {
	case r.Timeout == 0:
		return usage("--timeout is 0: it must be above 0").
			Hint("use a timeout such as --timeout 5s")
	case r.Max < 0 || r.Max > MaxRetries:
		return usage("--max-retries is %d: it must be from 0 to %d", r.Max, MaxRetries)
	case r.InitialBackoff > r.MaxBackoff:
		return usage("--initial-backoff is %v, longer than --max-backoff, %v", r.InitialBackoff, r.MaxBackoff).
			Hint("set --max-backoff to at least %v", r.InitialBackoff)
	}
	return nil
}

// checkOperations makes sure that a run that counts its operations has some left for the
// window when the warm-up and the ramp have taken theirs.
func (l *Load) checkOperations() error {
	if l.Operations == 0 {
		return nil
	}
	c := l.called()
	if l.Open() {
		warmup := l.Rate * l.WarmupTime.Seconds()
		most := float64(l.WarmupClients) * float64(l.WarmupOperations)
		if l.WarmupOperations > 0 && (l.WarmupTime == 0 || most < warmup) {
			warmup = most
		}
		// The ramp rises from 0 to the rate, so it makes half of what the rate would.
		ramp := l.Rate * l.Ramp.Seconds() / 2
		if warmup+ramp >= float64(l.Operations) {
			return usage("--%s is %d, but warm-up (about %.0f) and ramp (about %.0f) need all of them",
				c.Count, l.Operations, math.Ceil(warmup), math.Ceil(ramp)).
				Hint("use more than --%s %.0f, or shorten --warmup-time and --ramp", c.Count, math.Ceil(warmup+ramp))
		}
		return nil
	}
	// A warm-up that time bounds as well may take fewer; only the user's own count is final.
	if l.WarmupTime > 0 {
		return nil
	}
	if warmup := int64(l.WarmupClients) * l.WarmupOperations; warmup >= l.Operations {
		return usage("--%s is %d, but the warm-up needs all of them: %d clients × %d %s = %d",
			c.Count, l.Operations, l.WarmupClients, l.WarmupOperations, c.Operations, warmup).
			Hint("use more than --%s %d, or reduce --%s", c.Count, warmup, c.Warmup)
	}
	return nil
}
