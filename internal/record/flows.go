package record

import (
	"sync/atomic"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Flow is what is recorded of a flow of operations when it is over. Times are stamps.
type Flow struct {
	Number        int   // among Config.Flows
	Intended, End int64 // of its first operation, and of its last
	Own           int64 // the generator's own part of the times of its operations, ns
	Last          int   // the kind of its last operation
	Outcome       Outcome
	Unanswered    bool // the last operation's
	Cut           bool // the window ended before it was over
}

type flowCounts struct {
	completed, cut atomic.Int64
	failed         []atomic.Int64 // by the kind of operation
	response, free *hist
}

func newFlowCounts(c Config) []flowCounts {
	flows := make([]flowCounts, len(c.Flows))
	for i := range flows {
		flows[i].failed = make([]atomic.Int64, len(c.Kinds))
		flows[i].response, flows[i].free = newHist(fine), newHist(fine)
	}
	return flows
}

// RecordFlow counts a flow that is over, or that the end of the window has cut off: that one took at least as long as
// it had lasted. A slot passes the same shard number as for operations.
func (r *Recorder) RecordFlow(shard int, f *Flow) {
	c := &r.shards[shard%len(r.shards)].flows[f.Number]
	switch {
	case f.Cut || f.Outcome == Unfinished:
		c.cut.Add(1)
	case f.Outcome == OK:
		c.completed.Add(1)
	default:
		c.failed[f.Last].Add(1)
		if !f.Unanswered {
			return // a quick no would make the times look better than they are
		}
	}
	c.response.add(f.End - f.Intended)
	c.free.add(max(0, f.End-f.Intended-f.Own))
}

// flows sums up the flows over the shards, with the intervals of their times or without.
func (r *Run) flows(intervals bool) (list []rundoc.FlowFigures, err error) {
	for n, name := range r.Flows {
		f := rundoc.FlowFigures{Name: name}
		failed := make([]int64, len(r.Kinds))
		var response, free []*hist
		for i := range r.Window.shards {
			c := &r.Window.shards[i].flows[n]
			f.Completed += c.completed.Load()
			f.Cut += c.cut.Load()
			for kind := range c.failed {
				failed[kind] += c.failed[kind].Load()
			}
			response, free = append(response, c.response), append(free, c.free)
		}
		for kind, count := range failed {
			f.Failed += count
			if count > 0 {
				f.FailedAt = append(f.FailedAt, rundoc.FlowFailure{Operation: r.Kinds[kind].Name, Count: count})
			}
		}
		f.Started = f.Completed + f.Failed + f.Cut
		var course *Course
		if intervals {
			course = r.Window.flowCourse(n)
		}
		all := func(hs []*hist) (rundoc.Summary, error) {
			m := merge(hs...)
			s, err := m.summary()
			if course != nil {
				course.intervals(&s, m)
			}
			return s, err
		}
		if f.ResponseTime, err = all(response); err != nil {
			return nil, err
		}
		if f.ResponseTime.Count > 0 {
			without, err := all(free)
			if err != nil {
				return nil, err
			}
			f.ResponseTime.Free = &without
		}
		list = append(list, f)
	}
	return list, nil
}
