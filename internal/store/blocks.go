package store

import (
	"context"
	"sync"
)

// BlockPlan says how the blocks of a file are written that is written in order.
type BlockPlan struct {
	Name    string // of the file, in messages
	Size    int64  // of the file
	Block   int64  // bytes of a block, at most
	Senders int    // goroutines that put blocks; with none, each Write puts its own
	Queue   int    // blocks that may wait for a sender
	// Pool has memory of *[]byte, each of a block, which the files of a store use in turn; with nil
	// each file has its own, which is no longer than the file.
	Pool *sync.Pool
	// Put writes a block. One sender puts them in their order, several at the same time.
	Put func(ctx context.Context, b []byte, at int64) error
}

// Blocks are the memory and the queue of a Writer whose blocks are written in order: its Reserve
// and its Write.
type Blocks struct {
	plan BlockPlan
	free chan []byte // nil: not made yet
	full chan []byte // reserved

	queue   chan placed
	senders sync.WaitGroup
	flying  sync.WaitGroup  // blocks that were written and not put yet
	ctx     context.Context // stored context: of the senders, which outlive the write that fed them
	cancel  context.CancelCauseFunc

	// Of the goroutine that writes.
	started int
	written int64
	stopped bool
}

// placed is a block and where in the file it belongs.
type placed struct {
	block []byte
	at    int64
}

// NewBlocks makes the memory and the queue of one file. They must be stopped.
func NewBlocks(ctx context.Context, plan BlockPlan) *Blocks {
	// Those in the queue and with the senders, one that is written, and one that is made meanwhile.
	n := plan.Queue + plan.Senders + 2
	b := &Blocks{plan: plan, free: make(chan []byte, n), full: make(chan []byte, n),
		queue: make(chan placed, plan.Queue)}
	for range n {
		b.free <- nil
	}
	b.ctx, b.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return b
}

// Reserve gives memory for the next n bytes, at most a block.
func (b *Blocks) Reserve(ctx context.Context, n int) ([][]byte, error) {
	if most := min(b.plan.Block, b.plan.Size); int64(n) > most {
		return nil,
			Fail(Other, "%s: a write of %d bytes exceeds the block size of %d, or the %d bytes that the file was created with",
				b.plan.Name, n, b.plan.Block, b.plan.Size)
	}
	select {
	case m := <-b.free:
		if m == nil {
			m = b.memory()
		}
		b.full <- m[:n]
		return [][]byte{m[:n]}, nil
	case <-b.ctx.Done():
		return nil, context.Cause(b.ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// memory is that of a block.
func (b *Blocks) memory() []byte {
	if b.plan.Pool == nil {
		return make([]byte, min(b.plan.Block, b.plan.Size))
	}
	if used, ok := b.plan.Pool.Get().(*[]byte); ok {
		return *used
	}
	return make([]byte, b.plan.Block)
}

// Write puts the oldest block that was reserved, or hands it to a sender when there is a place.
func (b *Blocks) Write(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := context.Cause(b.ctx); err != nil {
		return err
	}
	p := placed{<-b.full, b.written}
	if len(p.block) != n || b.written+int64(n) > b.plan.Size {
		return Fail(Other, "%s: wrote %d bytes that were not reserved", b.plan.Name, n)
	}
	write := b.hand
	if b.plan.Senders == 0 {
		write = b.put
	}
	if err := write(ctx, p); err != nil {
		return err
	}
	b.written += int64(n)
	return nil
}

// put writes a block and takes its memory back.
func (b *Blocks) put(ctx context.Context, p placed) error {
	defer func() { b.free <- p.block[:cap(p.block)] }()
	return b.plan.Put(ctx, p.block, p.at)
}

// hand returns when a block is with a sender or in the queue.
func (b *Blocks) hand(ctx context.Context, p placed) error {
	b.flying.Add(1)
	if b.started > 0 {
		select {
		case b.queue <- p:
			return nil
		default:
		}
	}
	if b.started < b.plan.Senders {
		b.started++
		b.senders.Go(func() { b.send(p) })
		return nil
	}
	select {
	case b.queue <- p:
		return nil
	case <-b.ctx.Done():
		b.flying.Done()
		return context.Cause(b.ctx)
	case <-ctx.Done():
		b.flying.Done()
		return ctx.Err()
	}
}

// send puts a block, and then those of the queue until it is closed. After a failure they are
// only taken back.
func (b *Blocks) send(p placed) {
	for more := true; more; p, more = <-b.queue {
		if b.ctx.Err() != nil {
			b.free <- p.block[:cap(p.block)]
		} else if err := b.put(b.ctx, p); err != nil {
			b.cancel(err)
		}
		b.flying.Done()
	}
}

// Land waits for the blocks on their way; more may be written after it.
func (b *Blocks) Land(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { b.cancel(ctx.Err()) })
	b.flying.Wait()
	stop()
	return context.Cause(b.ctx)
}

// Complete is an error unless all of the file was written.
func (b *Blocks) Complete() error {
	if b.written != b.plan.Size {
		return Fail(Other, "%s: wrote %d of the %d bytes that the file was created with",
			b.plan.Name, b.written, b.plan.Size)
	}
	return nil
}

// Stop gives up what is on its way, whose context ends with this cause, and waits for the senders.
func (b *Blocks) Stop(why error) {
	b.cancel(why)
	if !b.stopped {
		b.stopped = true
		close(b.queue)
	}
	b.senders.Wait()
	for range len(b.free) {
		b.giveBack(<-b.free)
	}
	for range len(b.full) {
		b.giveBack(<-b.full)
	}
}

// giveBack is for memory that nobody fills or reads any more.
func (b *Blocks) giveBack(m []byte) {
	if m = m[:cap(m)]; m != nil && b.plan.Pool != nil {
		b.plan.Pool.Put(&m)
	}
}
