package bandwidth

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// Config is what a transfer needs.
type Config struct {
	Plan   Plan // valid and resolved
	Store  store.Store
	Path   string // of the first stream's file, as the store wants it
	Policy Policy
	// Objects are the files that a run reads which only downloads, instead of the one at Path; none for that.
	Objects []store.Object
	// Active is how many ranges of a file are read at the same time.
	Active int
	// Compare has what is read compared with what was written.
	Compare bool
	// Row gets each operation as it ends, of several goroutines but one at a time; nil for no
	// one.
	Row func(Row)
	// Hard ends what cleans up after the run: when it is done, what is left stays.
	// stored context: the engine's ends before that.
	Hard context.Context
}

// Row is an operation that has ended.
type Row struct {
	Operation string
	Stream    int // from 1
	Iteration int // from 1
	Bytes     int64
	Total     int64         // bytes of the file until its end
	Start     time.Duration // since the start of the window
	Duration  time.Duration
	Cause     string // why it failed, or ""
}

// Bandwidth is the workload. It must not be used for two runs.
type Bandwidth struct {
	Config
	patterns []*content.Pattern // the one in use is the first
	gate     *workload.Gate
	queue    float64       // bytes that a file's queue holds; 0 for a store that has none
	found    *content.File // what a file that is only read must hold; nil when that is not known
	toEnd    bool          // a file that is only read is read to its end

	begun time.Time
	whole float64      // that are moved in all; 0: the time ends it
	idle  idleClock    // of the uploads
	moved atomic.Int64 // bytes, of blocks that have ended
	at    atomic.Int32 // the step of the operation that began last

	mu        sync.Mutex
	iteration int // that goes on, from 0; in a run by time there is one
	rounds    int // in a run by time: files that every stream has moved at least
	failed    bool
	failedAt  string // the first operation that failed with an error
	failure   error
	upload    transfer
	download  transfer
	check     Check
	notes     []string
	left      []string
}

// New makes the workload of a plan. Inspect must have been called when the plan is to
// download only.
func New(c Config) *Bandwidth {
	b := &Bandwidth{Config: c, gate: workload.NewGate(c.Plan.Streams), rounds: math.MaxInt}
	b.patterns = []*content.Pattern{content.NewPattern(c.Plan.Data)}
	b.upload.steady.length, b.download.steady.length = phaseLength(&c.Plan), phaseLength(&c.Plan)
	about := c.Store.Describe()
	b.queue = float64(about.ActiveParts) * float64(about.PartBytes)
	return b
}

// kinds are the operations in the order of a file's life.
var kinds = [...]string{ // package state: a constant table
	create: "create-file", write: "upload-block", flush: "flush", closeUpload: "close-upload",
	rename: "rename", open: "open-for-download", read: "download-block", closeDownload: "close-download",
	remove: "delete-file",
}

// Kinds names the operations. Those that the plan does not have stay empty.
func (b *Bandwidth) Kinds() []workload.Kind {
	list := make([]workload.Kind, len(kinds))
	for i, name := range kinds {
		list[i].Name = name
	}
	return list
}

// Groups is 0: there is no secondary breakdown.
func (b *Bandwidth) Groups() int { return 0 }

// Kind is never asked for: the order is the clients' own.
func (b *Bandwidth) Kind(uint64) int { return int(create) }

// NewClient makes a stream.
func (b *Bandwidth) NewClient(number, _ int) workload.Client {
	c := &client{b: b, number: number, path: streamPath(b.Path, number, b.Plan.Only)}
	for i := number; i < len(b.Objects); i += b.Plan.Streams {
		c.objects = append(c.objects, b.Objects[i])
	}
	c.step = c.first()
	return c
}

// turnOver decides, when all streams have ended an iteration, whether another follows.
func (b *Bandwidth) turnOver() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.iteration++
	b.closeUpload()
	b.download.close()
	if b.failed || b.Plan.Duration > 0 {
		b.Plan.Repeat = b.iteration
	}
}

// more reports whether an iteration of this number (from 0) takes place.
func (b *Bandwidth) more(iteration int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Plan.Repeat == 0 || iteration < b.Plan.Repeat
}

// contentOf is what the file of a stream holds in an iteration.
func (b *Bandwidth) contentOf(stream, iteration int) *content.File {
	if b.Plan.Only == OnlyDownload {
		return b.found
	}
	// The upper half is the run's: content.File's Fill counts on it.
	run := rand.New(rand.NewPCG(b.Plan.Load.Seed, 1)).Uint64() >> 32
	file := rand.New(rand.NewPCG(uint64(stream), uint64(iteration))).Uint64() >> 32
	return &content.File{Pattern: b.patterns[0], Tag: run<<32 | file, Size: b.Plan.Size}
}

// addNote adds a sentence for the reader of the figures, once.
func (b *Bandwidth) addNote(sentence string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.notes {
		if n == sentence {
			return
		}
	}
	b.notes = append(b.notes, sentence)
}
