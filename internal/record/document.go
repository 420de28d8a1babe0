package record

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Document makes the run document, but for what only the command line knows: its id, the
// tool, the plan, the target, the verdict and the warnings.
func (r *Run) Document() (*rundoc.Run, error) {
	r.Window.lastStretch(r.End)
	doc := &rundoc.Run{
		Schema:      rundoc.Schema,
		Started:     r.Started,
		Ended:       r.Ended,
		Interrupted: r.Interrupted,
		Target:      rundoc.Target{CPUUserNS: int64(r.TargetUser), CPUSystemNS: int64(r.TargetSystem)},
		Host:        readHost(r.Reading.MachineCPUs),
		Retries:     causeTimes(r.Window.retries, r.Slots),
		Ledger: rundoc.Ledger{
			Clients:    r.Clients,
			MaxClients: r.MaxClients,
			WindowNS:   r.End - r.Start,
			States:     r.Ledger.document(r.Slots, len(r.Flows) > 0),
		},
		Little: r.little(),
	}
	if r.Turns > 0 {
		doc.InTurn = &rundoc.InTurn{Slices: r.Turns, HeldNS: int64(r.Held)}
	}
	for _, p := range r.Phases {
		doc.Phases = append(doc.Phases, p.document())
	}
	for kind := range r.Kinds {
		o, err := r.operation(kind)
		if err != nil {
			return nil, err
		}
		if o.Stages, err = (timed{run: r, kinds: []int{kind}}).stages(); err != nil {
			return nil, err
		}
		doc.Operations = append(doc.Operations, o)
	}
	var err error
	if len(r.Kinds) > 1 {
		known, err := r.together()
		if err != nil {
			return nil, err
		}
		doc.SumUp(known)
	}
	if doc.Flows, err = r.flows(true); err != nil {
		return nil, err
	}
	doc.Connections.Reconnects = causeTimes(r.Window.reconnects, r.Slots)
	if err := r.Connections.document(&doc.Connections); err != nil {
		return nil, err
	}
	doc.Generator = r.generator()
	if err := r.ownPart(&doc.Generator); err != nil {
		return nil, err
	}
	return doc, r.course(doc)
}

// course fills in how the run went over time.
func (r *Run) course(doc *rundoc.Run) (err error) {
	s := r.Window.series
	s.finish(r.End - r.Start)
	doc.Series = s.points.document(s.last)
	doc.Slices, err = s.slices.document(s.last)
	return err
}

func (p *Phase) document() rundoc.Phase {
	return rundoc.Phase{
		Name:       p.Name,
		Started:    p.Started,
		DurationNS: int64(p.Length),
		Operations: p.Operations,
		OK:         p.OK,
		RatePerS:   perSecond(p.Inside, int64(p.Length)),
		MeanNS:     int64(p.Mean),
	}
}

func perSecond(n, ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	return float64(n) / time.Duration(ns).Seconds()
}

// operation sums up one kind over the shards.
func (r *Run) operation(kind int) (rundoc.Operation, error) {
	o, inside, insideBytes := r.counted(kind)
	o.Scheduled, o.Unsent = r.Begun[kind]+r.Unsent[kind], r.Unsent[kind]
	o.Causes = counts(r.Window.causes[kind])
	o.RatePerS, o.BytesPerS = perSecond(inside, r.End-r.Start), perSecond(insideBytes, r.End-r.Start)
	return o, timed{run: r, kinds: []int{kind}}.fill(&o, everyTime)
}

// counted is one kind's counts over the shards, and what of it ended ok inside the window: operations and bytes.
func (r *Run) counted(kind int) (o rundoc.Operation, inside, insideBytes int64) {
	w := r.Window
	o = rundoc.Operation{Name: r.Kinds[kind].Name, Labels: r.Kinds[kind].Labels}
	for i := range w.shards {
		k := &w.shards[i].kinds[kind]
		o.OK += k.outcomes[OK].Load()
		o.Failed += k.outcomes[Failed].Load()
		o.Unfinished += k.outcomes[Unfinished].Load()
		o.Attempts += k.attempts.Load()
		o.Retries += k.retries.Load()
		o.Carried += k.carried.Load()
		o.Bytes += k.bytes.Load()
		inside += k.outside.Load()
		insideBytes += k.outsideBytes.Load()
	}
	return o, inside + o.OK, insideBytes + o.Bytes
}

// Times are those of an operation that are asked for.
type Times struct{ Response, Service, SendDelay, FirstAttempt bool }

var everyTime = Times{Response: true, Service: true, SendDelay: true, FirstAttempt: true}

// timed makes the summaries of some kinds together, each with so many operations more, as quick as the quickest.
type timed struct {
	run   *Run
	kinds []int
	more  int64
	plain bool // without intervals
}

// merged are the histograms of all shards.
func (t timed) merged(fields ...func(*kindCounts) *hist) *merged {
	var hs []*hist
	for i := range t.run.Window.shards {
		for _, kind := range t.kinds {
			for _, field := range fields {
				hs = append(hs, field(&t.run.Window.shards[i].kinds[kind]))
			}
		}
	}
	m := merge(hs...)
	m.favour(t.more)
	return m
}

// along sums up histograms of all shards, with intervals: by the course of this time of the same operations.
func (t timed) along(course Time, fields ...func(*kindCounts) *hist) (rundoc.Summary, error) {
	m := t.merged(fields...)
	s, err := m.summary()
	if err == nil && t.more == 0 && !t.plain {
		t.run.Window.course(course, func(kind int) bool { return slices.Contains(t.kinds, kind) }).intervals(&s, m)
	}
	return s, err
}

// intervals fills in those of a summary of values of the course's operations.
func (c *Course) intervals(s *rundoc.Summary, of *merged) { of.intervals(s, c.above, c.parts()) }

// withFree is along, with the times without the generator's own delay where they are known.
func (t timed) withFree(
	course Time, free func(*kindCounts) *hist, fields ...func(*kindCounts) *hist,
) (rundoc.Summary, error) {
	s, err := t.along(course, fields...)
	if err != nil || s.Count == 0 || t.run.Window.foreign {
		return s, err
	}
	without, err := t.along(course, free)
	s.Free = &without
	return s, err
}

// fill fills in the summaries that are asked for. In the closed model the response time is the service time. A first
// attempt and a time without own delay are as much like their neighbours as the whole of the operation is.
func (t timed) fill(o *rundoc.Operation, ask Times) (err error) {
	single := func(k *kindCounts) *hist { return k.single }
	retried := func(k *kindCounts) *hist { return k.retried }
	first := func(k *kindCounts) *hist { return k.first }
	open := t.run.Window.open
	if ask.Service || ask.Response && !open {
		o.ServiceTime, err = t.withFree(Service, func(k *kindCounts) *hist { return k.free }, single, retried)
	}
	if err == nil && ask.FirstAttempt {
		o.FirstAttempt, err = t.along(Service, single, first)
	}
	if !open {
		o.ResponseTime = o.ServiceTime
		return err
	}
	if err == nil && ask.Response {
		o.ResponseTime, err = t.withFree(Response, func(k *kindCounts) *hist { return k.freeAll },
			func(k *kindCounts) *hist { return k.response })
	}
	if err == nil && ask.SendDelay {
		o.SendDelay, err = t.along(SendDelay, func(k *kindCounts) *hist { return k.delay })
	}
	return err
}

// together are the times of all operations together, whose intervals do not follow from those of the kinds.
func (r *Run) together() (*rundoc.Totals, error) {
	all := timed{run: r}
	for kind := range r.Kinds {
		all.kinds = append(all.kinds, kind)
	}
	var o rundoc.Operation
	err := all.fill(&o, everyTime)
	return &rundoc.Totals{ResponseTime: &o.ResponseTime, ServiceTime: &o.ServiceTime, SendDelay: &o.SendDelay,
		FirstAttempt: &o.FirstAttempt}, err
}

func (m *merged) summary() (rundoc.Summary, error) {
	h, err := m.hdr()
	if err != nil {
		return rundoc.Summary{}, err
	}
	return rundoc.Summarize(h, rundoc.Exact{Min: m.min, Max: m.max, Sum: m.sum}), nil
}

func counts(of map[string]int64) []rundoc.Cause {
	var list []rundoc.Cause
	for cause, n := range of {
		list = append(list, rundoc.Cause{Cause: cause, Count: n})
	}
	slices.SortFunc(list, moreFrequent)
	return list
}

func moreFrequent(a, b rundoc.Cause) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
}

func causeTimes(of map[string]CauseTime, slots int) []rundoc.CauseTime {
	list := []rundoc.CauseTime{}
	for _, cause := range slices.Sorted(maps.Keys(of)) {
		list = append(list, rundoc.CauseTime{
			Cause: cause, Count: of[cause].Count, TimeNS: of[cause].Time / int64(slots),
		})
	}
	slices.SortStableFunc(list, func(a, b rundoc.CauseTime) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

func (c *Connections) document(doc *rundoc.Connections) error { return c.count(doc, c.times.Summary) }

// soFar is document without intervals, which take longer than looking often may.
func (c *Connections) soFar(doc *rundoc.Connections) error { return c.count(doc, c.times.all.Summary) }

func (c *Connections) count(doc *rundoc.Connections, sum func() (*rundoc.Summary, error)) error {
	doc.Opened, doc.Failed = c.opened.Load(), c.failed.Load()
	times, err := sum()
	if times != nil {
		doc.ConnectTime = *times
	}
	return err
}

// little compares the measured number in flight with the mean of Little's law, in the form
// that holds for any window whatever its edges: the operations' time inside it ÷ its length
// (J. D. C. Little, S. C. Graves, "Little's Law", 2008).
func (r *Run) little() rundoc.Little {
	l := rundoc.Little{Slots: int64(r.Clients) * int64(r.Slots)}
	if r.End <= r.Start {
		return l
	}
	var inside int64
	for i := range r.Window.shards {
		inside += r.Window.shards[i].inside.Load()
	}
	l.InFlightSampled = float64(r.FlightTime) / float64(r.End-r.Start)
	l.InFlightPredicted = float64(inside) / float64(r.End-r.Start)
	if l.InFlightSampled > 0 && l.InFlightPredicted > 0 {
		l.Difference = l.InFlightSampled/l.InFlightPredicted - 1
	}
	return l
}

func (r *Run) generator() rundoc.Generator {
	g := rundoc.Generator{ClockStepNS: int64(r.ClockStep)}
	r.Reading.Document(&g, r.Start)
	return g
}

// ownPart fills in the generator's own part of the times.
func (r *Run) ownPart(g *rundoc.Generator) error {
	var owns, lates, mostly, delays, responses, free []*hist
	for i := range r.Window.shards {
		s := &r.Window.shards[i]
		owns, lates, mostly = append(owns, s.own), append(lates, s.late), append(mostly, s.mostly)
		for k := range s.kinds {
			c := &s.kinds[k]
			if r.Window.open {
				delays, free, responses = append(delays, c.delay), append(free, c.freeAll), append(responses, c.response)
			} else {
				responses = append(responses, c.single, c.retried)
			}
		}
	}
	own := merge(owns...)
	summary, err := own.summary()
	if err != nil {
		return err
	}
	if own.n > 0 {
		g.OwnDelay, g.OwnTimeNS, g.ResponseTimeNS = &summary, own.sum, merge(responses...).sum
	}
	g.Pacing = r.Pacing
	if c := r.Stamps; c != nil {
		g.Stamps = &rundoc.Stamps{Used: c.Used, Missing: c.Missing, Refused: c.Refused}
		if why := c.unseen(); why != "" {
			g.Unseen = append(g.Unseen, "kernel stamps: "+why)
		}
	}
	if !r.Window.open {
		return nil
	}
	g.SendDelayP99NS = merge(delays...).percentile(990)
	g.OwnDelayP99NS = merge(lates...).percentile(990)
	g.OwnLate = new(merge(mostly...).above(max(merge(free...).quantile(.99)/2, rundoc.MinLateNS)))
	return nil
}

// stages sums up those of the first kind, which is the only one; nil where they are not known.
func (t timed) stages() (*rundoc.Stages, error) {
	if !t.run.Kinds[t.kinds[0]].Stages {
		return nil, nil
	}
	var s rundoc.Stages
	var errs [3]error
	s.Send, errs[0] = t.along(send, func(k *kindCounts) *hist { return k.send })
	s.Wait, errs[1] = t.along(wait, func(k *kindCounts) *hist { return k.wait })
	s.Body, errs[2] = t.along(body, func(k *kindCounts) *hist { return k.body })
	return &s, errors.Join(errs[:]...)
}

// Group is what the window's operations of one group came to.
type Group struct {
	OK, Failed     int64
	Rate           float64 // ok operations that ended inside the window, per second
	Times          int64   // response times
	Mean, P50, P99 int64   // of them, ns; 0 when there is none, and percentiles where they are too few
}

// Groups sums up the secondary breakdown.
func (r *Run) Groups() []Group {
	groups := make([]Group, len(r.Window.groups))
	for i := range groups {
		c, g := &r.Window.groups[i], &groups[i]
		g.OK, g.Failed = c.ok.Load(), c.failed.Load()
		g.Rate = perSecond(g.OK+c.outside.Load(), r.End-r.Start)
		m := merge(c.response)
		g.Times, g.Mean, g.P50, g.P99 = m.n, m.mean(), m.percentile(500), m.percentile(990)
	}
	return groups
}
