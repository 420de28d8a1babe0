package record

// tail tells what the slowest operations have in common. Which those are is only known at the end, when there is a
// percentile: until then the response times of all operations that have a mark are counted, by mark, in
// histograms of which the upper end is read then.
type tail struct {
	marked [marks]*hist
	any    *hist // those that have one mark or several
}

// The marks of an operation. The last two are of one that had more than half of its time from that.
const (
	retried     = iota // it was tried more than once
	reconnected        // it waited for a connection that replaced a lost one
	waited             // for a free client
	delayed            // by the generator
	marks
)

func newTail() *tail {
	t := &tail{any: newHist(fine)}
	for i := range t.marked {
		t.marked[i] = newHist(fine)
	}
	return t
}

func (t *tail) record(o *Operation) {
	took := o.End - o.Intended
	has := [marks]bool{
		retried:     o.Attempts > 1,
		reconnected: o.Reconnected,
		waited:      2*(o.Ready-o.Intended) > took,
		delayed:     2*o.Own > took,
	}
	if has == [marks]bool{} {
		return
	}
	t.any.tally(took)
	for i, marked := range has {
		if marked {
			t.marked[i].tally(took)
		}
	}
}

// Tail is what the operations have in common that took as long as a time or longer.
type Tail struct {
	Count       int64
	Retried     int64 // tried more than once
	Reconnected int64 // that waited for a connection that replaced a lost one
	Waited      int64 // more than half of whose time was the wait for a free client
	Delayed     int64 // more than half of whose time was the generator's own delay
	Other       int64 // with nothing of that
}

// Tail looks at the operations whose response time was this one or longer, to three significant digits. Of another
// program's operations nothing is known.
func (r *Run) Tail(from int64) Tail {
	if len(r.Window.shards) == 0 || r.Window.shards[0].tail == nil {
		return Tail{}
	}
	var all, any []*hist
	var by [marks][]*hist
	for i := range r.Window.shards {
		s := &r.Window.shards[i]
		for k := range s.kinds {
			if c := &s.kinds[k]; r.Window.open {
				all = append(all, c.response)
			} else {
				all = append(all, c.single, c.retried)
			}
		}
		any = append(any, s.tail.any)
		for mark, h := range s.tail.marked {
			by[mark] = append(by[mark], h)
		}
	}
	count := func(hs []*hist) int64 { return merge(hs...).from(from) }
	t := Tail{
		Count: count(all), Retried: count(by[retried]), Reconnected: count(by[reconnected]),
		Waited: count(by[waited]), Delayed: count(by[delayed]),
	}
	t.Other = t.Count - count(any)
	return t
}
