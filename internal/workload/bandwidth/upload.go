package bandwidth

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// uploading is a file that is written. A goroutine makes the blocks, some ahead of the one
// that is written; that of a file of one block is made when it is asked for, as there is nothing
// to make it beside.
type uploading struct {
	writer    store.Writer
	made      chan madeBlock
	makeOne   func()             // makes the block of a file that has one; else nil
	cancel    context.CancelFunc // of the making
	making    sync.WaitGroup
	failed    error // of the block that was taken last
	waited    time.Duration
	clock     *idleClock
	unflushed bool // the store cannot flush
	closed    bool // the file is complete
}

// madeBlock is a block that is ready to be written.
type madeBlock struct {
	n   int
	err error
}

// startUpload creates the file of the iteration and begins to make its blocks.
func (c *client) startUpload(ctx context.Context) (*uploading, error) {
	p := &c.b.Plan
	c.up, c.down = nil, nil
	w, err := c.b.Store.Create(ctx, c.path, p.Size)
	if err != nil {
		return nil, err
	}
	making, cancel := context.WithCancel(context.WithoutCancel(ctx))
	u := &uploading{writer: w, made: make(chan madeBlock, blocksAhead), cancel: cancel, clock: &c.b.idle}
	holds := c.b.contentOf(c.number, c.iteration)
	if p.Size <= p.Block {
		u.makeOne = func() { u.makeBlocks(making, holds, p.Size, p.Block) }
	} else {
		u.making.Go(func() { u.makeBlocks(making, holds, p.Size, p.Block) })
	}
	return u, nil
}

// makeBlocks makes block after block.
func (u *uploading) makeBlocks(ctx context.Context, holds *content.File, size, block int64) {
	for at := int64(0); at < size; {
		n := min(block, size-at)
		pieces, err := u.writer.Reserve(ctx, int(n))
		from := at
		for _, p := range pieces {
			holds.Fill(p, from)
			from += int64(len(p))
		}
		select {
		case u.made <- madeBlock{int(n), err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		at += n
	}
}

// next waits for the next block. The wait holds the upload up as far as the store has nothing
// else to do meanwhile, so it counts by the share of the queue that stands empty.
func (u *uploading) next() int {
	from, vacant := time.Now(), u.vacant()
	if vacant == 1 && u.still() {
		u.clock.change(0, 1)
		defer u.clock.change(0, -1)
	}
	if u.makeOne != nil {
		u.makeOne()
	}
	b := <-u.made
	u.waited += time.Duration(float64(time.Since(from)) * (vacant + u.vacant()) / 2)
	u.failed = b.err
	return b.n
}

// still reports whether nothing of the file can be on its way between two writes, where no place of the writer's queue
// is taken: what a store without a queue has written may be in buffers.
func (u *uploading) still() bool {
	_, queued := u.writer.(store.Queue)
	return queued || u.makeOne != nil
}

// vacant is the share of the store's places that are empty; 1 for a store that does nothing
// between two writes.
func (u *uploading) vacant() float64 {
	if q, ok := u.writer.(store.Queue); ok {
		return q.Vacant()
	}
	return 1
}

func (u *uploading) write(ctx context.Context, n int) error {
	if u.failed != nil {
		return u.failed
	}
	return u.writer.Write(ctx, n)
}

func (u *uploading) close(ctx context.Context) error {
	u.stop()
	err := u.writer.Close(ctx)
	u.closed = err == nil
	return err
}

// abort gives the file up.
func (u *uploading) abort(ctx context.Context) error {
	u.stop()
	if u.closed {
		return nil
	}
	return u.writer.Abort(ctx)
}

func (u *uploading) stop() {
	u.cancel()
	u.making.Wait()
}
