package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// PartStore is what a store does with the parts of one file.
type PartStore interface {
	// PutWhole writes the file in one request, because it fits into one part.
	PutWhole(ctx context.Context, p *Part) error
	// Begin begins a file of several parts. It is called when the first of them is full.
	Begin(ctx context.Context) error
	// PutPart writes a part. Several are written at the same time.
	PutPart(ctx context.Context, p *Part) error
	// Complete makes the file of its parts, all of which were written.
	Complete(ctx context.Context, parts int) error
	// Abort removes what was written after Begin.
	Abort(ctx context.Context) error
}

// partWriter is a Writer that cuts a file into parts and keeps a bounded number of them on
// their way.
type partWriter struct {
	to       PartStore
	slabs    *Slabs
	size     int64 // of the file
	partSize int64

	memory  chan struct{} // a token for each piece of memory that may be taken
	active  int           // parts on their way, at most
	queue   chan *Part    // to the senders
	senders int           // goroutines that send parts, one after the other
	busy    atomic.Int64  // parts that a sender has, or is given
	flying  sync.WaitGroup
	ctx     context.Context // stored context: of the parts on their way, which outlive the write that made them
	cancel  context.CancelCauseFunc

	// Shared between the two goroutines.
	mu       sync.Mutex
	reserved int64
	open     []*Part // reserved and not yet on their way; the last may have room
	dropped  bool    // nothing can be reserved any more

	// Of the goroutine that writes.
	written int64
	begun   bool
	parts   int
	over    bool
	landing bool // the queue is closed
}

// NewPartWriter makes a Writer of a file of size bytes in parts of partSize, at most active of
// which are on their way; block is how much one Write brings. Its memory is of slabs, whose
// pieces are partSize at most.
func NewPartWriter(ctx context.Context, to PartStore, slabs *Slabs, size, partSize, block int64, active int) Writer {
	w := &partWriter{to: to, slabs: slabs, size: size, partSize: partSize, active: active, queue: make(chan *Part)}
	w.memory = make(chan struct{}, piecesOf(partSize, block, active))
	w.ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return w
}

// Reserve gives memory inside the parts that the bytes will be in.
func (w *partWriter) Reserve(ctx context.Context, n int) ([][]byte, error) {
	w.mu.Lock()
	room := w.size - w.reserved
	w.mu.Unlock()
	if int64(n) > room {
		return nil, Fail(Other, "%d bytes more than the %d bytes that the file was created with", int64(n)-room, w.size)
	}
	var pieces [][]byte
	for n > 0 {
		piece, err := w.piece(ctx, n)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece)
		n -= len(piece)
	}
	return pieces, nil
}

// piece reserves up to n bytes of the part that the next byte belongs to.
func (w *partWriter) piece(ctx context.Context, n int) ([]byte, error) {
	if piece := w.room(n); piece != nil {
		return piece, nil
	}
	select {
	case w.memory <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.ctx.Done():
		return nil, context.Cause(w.ctx)
	}
	m, err := w.slabs.take(min(w.partSize, w.size))
	if err != nil {
		<-w.memory
		return nil, err
	}
	if err := w.extend(m); err != nil {
		w.slabs.give(m)
		<-w.memory
		return nil, err
	}
	return w.room(n), nil
}

// room reserves up to n bytes of the last part that is open; nil when it is full.
func (w *partWriter) room(n int) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 {
		return nil
	}
	p := w.open[len(w.open)-1]
	from := w.reserved - p.Offset
	if from >= int64(len(p.bytes)) {
		return nil
	}
	piece := p.bytes[from:min(from+int64(n), int64(len(p.bytes)))]
	w.reserved += int64(len(piece))
	return piece
}

// extend opens the next part, in this memory.
func (w *partWriter) extend(m []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dropped {
		return aborted()
	}
	w.open = append(w.open, &Part{
		Number: int(w.reserved/w.partSize) + 1, Offset: w.reserved,
		slab: m, bytes: m[:min(w.partSize, w.size-w.reserved)],
	})
	return nil
}

// Write puts the parts that are full now on their way, and waits for a place for each.
func (w *partWriter) Write(ctx context.Context, n int) error {
	if err := w.failure(); err != nil {
		return err
	}
	if err := w.advance(int64(n)); err != nil {
		return err
	}
	for {
		p := w.full()
		if p == nil {
			return nil
		}
		if w.size <= w.partSize {
			return nil // one request in Close
		}
		if err := w.send(ctx, p); err != nil {
			return err
		}
	}
}

// advance counts what is written.
func (w *partWriter) advance(n int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written+n > w.reserved {
		return Fail(Other, "wrote %d bytes, but only %d were reserved", w.written+n, w.reserved)
	}
	w.written += n
	return nil
}

// full is the first part that is written in full, or nil.
func (w *partWriter) full() *Part {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 {
		return nil
	}
	if p := w.open[0]; w.written >= p.Offset+int64(len(p.bytes)) {
		return p
	}
	return nil
}

// send gives a part to a sender. A new one is started as long as there are fewer than parts
// that may be on their way; after that the part waits for one that has become free, which
// goes on with it at once: a goroutine for each part had to be woken first, and the
// connection waited meanwhile.
func (w *partWriter) send(ctx context.Context, p *Part) error {
	if !w.begun {
		if err := w.to.Begin(ctx); err != nil {
			return err
		}
		w.begun = true
	}
	if err := w.hand(ctx, p); err != nil {
		return err
	}
	w.mu.Lock()
	w.open = w.open[1:]
	w.mu.Unlock()
	w.parts++
	return nil
}

// hand returns when a sender has the part.
func (w *partWriter) hand(ctx context.Context, p *Part) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.busy.Add(1) // before its sender runs: until then nobody may take the queue for empty
	select {
	case w.queue <- p:
		return nil
	default:
	}
	if w.senders < w.active {
		w.senders++
		w.flying.Go(func() { w.sendAll(p) })
		return nil
	}
	select {
	case w.queue <- p:
		return nil
	case <-ctx.Done():
		w.busy.Add(-1)
		return ctx.Err()
	case <-w.ctx.Done():
		w.busy.Add(-1)
		return w.failure()
	}
}

// sendAll sends a part, and then those of the queue until it is closed.
func (w *partWriter) sendAll(p *Part) {
	for ; p != nil; p = <-w.queue {
		if err := w.to.PutPart(AboutPart(w.ctx, p.Number), p); err != nil {
			w.cancel(fmt.Errorf("part %d: %w", p.Number, err))
		}
		w.busy.Add(-1)
		w.release(p)
	}
}

// Vacant is the share of the places for parts on their way that are empty now.
func (w *partWriter) Vacant() float64 { return max(0, 1-float64(w.busy.Load())/float64(w.active)) }

// land waits for the parts on their way. Nothing is sent after it.
func (w *partWriter) land() {
	if !w.landing {
		w.landing = true
		close(w.queue)
	}
	w.flying.Wait()
}

// release takes the memory of a part back, once no request reads from it any more.
func (w *partWriter) release(p *Part) {
	p.readers.Wait()
	w.slabs.give(p.slab)
	<-w.memory
}

// failure is why a part failed for good, or nil.
func (w *partWriter) failure() error {
	if w.ctx.Err() == nil {
		return nil
	}
	return context.Cause(w.ctx)
}

// Flush cannot be done: a part that is not full cannot be on its way.
func (w *partWriter) Flush(context.Context, bool) error {
	return Fail(Unsupported, "a part cannot be flushed before it is full")
}

// Close waits for the parts and completes the file.
func (w *partWriter) Close(ctx context.Context) error {
	if w.over {
		return aborted()
	}
	if err := w.finish(ctx); err != nil {
		if left := w.Abort(context.WithoutCancel(ctx)); left != nil {
			return fmt.Errorf("%w; the uploaded parts could not be removed: %w", err, left)
		}
		return err
	}
	w.over = true
	w.dropParts()
	return nil
}

func (w *partWriter) finish(ctx context.Context) error {
	if err := w.failure(); err != nil {
		return err
	}
	if w.written != w.size {
		return Fail(Other, "wrote %d of the %d bytes that the file was created with", w.written, w.size)
	}
	if w.size <= w.partSize {
		p := w.full()
		if p == nil { // a file without bytes
			p = &Part{Number: 1}
		}
		return w.to.PutWhole(ctx, p)
	}
	stop := context.AfterFunc(ctx, func() { w.cancel(ctx.Err()) })
	w.land()
	stop()
	if err := w.failure(); err != nil {
		return err
	}
	return w.to.Complete(ctx, w.parts)
}

// Abort stops the parts on their way and removes what was written.
func (w *partWriter) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.cancel(aborted())
	w.land()
	w.dropParts()
	if !w.begun {
		return nil
	}
	return w.to.Abort(ctx)
}

func aborted() *Error { return Fail(Other, "the upload was aborted") }

// dropParts gives back the memory of parts that will not be sent, and ends the context.
func (w *partWriter) dropParts() {
	w.cancel(aborted())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropped = true
	for _, p := range w.open {
		w.release(p)
	}
	w.open = nil
}
