package record

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Counted is a document of what the window has come to, as it was counted: nothing is added for what may still come,
// and what is in flight is in no count. It has the operations with their times, the flows, causes, retries and
// connections, the seconds that are complete, and what the generator knows of itself; and no intervals, which take
// longer than looking often may, of the ledger the length alone, no number in flight but that of the series, no
// verdict, no totals and no detail. An operation that ends meanwhile may be in a count and not yet in a time; when
// nothing is recorded any more, the operations are those of the run's document, but for the intervals.
//
// Nobody who records waits for it, except for a failed attempt while the causes are copied. It is for any goroutine,
// at any time from the phase's beginning until the run's document is made.
func (s *SoFar) Counted() (*rundoc.Run, error) {
	run := s.run()
	run.Flows, run.Reading = s.Flows, s.Reading
	doc := &rundoc.Run{
		Schema: rundoc.Schema, Started: s.Started, Ended: s.Started.Add(time.Duration(s.Now)),
		Host:   rundoc.Host{CPUs: s.Reading.MachineCPUs},
		Ledger: rundoc.Ledger{Clients: s.Clients, WindowNS: s.Now - s.Start},
	}
	for i := range s.Phases {
		doc.Phases = append(doc.Phases, s.Phases[i].document())
	}
	for kind := range s.Kinds {
		o, err := s.exactly(run, kind)
		if err != nil {
			return nil, err
		}
		doc.Operations = append(doc.Operations, o)
	}
	doc.Retries, doc.Connections.Reconnects = s.Window.attributed(s.Slots)
	var err error
	if doc.Flows, err = run.flows(false); err != nil {
		return nil, err
	}
	if doc.Series, doc.Slices, err = s.Window.series.soFar(); err != nil {
		return nil, err
	}
	s.Reading.Document(&doc.Generator, s.Start)
	if err := run.ownPart(&doc.Generator); err != nil {
		return nil, err
	}
	return doc, s.Connections.soFar(&doc.Connections)
}

// exactly is a kind as it was counted, with its times.
func (s *SoFar) exactly(run *Run, kind int) (rundoc.Operation, error) {
	o := s.counts(run, kind)
	t := timed{run: run, kinds: []int{kind}, plain: true}
	err := t.fill(&o, everyTime)
	if err == nil {
		o.Stages, err = t.stages()
	}
	return o, err
}

// counts are those of a kind.
func (s *SoFar) counts(run *Run, kind int) rundoc.Operation {
	o, inside, insideBytes := run.counted(kind)
	s.Window.mu.Lock()
	o.Causes = counts(s.Window.causes[kind])
	s.Window.mu.Unlock()
	o.RatePerS, o.BytesPerS = perSecond(inside, s.Now-s.Start), perSecond(insideBytes, s.Now-s.Start)
	o.Unsent = s.Unsent[kind]
	o.Scheduled = o.OK + o.Failed + o.Unsent + o.Unfinished
	return o
}

// attributed are the causes of retries and of reconnects, with the time that a slot spent on them.
func (r *Recorder) attributed(slots int) (retries, reconnects []rundoc.CauseTime) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return causeTimes(r.retries, slots), causeTimes(r.reconnects, slots)
}

// soFar copies the seconds that are complete: those that were collected. What is written down of them is made of the
// copies, so that nobody who records waits for that.
func (s *series) soFar() ([]rundoc.Point, []rundoc.Slice, error) {
	s.mu.Lock()
	last := s.oldest.Load() - 1
	seconds := points{width: s.points.width, list: slices.Clone(s.points.list)}
	for i := range seconds.list {
		seconds.list[i].causes = slices.Clone(seconds.list[i].causes)
	}
	heights := stretches{width: s.slices.width, number: s.slices.number}
	heights.counts = slices.Clone(s.slices.counts[:heights.number*int64(sliced.size())])
	s.mu.Unlock()
	if last < 0 {
		return []rundoc.Point{}, nil, nil
	}
	seconds.list = seconds.list[:min(int64(len(seconds.list)), last/seconds.width+1)]
	for i := range s.shards {
		s.shards[i].offered.each(func(sec, n int64) {
			if sec <= last {
				seconds.at(sec).Offered += n
			}
		})
	}
	list, err := heights.document(last)
	return seconds.document(last), list, err
}
