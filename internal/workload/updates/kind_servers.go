package updates

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	serving "github.com/plimsoll/plimsoll/internal/server"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/internal/workload/updates/reads"
	"github.com/plimsoll/plimsoll/internal/workload/updates/spread"
	"github.com/plimsoll/plimsoll/rundoc"
)

// starting says which server is found, or how one is started.
type starting struct {
	kv    string // URL of one that runs already; "" for one that is started
	args  []string
	topic string // that it reads from; "" for a message service of its own
}

// secrets are what the environment of the server has.
func (s *starting) secrets() []string {
	if s.topic == "" {
		return nil
	}
	return []string{serving.TopicVariable + "=" + s.topic}
}

// startServers finds or starts all servers of a run. Those that are started are processes of their own, as readers in
// production are: they share no heap and no scheduler, and each has a subscription of its own, so that each gets every
// batch. An embedded message service is in the first of them.
func startServers(ctx context.Context, life *run.Run, p *Plan, number uint64, extra []string) ([]*kvServer, error) {
	var all []*kvServer
	clock := hostclock.New()
	for i := range max(len(p.KV), p.Servers, 1) {
		s, start := &kvServer{clock: clock}, starting{topic: p.URL}
		if len(p.KV) > 0 {
			start.kv = p.KV[i]
		} else {
			if i > 0 && p.EmbeddedBroker() {
				start.topic = all[0].Broker
			}
			start.args = kvArgs(p, number, i, extra)
		}
		if err := startServer(ctx, life, p, s, start); err != nil {
			return nil, err
		}
		for at, other := range all {
			if other.info.Instance == s.info.Instance {
				return nil, fault.New(fault.Usage, "--kv %s and --kv %s are the same server", redact.URL(p.KV[at]),
					redact.URL(s.URL)).Hint("give each server once")
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// kvArgs are the arguments of an embedded server, the first of which is number 0.
func kvArgs(p *Plan, run uint64, number int, extra []string) []string {
	args := []string{"--listeners", strconv.Itoa(p.Listeners), "--receive-batch", strconv.Itoa(p.Receive)}
	if !p.EmbeddedBroker() || number > 0 {
		// The subscription is this run's own, and nobody else will ever ask for it.
		name := "plimsoll-updates-" + strconv.FormatUint(run, 36)
		if number > 0 {
			name += "-" + strconv.Itoa(number+1)
		}
		args = append(args, "--ephemeral", "--subscription", name)
	}
	return append(args, extra...)
}

// together is the target that all servers of a run are: their processor time is summed.
func together(all []*kvServer) *run.Target {
	t := *all[0].Target
	if len(all) == 1 {
		return &t
	}
	var told []func() (user, system time.Duration)
	for _, s := range all {
		t.SameHost = t.SameHost || s.SameHost
		if s.CPU != nil {
			told = append(told, s.CPU)
		}
	}
	t.CPU = nil
	if len(told) == len(all) {
		t.CPU = func() (user, system time.Duration) {
			for _, cpu := range told {
				u, s := cpu()
				user, system = user+u, system+s
			}
			return user, system
		}
	}
	return &t
}

// messageClock is what messages say of the publisher's clock: nothing if one of the servers might take it for its own
// and be wrong.
func messageClock(all []*kvServer) uint64 {
	for _, s := range all {
		if s.clockID == 0 {
			return 0
		}
	}
	return all[0].clockID
}

// between asks the servers when each of them had applied each batch, and holds that against each other. found is what
// each said that it had received. One that is asked before its end goes on to apply: what it did since is left out, so
// that all that is told of the run is of one moment.
func (r *oneRun) between(ctx context.Context, servers []rundoc.UpdateServer, found []*kvapi.Run) {
	published := r.work.Published()
	sum, leftOut := spread.New(published, len(r.servers)), int64(0)
	ctx, cancel := context.WithTimeout(ctx, r.c.lastBound(r.plan.Settle))
	defer cancel()
	for i, s := range r.servers {
		has := proof.Has(found[i])
		n, err := s.client.Moments(ctx, r.number, mostBatches(published), func(m kvapi.Moment) bool {
			if has(m.Publisher, m.Sequence) {
				sum.Add(i, m, s.offset.OffsetNS)
			}
			return true
		})
		if leftOut = max(leftOut, n); err != nil {
			r.detail.Notes = append(r.detail.Notes, fmt.Sprintf("Server %d could not be queried for its apply times: %s.",
				i+1, fault.OneLine(err.Error())))
		}
	}
	came := sum.Found(r.from)
	came.Spread.Untold += leftOut
	came.Spread.BoundNS = clocksApart(servers)
	r.detail.Spread, r.detail.Series = &came.Spread, came.Series
	r.detail.Stages = append(r.detail.Stages, came.Stages...)
	for i := range servers {
		servers[i].First, servers[i].Last = came.First[i], came.Last[i]
	}
}

// clocksApart is how far the clocks of two servers may be off from each other: of the two that are known least.
func clocksApart(servers []rundoc.UpdateServer) int64 {
	var unsure []float64
	for i := range servers {
		unsure = append(unsure, servers[i].Clock.Uncertainty())
	}
	slices.Sort(unsure)
	n := len(unsure)
	return int64(unsure[n-1] + unsure[n-2])
}

// startReads begins with the reads beside the updates; without any it is nil, of which nothing comes.
func (r *oneRun) startReads(soft, hard context.Context) (*reads.Reading, error) {
	p := &r.plan
	if p.Reads == 0 {
		return nil, nil
	}
	c := reads.Config{
		Load: reads.LoadOf(p.Reads, &p.Load), Keys: p.ReadKeys,
		Work: &reads.Work{Board: r.board, Seed: p.Load.Seed, Clock: r.clock},
	}
	if made, ok := r.data.(*generated); ok {
		c.Work.Hot = func(n uint64) string { return string(made.Key(n)) }
	}
	for _, s := range r.servers {
		c.URLs = append(c.URLs, s.URL)
	}
	return reads.Start(hard, soft.Done(), c)
}

// register tells the servers of the run. Of several it is asked when each of them applied each batch.
func (r *oneRun) register(ctx context.Context) error {
	for _, s := range r.servers {
		err := s.client.Register(ctx, r.number, kvapi.Registration{
			OffsetNS: s.offset.OffsetNS, BoundNS: s.offset.BoundNS, Moments: len(r.servers) > 1,
		})
		if err != nil {
			return s.mute(ctx, "cannot announce the run to the key/value server", err)
		}
	}
	return nil
}

// seeElsewhere notes which servers of --kv read from another topic than the one that was given, and says so: nothing
// would arrive.
func (r *oneRun) seeElsewhere() {
	for _, s := range r.servers {
		if len(r.plan.KV) == 0 || r.plan.URL == "" || !otherTopic(r.plan.URL, s.info.Topic) {
			continue
		}
		s.elsewhere = topics.Redact(s.info.Topic)
		note := fmt.Sprintf("The --kv server reads from %s, but the run publishes to %s.",
			s.elsewhere, topics.Redact(r.plan.URL))
		if len(r.servers) > 1 {
			note = fmt.Sprintf("Server %s reads from %s, but the run publishes to %s.",
				redact.URL(s.URL), s.elsewhere, topics.Redact(r.plan.URL))
		}
		r.life.View.Note(note)
		r.detail.Notes = append(r.detail.Notes, note)
	}
}
