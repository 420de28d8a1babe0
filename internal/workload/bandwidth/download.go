package bandwidth

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// downloading is a file that is read. What was read is compared on a goroutine beside, while
// the next block is read; a file of one block, after its close.
type downloading struct {
	b       *Bandwidth
	path    string
	file    store.File
	size    int64
	content *content.File // what it must hold; nil when that is not known

	stream io.ReadCloser // of the policies that have one
	ranges *ranges       // of those that read several ranges at the same time
	order  []int64       // of those that read one range at a time: where the blocks begin
	taken  int64         // bytes that were read
	block  block         // that goes on

	used              *[][]byte // memory of files before, and for those after this one
	free              chan []byte
	checks            chan block
	wrong, firstWrong bool // something was not what it must hold; it is the first such file

	last     block // of a file of one block, until that is compared
	checking sync.WaitGroup
	waited   time.Duration
	closed   bool
}

// block is a block of a file, and where it was read to.
type block struct {
	at     int64
	length int64
	memory []byte
}

// startDownload opens the file of the iteration.
func (c *client) startDownload(ctx context.Context) (*downloading, error) {
	p := &c.b.Plan
	c.down = nil
	f, err := c.openFile(ctx)
	if err != nil {
		return nil, err
	}
	size := c.b.Plan.Size
	if len(c.objects) > 0 {
		size = c.size
	}
	if err := c.b.checkLength(c.at, f.Size(), size); err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	d := &downloading{
		b: c.b, path: c.at, file: f, size: size, content: c.b.contentOf(c.number, c.written), used: &c.used,
	}
	if !c.b.Compare {
		d.content = nil
	}
	spare := 2
	switch c.b.Policy {
	case Random:
		d.order = shuffled(d.size, p.Block, p.Load.Seed^uint64(c.iteration))
	case Vector, Prefetch:
		d.ranges = newRanges(d, c.b.Policy == Prefetch, d.longest(), c.b.Active)
		spare = len(d.ranges.arrived)
	}
	d.free, d.checks = make(chan []byte, spare), make(chan block, spare)
	d.takeUsed()
	if d.size > p.Block {
		d.checking.Go(d.compare)
	}
	return d, nil
}

// checkLength returns an error unless a file is as long as it must be.
func (b *Bandwidth) checkLength(path string, size, want int64) error {
	reads := b.Plan.Only == OnlyDownload
	switch {
	case size == want, reads && size > want && !b.toEnd && len(b.Objects) == 0:
		return nil
	case reads && (size > want || len(b.Objects) > 0):
		return store.Fail(store.Changed, "%s has %d bytes now, but had %d before the run", path, size, want).
			WithHint("another program wrote to it during the run; use a path that nothing else uses")
	case size < want:
		return store.Fail(store.Truncated, "%s has %d bytes, fewer than the %d to be read", path, size, want)
	}
	return tooLong(path, size-want, want)
}

// tooLong is the error of a file that has more bytes than were written to it.
func tooLong(path string, more, size int64) error {
	return store.Fail(store.Corrupt, "%s is too long: it has at least %s more than the %d bytes that were written", path,
		units.Count(more, "byte", "bytes"), size).
		WithHint("another program writes to the file, or the store corrupts data")
}

// openFile opens the file, and where it is read as one stream begins to read it, if the store can do so at once.
func (c *client) openFile(ctx context.Context) (store.File, error) {
	if s, ok := c.b.Store.(store.Streamer); ok && !c.b.Policy.ranged() {
		return s.OpenStream(ctx, c.at)
	}
	return c.b.Store.Open(ctx, c.at)
}

// longest is the bytes of the file's longest block, 1 at least.
func (d *downloading) longest() int64 { return max(1, min(d.b.Plan.Block, d.size)) }

// takeUsed takes memory that files before had. Memory that is nil is made when it is needed.
func (d *downloading) takeUsed() {
	used := *d.used
	for len(d.free) < cap(d.free) {
		var m []byte
		if n := len(used) - 1; n >= 0 {
			m, used = used[n], used[:n]
		}
		d.free <- m
	}
	*d.used = used
}

// giveBack leaves the memory to the files after this one, those of a stream being of one size: new memory for each
// would take longer than a small file does.
func (d *downloading) giveBack() {
	for range len(d.free) {
		if m := <-d.free; m != nil {
			*d.used = append(*d.used, m)
		}
	}
}

func (d *downloading) remaining() int64 { return d.size - d.taken }

// room waits for memory for the next block.
func (d *downloading) room() {
	if d.ranges != nil {
		return // its readers take their memory themselves
	}
	from := time.Now()
	d.block.memory = d.memory()
	d.waited += time.Since(from)
}

// memory is memory for a block.
func (d *downloading) memory() []byte {
	m := <-d.free
	if int64(len(m)) < d.longest() { // none, or that of a smaller file
		m = make([]byte, d.longest())
	}
	return m
}

// read reads the next block.
func (d *downloading) read(ctx context.Context) (int, error) {
	switch {
	case d.ranges != nil:
		return d.ranges.next(ctx)
	case d.order != nil:
		at := d.order[0]
		d.order = d.order[1:]
		d.block.at, d.block.length = at, min(d.b.Plan.Block, d.size-at)
		return int(d.block.length), d.file.ReadRange(store.AboutRange(ctx, at), d.block.memory[:d.block.length], at)
	}
	if d.stream == nil {
		s, err := d.file.Stream(ctx)
		if err != nil {
			return 0, err
		}
		d.stream = s
	}
	d.block.at, d.block.length = d.taken, min(d.b.Plan.Block, d.remaining())
	n, err := io.ReadFull(d.stream, d.block.memory[:d.block.length])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return 0, store.Fail(store.Truncated, "the file ended after %d of %d bytes", d.taken+int64(n), d.size)
	}
	return n, err
}

// check has the block that was read compared.
func (d *downloading) check() {
	d.taken += d.block.length
	if d.size > d.b.Plan.Block {
		d.checks <- d.block
	} else {
		d.last = d.block
	}
	d.block = block{}
}

// compare compares block after block with what the file must hold.
func (d *downloading) compare() {
	for b := range d.checks {
		d.compareBlock(b)
	}
}

func (d *downloading) compareBlock(b block) {
	if d.content != nil {
		var wrong int64
		var where []content.Stretch
		if read := b.memory[:b.length]; d.content.Compare(read, b.at) >= 0 {
			wrong, where = d.content.Differences(read, b.at, mostStretches)
		}
		d.b.compared(d, b.length, wrong, where)
	}
	d.free <- b.memory
}

// finish makes sure that the file ends where it must, and closes it.
func (d *downloading) finish() error {
	longer := d.stream != nil && d.taken == d.file.Size() && store.More(d.stream)
	if err := d.close(); !longer {
		return err
	}
	return tooLong(d.path, 1, d.size)
}

// close closes the file. What was read may still be compared after that: it is not the store
// that takes that time.
func (d *downloading) close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	var err error
	if d.ranges != nil {
		d.ranges.close()
	}
	if d.stream != nil {
		err = d.stream.Close()
	}
	if e := d.file.Close(); err == nil {
		err = e
	}
	close(d.checks)
	return err
}

// wait waits, after close, until everything that was read has been compared.
func (d *downloading) wait() {
	d.checking.Wait()
	if d.last.memory != nil {
		d.compareBlock(d.last)
		d.last = block{}
	}
	d.giveBack()
}
