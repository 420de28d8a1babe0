package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// Requests gathers what became of the requests of a store, by their names. It is safe for
// concurrent use; its zero value is ready.
type Requests struct {
	mu     sync.Mutex
	byName map[string]*Figures
	origin time.Time // of the run

	reopened map[string]int64 // files that were being read, by why
}

// Figures sums up the attempts of the requests of one name.
type Figures struct {
	Name     string
	Attempts int64
	Failed   int64            // attempts that ended with an error of their own, or with a status of 400 or more
	Retries  map[string]int64 // attempts after a first, by the cause of the attempt before
	Sent     int64            // bytes of bodies
	Received int64
	Opened   int64 // attempts that made a connection
	// Paused is the time from the end of an attempt that failed to the start of the one that repeated it, summed.
	Paused time.Duration

	// Where the time of the attempts went, summed. A stage that an attempt did not reach has
	// nothing of it.
	Setup, Send, Wait, Receive, Total time.Duration
	// Slowest is the longest attempt, and Longest has the longest ones, the longest first.
	Slowest time.Duration
	Longest Longest
	// Times are those of each stage, of the attempts that got an answer.
	Times [Stages]Times

	Handoff, Delivered, Read Rate
	Qualities                map[throughput.Quality]int64 // of attempts that moved a body
	Limits                   map[throughput.Limit]int64   // of those of which it can be told
}

// Rate is a rate over several attempts: bytes ÷ time, of those attempts that have one.
type Rate struct {
	Attempts int64
	Bytes    int64
	Time     time.Duration
}

// PerSecond is the rate in bytes per second; false when there is none.
func (r Rate) PerSecond() (float64, bool) {
	if r.Attempts == 0 || r.Time <= 0 {
		return 0, false
	}
	return float64(r.Bytes) / r.Time.Seconds(), true
}

func (r *Rate) add(bytes int64, perSecond float64, ok bool) {
	if !ok || perSecond <= 0 {
		return
	}
	r.Attempts++
	r.Bytes += bytes
	r.Time += time.Duration(float64(bytes) / perSecond * float64(time.Second))
}

// call is what is known of the requests of one context, which are attempts at the same: one after the other.
type call struct {
	name   string
	failed time.Time // the end of the last attempt, if that failed
}

// Named returns a context whose requests are counted under this name, as attempts at the same. One that is cut off
// because ctx is cancelled has not failed: the store had no part in that.
func (r *Requests) Named(ctx context.Context, name string) context.Context {
	c := &call{name: name}
	return throughput.WithObserver(ctx, throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) {
		r.observe(ctx, c, t)
	}))
}

// Paused counts a pause before a retry of a request of this name, for a store whose attempts have contexts of their
// own.
func (r *Requests) Paused(name string, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named(name).Paused += pause
}

// Retry counts a retry of a request of this name, because the attempt before failed with
// this cause.
func (r *Requests) Retry(name, cause string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.named(name)
	if f.Retries == nil {
		f.Retries = map[string]int64{}
	}
	f.Retries[cause]++
}

// Start begins the run: what was gathered before, of the checks that precede it, is forgotten.
func (r *Requests) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byName, r.reopened = nil, nil
	r.origin = time.Now()
}

// Figures lists the requests by name. It may be called at any time.
func (r *Requests) Figures() []Figures {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Figures
	for _, name := range slices.Sorted(maps.Keys(r.byName)) {
		f := *r.byName[name]
		f.Retries, f.Qualities, f.Limits = maps.Clone(f.Retries), maps.Clone(f.Qualities), maps.Clone(f.Limits)
		for i := range f.Times {
			f.Times[i] = f.Times[i].clone()
		}
		f.Longest = f.Longest.sorted()
		list = append(list, f)
	}
	return list
}

func (r *Requests) named(name string) *Figures {
	if r.byName == nil {
		r.byName = map[string]*Figures{}
	}
	f := r.byName[name]
	if f == nil {
		f = &Figures{Name: name}
		r.byName[name] = f
	}
	return f
}

// failed reports whether an attempt did, for a reason other than that it was cut off.
func failed(t *throughput.Timeline, cutOff bool) bool {
	return t.Status >= 400 || !cutOff && (t.Err != nil || t.Status == 0)
}

func (r *Requests) observe(ctx context.Context, c *call, t *throughput.Timeline) {
	stages, cutOff := stagesOf(t), errors.Is(ctx.Err(), context.Canceled)
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.named(c.name)
	f.Attempts++
	if !c.failed.IsZero() {
		f.Paused += max(0, t.Started.Sub(c.failed))
	}
	c.failed = time.Time{}
	// An answer that the client did not care to read to its end is no failure.
	if failed(t, cutOff) {
		f.Failed++
		c.failed = t.Started.Add(stages.total)
	}
	f.Sent += t.RequestBytes
	f.Received += t.ResponseBytes
	if !t.Reused && t.ConnectionGot.Happened() {
		f.Opened++
	}
	f.Setup += stages.setup
	f.Send += stages.send
	f.Wait += stages.wait
	f.Receive += stages.receive
	f.Total += stages.total
	f.Slowest = max(f.Slowest, stages.total)
	if t.FirstResponseByte.Happened() {
		for i, took := range stages.all() {
			f.Times[i].add(took)
		}
	}
	f.Longest.add(ctx, Slow{
		From: time.Since(r.origin) - stages.total, Took: stages.total, Failed: failed(t, cutOff),
	})
	if !t.HasBody && t.ResponseBytes == 0 {
		return
	}
	perSecond, ok := t.WriteThroughputHandoff()
	f.Handoff.add(t.RequestBytes, perSecond, ok)
	perSecond, ok = t.WriteThroughputDelivered()
	f.Delivered.add(t.RequestBytes, perSecond, ok)
	perSecond, ok = t.ReadThroughput()
	f.Read.add(t.ResponseBytes, perSecond, ok)
	if f.Qualities == nil {
		f.Qualities = map[throughput.Quality]int64{}
	}
	quality, limit := t.ReadQuality(), t.ReadLimit()
	if t.HasBody && t.RequestBytes > 0 {
		quality, limit = t.WriteQuality(), t.WriteLimit()
	}
	f.Qualities[quality]++
	if limit != "" {
		if f.Limits == nil {
			f.Limits = map[throughput.Limit]int64{}
		}
		f.Limits[limit]++
	}
}

// stages are the parts of an attempt's time, one after the other.
type stages struct{ setup, send, wait, receive, total time.Duration }

// all are the stages in their order.
func (s stages) all() [Stages]time.Duration {
	return [Stages]time.Duration{StageSetup: s.setup, StageSend: s.send, StageWait: s.wait, StageReceive: s.receive,
		StageWhole: s.total}
}

// stagesOf cuts an attempt's time at the moments that it came to: the connection, the request
// sent, the first byte of the answer, the end. A request is sent when the other side has
// acknowledged all of it; where that cannot be seen, when the operating system has it. What an
// attempt that failed had left belongs to the stage that it was in: the one after the last
// moment that it came to. So does the time until an answer that came before all was sent.
func stagesOf(t *throughput.Timeline) (s stages) {
	s.total, _ = t.Ended.Offset()
	sent := max(t.RequestWritten, t.Drained)
	at, in := time.Duration(0), &s.setup
	for _, cut := range []struct {
		stamp throughput.Stamp
		next  *time.Duration
	}{
		{t.ConnectionGot, &s.send}, {sent, &s.wait}, {t.FirstResponseByte, &s.receive},
	} {
		moment, ok := cut.stamp.Offset()
		if !ok {
			continue
		}
		if moment >= at {
			*in, at = moment-at, moment
		}
		in = cut.next
	}
	*in += max(0, s.total-at)
	return s
}
