package reads

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Config is what reads are made with.
type Config struct {
	URLs []string // of the servers
	Load plan.Load
	Work *Work // but for its Servers
	Keys string
}

// LoadOf is that of so many reads a second beside a load: they are due while that is.
func LoadOf(rate float64, beside *plan.Load) plan.Load {
	// So many that none waits for a connection as long as reads take no longer than this.
	const covered = 50 * time.Millisecond
	n := int(math.Ceil(min(max(rate*covered.Seconds(), 8), 256)))
	l := plan.Load{
		Seed: beside.Seed, Clients: n, Pipeline: 1, Rate: rate, Arrivals: plan.Constant, Duration: beside.Duration,
		WarmupTime: beside.WarmupTime, Drain: beside.Retry.Timeout, Retry: plan.Retry{Timeout: beside.Retry.Timeout},
	}
	if l.WarmupTime > 0 {
		l.WarmupClients = n
	}
	l.MaxClients, l.MaxWaiting = mostReaders, l.EnoughWaiting()
	return l
}

// mostReaders bounds the connections that reads add when all are busy.
const mostReaders = 1000

// Reading are reads that go on.
type Reading struct {
	Config
	cancel context.CancelFunc
	over   chan struct{} // closed when all that will be applied is
	going  sync.WaitGroup
	run    *record.Run
	err    error
}

// Start begins with the reads, which end with their window, or when stop is closed. End has to be called.
func Start(ctx context.Context, stop <-chan struct{}, c Config) (*Reading, error) {
	for _, url := range c.URLs {
		server, err := kvapi.NewReader(url, c.Load.MostClients())
		if err != nil {
			return nil, err
		}
		c.Work.Servers = append(c.Work.Servers, server)
	}
	r := &Reading{Config: c, over: make(chan struct{})}
	ctx, r.cancel = context.WithCancel(ctx)
	r.going.Go(func() {
		if r.run, r.err = engine.Run(ctx, stop, engine.Config{Load: c.Load, Workload: c.Work}); r.err == nil {
			distance := time.Duration(float64(time.Second) / c.Load.Rate)
			c.Work.Rest(ctx, max(distance, time.Millisecond), c.Load.Retry.Timeout, r.over)
		}
	})
	return r, nil
}

// Abandon ends the reads of a run that came to nothing.
func (r *Reading) Abandon() {
	if r == nil {
		return
	}
	r.cancel()
	r.going.Wait()
	r.close()
}

// End looks for the last time for what was not read, and is what the reads came to; of none it is nil.
func (r *Reading) End() (*rundoc.UpdateReads, error) {
	if r == nil {
		return nil, nil
	}
	close(r.over)
	r.going.Wait()
	defer r.close()
	if r.err != nil {
		return nil, r.err
	}
	doc, err := r.run.Document()
	if err != nil {
		return nil, err
	}
	d := &rundoc.UpdateReads{
		Keys: r.Keys, RatePerS: r.Load.Rate, Readers: doc.Ledger.Clients, Operation: doc.Operations[0], Series: doc.Series,
	}
	d.Asked, d.Found = r.Work.Keys()
	if r.Work.Board != nil {
		d.Batches = r.Work.Board.Found()
	}
	return d, nil
}

func (r *Reading) close() {
	r.cancel()
	for _, s := range r.Work.Servers {
		s.Close()
	}
}
