package rundoc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// UpdateServer is what one of several servers told of a run: each had to get every batch. The fields are those of an
// UpdatesDetail, of this server alone.
type UpdateServer struct {
	URL         string         `json:"url"`
	Listeners   int            `json:"listeners,omitempty"`
	Receive     int            `json:"receive,omitempty"`
	AppliedPerS float64        `json:"applied_per_s,omitempty"`
	BacklogNS   int64          `json:"backlog_ns,omitempty"`
	Due         *DueBatches    `json:"due,omitempty"`
	Stages      []NamedStage   `json:"stages"` // without publishing, which is the run's
	Clock       UpdateClock    `json:"clock,omitzero"`
	NoClock     int64          `json:"no_clock,omitempty"`
	Receives    int64          `json:"receives,omitempty"`
	Messages    int64          `json:"messages,omitempty"`
	Series      []UpdateSecond `json:"server_series,omitempty"`
	Proof       *Proof         `json:"proof"`
	// Live and Digest are the state that this server has to have. They are the manifest's but where batches that were
	// never acknowledged arrived at other servers than here.
	Live   int64  `json:"live"`
	Digest uint64 `json:"digest,string"`
	First  int64  `json:"first"` // batches of those in Spread that it applied first of all servers
	Last   int64  `json:"last"`  // and last
}

// UpdateSpread says how far several servers were apart: of each batch, from when the first of them had applied it to
// when the last had. The distribution is the stage StageSpread.
type UpdateSpread struct {
	Batches int64 `json:"batches"`          // of the window, of which every server told when it had applied them
	Untold  int64 `json:"untold,omitempty"` // of which some did and some did not
	// BoundNS is how far a spread may be off, by the clocks of the two servers that agree least.
	BoundNS int64 `json:"bound_ns,omitempty"`
}

// Stages that only a run with several servers has. Its StageE2EScheduled ends when the last of them has applied the
// batch.
const (
	StageFirst  = "end to end, to the first server"
	StageSpread = "spread between servers"
)

// Alone is the detail as it would be with this server alone.
func (d *UpdatesDetail) Alone(server int) *UpdatesDetail {
	s, one := &d.Servers[server], *d
	one.Servers, one.Spread, one.Stages = nil, nil, nil
	one.take(s)
	if p := d.Stage(StagePublish); p != nil {
		one.Stages = slices.Insert(one.Stages, 0, NamedStage{Name: StagePublish, UpdateStage: *p})
	}
	return &one
}

// take fills in what a server told.
func (d *UpdatesDetail) take(s *UpdateServer) {
	d.Server, d.Listeners, d.Receive = s.URL, s.Listeners, s.Receive
	d.AppliedPerS, d.BacklogNS, d.Series = s.AppliedPerS, s.BacklogNS, s.Series
	d.Stages, d.Due = append(d.Stages, s.Stages...), s.Due
	d.Clock, d.NoClock, d.Receives, d.Messages, d.Proof = s.Clock, s.NoClock, s.Receives, s.Messages, s.Proof
	d.Manifest.Live, d.Manifest.Digest = s.Live, s.Digest
}

// ServerOf is what one of several servers told, from the detail of a run with it alone.
func ServerOf(d *UpdatesDetail) UpdateServer {
	return UpdateServer{
		URL: d.Server, Listeners: d.Listeners, Receive: d.Receive, AppliedPerS: d.AppliedPerS, BacklogNS: d.BacklogNS,
		Stages: slices.DeleteFunc(slices.Clone(d.Stages), func(s NamedStage) bool { return s.Name == StagePublish }),
		Clock:  d.Clock, NoClock: d.NoClock, Receives: d.Receives, Messages: d.Messages, Series: d.Series, Proof: d.Proof,
		Live: d.Manifest.Live, Digest: d.Manifest.Digest, Due: d.Due,
	}
}

// SetServers fills in what the servers of a run told. Of one it is the detail's own. Several are summed up, but for the
// stages and the series: the slowest of them counts, and the run is all right only where every server is. lost has the
// ranges of batches that one of them or more lost, and received counts those that all have.
func (d *UpdatesDetail) SetServers(servers []UpdateServer, lost []LostSpan, received int64) {
	if len(servers) == 1 {
		d.take(&servers[0])
		return
	}
	d.Servers = servers
	whole := Proof{Complete: true, Published: d.Manifest.Batches,
		Expected: StateSum{Live: d.Manifest.Live, Digest: d.Manifest.Digest}}
	d.AppliedPerS, d.BacklogNS = d.slowestServer()
	wrong := false
	for i := range d.Servers {
		s := &d.Servers[i]
		p := s.Proof
		whole.Complete = whole.Complete && p.Complete
		wrong = wrong || p.Outcome() == "incomplete"
		whole.Restarted = whole.Restarted || p.Restarted
		whole.Interrupted = whole.Interrupted || p.Interrupted
		whole.Unreadable = max(whole.Unreadable, p.Unreadable)
		whole.Duplicates += p.Duplicates
		for _, problem := range p.Problems {
			whole.Problems = append(whole.Problems, s.name(i)+": "+problem)
		}
	}
	whole.Unknown = !whole.Complete && !wrong
	whole.of(d.Servers, lost, received)
	d.Proof = &whole
	d.Clock = d.leastSure()
	d.Server, d.Listeners, d.Receive = d.Servers[0].URL, d.Servers[0].Listeners, d.Servers[0].Receive
}

// of fills in what was received and applied everywhere: of rows and state what the server says that has least of it.
func (p *Proof) of(servers []UpdateServer, lost []LostSpan, received int64) {
	for i := range lost {
		p.Lost += int64(lost[i].Last-lost[i].First) + 1
	}
	p.LostSpans = lost[:min(len(lost), maxLostSpans)]
	p.Received = received
	p.Unsure = max(0, received-(p.Published-p.Lost))
	least := slices.MinFunc(servers, func(a, b UpdateServer) int {
		one, other := a.Proof.rank(), b.Proof.rank()
		return slices.Compare(one[:], other[:])
	})
	t := least.Proof
	p.Updates, p.Applied, p.Stale, p.Partial, p.StateKnown, p.Found = t.Updates, t.Applied, t.Stale, t.Partial,
		t.StateKnown, t.Found
	if t.Complete {
		p.Found = p.Expected // it has the batches of its own that were never acknowledged
	}
	p.Undrained = min(p.Lost, t.Undrained)
}

// rank orders proofs: those that are not complete first, then those with fewer updates.
func (p *Proof) rank() [2]int64 {
	if p.Complete {
		return [2]int64{1, p.Applied + p.Stale}
	}
	return [2]int64{0, p.Applied + p.Stale}
}

// name is how a server is called in sentences.
func (s *UpdateServer) name(i int) string {
	return "server " + units.Number(int64(i+1)) + " (" + units.Clean(s.URL) + ")"
}

// Silent has those of several servers that did not say what they received, by their places in the list: nothing is
// known of the slowest of all then.
func (d *UpdatesDetail) Silent() []int {
	var all []int
	for i := range d.Servers {
		if p := d.Servers[i].Proof; p == nil || !p.Answered() {
			all = append(all, i)
		}
	}
	return all
}

// slowestServer is the rate that every server applied, and how long after the window the last was ready.
func (d *UpdatesDetail) slowestServer() (rate float64, backlog int64) {
	rate = math.Inf(1)
	for i := range d.Servers {
		rate, backlog = min(rate, d.Servers[i].AppliedPerS), max(backlog, d.Servers[i].BacklogNS)
	}
	return rate, backlog
}

// leastSure is the clock that is known least.
func (d *UpdatesDetail) leastSure() UpdateClock {
	unsure := func(s *UpdateServer) float64 {
		if s.Clock.Shared {
			return -1 // less than one that differs by nothing
		}
		return s.Clock.Uncertainty()
	}
	return slices.MaxFunc(d.Servers, func(a, b UpdateServer) int { return cmp.Compare(unsure(&a), unsure(&b)) }).Clock
}

// maxServers is more than a run can have.
const maxServers = 1000

// serversLaws holds each server to the laws of a run with it alone, and the whole to its parts.
func (d *UpdatesDetail) serversLaws(j *judgement) {
	if len(d.Servers) < 2 || len(d.Servers) > maxServers || d.Spread == nil {
		j.broken("updates: there are %d servers, and the spread between them is known: %t", len(d.Servers), d.Spread != nil)
		return
	}
	first, last := int64(0), int64(0)
	for i := range d.Servers {
		s := &d.Servers[i]
		if s.Proof == nil || s.First < 0 || s.Last < 0 {
			j.broken("updates: server %d has no proof, or was first for %d batches and last for %d", i+1, s.First, s.Last)
			return
		}
		first, last = first+s.First, last+s.Last
		one := *j
		one.reasons, one.unsaid = nil, 0
		d.Alone(i).sideLaws(&one)
		for _, reason := range one.reasons {
			j.broken("server %d: %s", i+1, strings.TrimSuffix(strings.TrimPrefix(reason, brokenLaw), "."))
		}
		j.unsaid += one.unsaid
	}
	if b := d.Spread.Batches; first != b || last != b || d.Spread.Untold < 0 || d.Spread.BoundNS < 0 {
		j.broken("updates: one of the servers was first for %d batches and last for %d, of %d with a spread", first, last, b)
	}
	d.spreadLaws(j)
	d.wholeLaws(j)
}

// spreadLaws checks the stages of the whole: each batch has a time to the first server, one to the last, and the
// spread, which is the difference and never below zero.
func (d *UpdatesDetail) spreadLaws(j *judgement) {
	if s := d.Stage(StagePublish); s.all() != j.total.ServiceTime.Count {
		j.broken("updates: publish has %d durations, and the operations %d service times",
			s.all(), j.total.ServiceTime.Count)
	}
	first, last, spread := d.Stage(StageFirst), d.Stage(StageE2EScheduled), d.Stage(StageSpread)
	for _, s := range []*UpdateStage{first, last, spread} {
		if s.all() != d.Spread.Batches {
			j.broken("updates: %d batches are known of every server, and one of the stages between them has %d",
				d.Spread.Batches, s.all())
			return
		}
	}
	if d.Spread.Batches == 0 {
		return
	}
	if spread.Negative > 0 {
		j.broken("updates: the spread is below zero for %d batches", spread.Negative)
	}
	if first.Negative+last.Negative > 0 {
		return // their means are without those below zero
	}
	if first.Summary.MaxNS > last.Summary.MaxNS || first.Summary.MinNS > last.Summary.MinNS {
		j.broken("updates: the first server is later than the last")
	}
	const rounding = 10 // ns
	if sum := float64(first.Summary.MeanNS) + float64(spread.Summary.MeanNS); math.Abs(
		sum-float64(last.Summary.MeanNS)) > rounding {
		j.broken("updates: the mean to the last server is %d ns, but to the first and the spread are %.0f ns together",
			last.Summary.MeanNS, sum)
	}
}

// wholeLaws checks that what is said of all servers is what follows from each.
func (d *UpdatesDetail) wholeLaws(j *judgement) {
	rate, backlog := d.slowestServer()
	if d.AppliedPerS != rate || d.BacklogNS != backlog {
		j.broken("updates: %.7g updates were applied a second and the last %s after the window, but by the servers "+
			"they are %.7g and %s", d.AppliedPerS, units.Duration(d.BacklogNS), rate, units.Duration(backlog))
	}
	p := d.Proof
	if p == nil {
		j.broken("updates: each server has a proof, and the run has none")
		return
	}
	complete, most, sum := true, int64(0), 0.0
	for i := range d.Servers {
		one := d.Servers[i].Proof
		complete = complete && one.Complete
		most, sum = max(most, one.Lost), sum+float64(one.Lost)
	}
	if p.Complete != complete {
		j.broken("proof: it is complete for all servers %t, and for each %t", p.Complete, complete)
	}
	if p.Answered() && (p.Lost < most || float64(p.Lost) > sum) {
		j.broken("proof: %d batches were lost at one server or more, and at the one that lost most %d, at all together "+
			"%.0f", p.Lost, most, sum)
	}
	d.proofLaws(j)
	d.Due.laws(j, d.Stage(StageE2EScheduled), p)
	d.dueLaws(j)
}

// dueLaws checks that no batch is better off at all servers than it is at one of them.
func (d *UpdatesDetail) dueLaws(j *judgement) {
	for i := range d.Servers {
		one, all := d.Servers[i].Due, d.Due
		if (one == nil) != (all == nil) {
			j.broken("due: the outcomes of batches are known for all servers: %t, for server %d: %t", all != nil, i+1,
				one != nil)
			continue
		}
		if one != nil && (all.InTime > one.InTime || all.Lost < one.Lost) {
			j.broken("due: %d batches were in time at all servers and %d lost at one, but at server %d they are %d and %d",
				all.InTime, all.Lost, i+1, one.InTime, one.Lost)
		}
	}
}

// serversDoubts says what makes the figures of one of several servers not to be believed.
func (d *UpdatesDetail) serversDoubts(j *judgement) {
	silent := d.Silent()
	if len(silent) == 0 || !d.Proof.Unknown || d.Proof.Lost > 0 {
		d.Proof.doubts(j)
	}
	for _, i := range silent {
		j.say("It is unknown what %s received: it did not respond to the query for the proof.", d.Servers[i].name(i))
	}
	for i := range d.Servers {
		one := *j
		one.reasons = nil
		alone := d.Alone(i)
		alone.told(&one)
		for _, reason := range one.reasons {
			j.say("%s: %s", units.Capital(d.Servers[i].name(i)), reason)
		}
	}
	if n := d.Spread; n != nil && n.Untold > 0 {
		j.say("For %s batches not every server reported when it applied them: the times to the last server cover only the "+
			"other %s.", units.Number(n.Untold), units.Number(n.Batches))
	}
	if s := d.Stage(StageSpread); s != nil && s.Summary.P50NS != nil && d.Spread != nil &&
		float64(d.Spread.BoundNS) > float64(*s.Summary.P50NS) {
		j.say("The clocks of two servers may differ by up to %s, more than the p50 of the spread between the servers (%s). "+
			"The spread may be due to the clocks alone.", units.Duration(d.Spread.BoundNS), units.Duration(*s.Summary.P50NS))
	}
}
