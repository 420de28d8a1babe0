package updates

import (
	"cmp"
	"slices"
	"sync"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/internal/workload/updates/reads"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Config is what the workload is made with.
type Config struct {
	Plan  Plan   // must be valid
	Run   uint64 // names the run in its messages; not 0, which stands for files
	Topic topic.Topic
	Data  Data
	// Clock translates the engine's times to the clock that the machine's processes share.
	Clock *hostclock.Clock
	// ClockID is what the messages say of the clock; 0 when it is not to be relied on.
	ClockID uint64
	Board   *reads.Board // is told of each batch, to look for it; nil: nobody is
	// Log is told of each batch; nil: nobody is.
	Log *manifest.Writer
}

// Updates is the workload.
type Updates struct {
	Config
	codec    delta.Codec
	failures failures

	mu      sync.Mutex
	clients []*Client
}

// New makes the workload.
func New(c Config) (*Updates, error) {
	codec, err := delta.ParseCodec(c.Plan.Codec)
	if err != nil {
		return nil, err
	}
	return &Updates{Config: c, codec: codec}, nil
}

// Kinds is the one kind of operation: publishing a batch.
func (w *Updates) Kinds() []workload.Kind { return []workload.Kind{{Name: "publish"}} }

// Groups is 0: there is no breakdown.
func (w *Updates) Groups() int { return 0 }

// Kind is the only one.
func (w *Updates) Kind(uint64) int { return 0 }

// NewClient makes a publisher. It is a publisher of its own to the server, too, unless the order of
// the data has to decide between rows with the same commit time: then all go by one name, and
// a batch has the sequence that its place in the data gives it.
func (w *Updates) NewClient(number, slots int) workload.Client {
	c := &Client{w: w, name: uint32(number), number: number, slots: make([]slot, slots)}
	if w.Data.ordered() {
		c.name = 0
	}
	c.down.Store(notYet)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients = append(w.clients, c)
	return c
}

// Published is what the publishers published, in the order of their numbers: the manifest but
// for what the batches lead to.
func (w *Updates) Published() []rundoc.Published {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Data.ordered() {
		return w.together()
	}
	var list []rundoc.Published
	for _, c := range w.clients {
		c.mu.Lock()
		p := rundoc.Published{Publisher: c.name, Next: c.log.next, Unsure: slices.Clone(c.unsure)}
		c.mu.Unlock()
		if p.Next == 0 {
			continue
		}
		slices.Sort(p.Unsure)
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b rundoc.Published) int { return cmp.Compare(a.Publisher, b.Publisher) })
	return list
}

// together is what all publishers published under one name, with the indexes as sequences.
func (w *Updates) together() []rundoc.Published {
	var p rundoc.Published
	for _, c := range w.clients {
		c.mu.Lock()
		p.Unsure = append(p.Unsure, c.unsure...)
		c.mu.Unlock()
	}
	slices.Sort(p.Unsure)
	for _, s := range w.indexes() {
		if s.First > p.Next {
			p.Unused = append(p.Unused, rundoc.SequenceSpan{First: p.Next, Last: s.First - 1})
		}
		p.Next = s.Last + 1
	}
	if p.Next == 0 {
		return nil
	}
	return []rundoc.Published{p}
}

// indexes are those of the batches that were sent.
func (w *Updates) indexes() proof.Spans {
	var all []uint64
	for _, c := range w.clients {
		c.mu.Lock()
		for _, index := range c.log.all() {
			all = append(all, index)
		}
		c.mu.Unlock()
	}
	slices.Sort(all)
	var list proof.Spans
	for _, index := range all {
		if n := len(list) - 1; n >= 0 && list[n].Last+1 == index {
			list[n].Last = index
			continue
		}
		list = append(list, kvapi.Span{First: index, Last: index})
	}
	return list
}
