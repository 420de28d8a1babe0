package bandwidth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// step is where a stream is in the life of a file. The first ones are operations, by their
// kind; at the others the streams meet.
type step int

const (
	create step = iota
	write
	flush
	closeUpload
	rename
	open
	read
	closeDownload
	remove

	beforeRename
	beforeOpen
	beforeRemove
	afterAll
	again // to read once more, which is no gate
	ended
)

// client is a stream. The engine's slot owns it; Cut and Close come from other goroutines.
type client struct {
	workload.Connectionless
	b      *Bandwidth
	number int    // from 0
	path   string // of its file

	objects []store.Object // that it reads, one after the other; none for the file at path
	turn    int            // of the one that is read next
	size    int64          // of the file that is read

	step      step
	iteration int    // in a run by time: of the phase, its file's number
	written   int    // the iteration whose file is there
	uploads   int    // complete ones
	downloads int    // complete ones
	good      bool   // the file of this iteration has not failed
	at        string // where the file is; "" when there is none
	done      int64  // bytes of the file that were moved
	n         int    // of the block that goes on
	times     fileTimes

	up   *uploading
	down *downloading
	used [][]byte // memory that files were read to, for the next one
}

// streamPath is the path of a stream's file. A file that is only read is the same for all.
func streamPath(path string, number int, only string) string {
	if number == 0 || only == OnlyDownload {
		return path
	}
	return fmt.Sprintf("%s-%d", path, number+1)
}

// Paths are the files that a run writes, and those that it renames them to.
func Paths(p *Plan, path string) []string {
	var list []string
	for i := range p.Streams {
		file := streamPath(path, i, p.Only)
		list = append(list, file)
		if p.Rename {
			list = append(list, renamed(file))
		}
	}
	return list
}

func renamed(path string) string { return path + ".renamed" }

// first is the first operation of an iteration.
func (c *client) first() step {
	c.good, c.done = true, 0
	if c.b.Plan.Only == OnlyDownload {
		c.turn = 0
		c.choose()
		return open
	}
	return create
}

// choose takes the next file to read.
func (c *client) choose() {
	switch n := len(c.objects); {
	case n > 0:
		o := c.objects[c.turn%n]
		c.at, c.size = o.Path, o.Size
		c.turn++
	case c.b.Plan.Only == OnlyDownload:
		c.at, c.size = c.path, c.b.Plan.Size
	}
}

// Next passes the gates until there is an operation.
func (c *client) Next(over <-chan struct{}) bool {
	for c.step > remove {
		if c.step == again {
			c.choose()
		}
		if c.step == beforeOpen || c.step == again {
			c.rest()
		}
		if c.step == again {
			c.step = open
			break
		}
		var last func()
		if c.step == afterAll {
			last = c.b.turnOver
		}
		if c.step == ended || !c.b.gate.Pass(over, last) {
			return false
		}
		c.step = c.through(c.step)
	}
	return true
}

// rest has a store that caches on this machine write the file out, so that nothing of that is
// in the time of a download.
func (c *client) rest() {
	s, ok := c.b.Store.(store.Settler)
	if !ok || !c.good || c.at == "" || c.b.Plan.Only == OnlyUpload {
		return
	}
	if err := s.Settle(c.b.Hard, c.at); err != nil {
		c.b.addNote("The written data could not be evicted from the page cache of this machine: " + err.Error() + ".")
	}
}

// through is the step behind a gate.
func (c *client) through(gate step) step {
	p := &c.b.Plan
	switch {
	case gate == beforeRename && p.Rename && c.good:
		return rename
	case gate == beforeRename:
		return beforeOpen
	case gate == beforeOpen && p.Only != OnlyUpload && c.good:
		if p.Duration > 0 {
			c.iteration = 0 // which now counts how often the file is read
		}
		return open
	case gate == beforeOpen:
		return beforeRemove
	case gate == beforeRemove && c.at != "" && !p.Keep && p.Only != OnlyDownload:
		return remove
	case gate == beforeRemove:
		return afterAll
	}
	c.iteration++
	if !c.b.more(c.iteration) {
		return ended
	}
	return c.first()
}

// after is the step behind an operation.
func (c *client) after(s step, ok bool, at time.Duration) step {
	switch {
	case s == closeUpload && ok && c.b.goesOn(&c.b.upload, at):
		c.iteration++
		c.done = 0
		return create
	case s == closeDownload && ok && c.b.goesOn(&c.b.download, at):
		c.iteration++
		return again
	case s == closeDownload && ok && c.b.Plan.Duration == 0 && c.turn < len(c.objects):
		return again
	case s == create && ok, s == flush, s == write && ok:
		return c.afterBlock(s == write)
	case s <= closeUpload:
		return beforeRename
	case s == rename:
		return beforeOpen
	case (s == open || s == read) && ok:
		if c.down.remaining() > 0 {
			return read
		}
		return closeDownload
	case s <= closeDownload:
		return beforeRemove
	}
	return afterAll
}

// afterBlock is the step behind a block that was written, or behind what comes with it.
func (c *client) afterBlock(written bool) step {
	p := &c.b.Plan
	if written && (p.Flush || p.HFlush) && !c.up.unflushed {
		return flush
	}
	if c.done < p.Size {
		return write
	}
	return closeUpload
}

// Prepare makes the data of the next block, or memory for it.
func (c *client) Prepare(int, uint64) workload.Operation {
	c.b.at.Store(int32(c.step))
	switch c.step {
	case create:
		c.b.idle.joined(1)
	case write:
		c.n = c.up.next()
	case read:
		c.down.room()
	}
	return workload.Operation{Kind: int(c.step)}
}

// Do carries an operation out.
func (c *client) Do(ctx context.Context, _ int, a *op.Attempt) *op.Failure {
	if c.step != write && c.step != read {
		a.Sent() // nothing that takes long is sent: what follows is waiting for the store
	}
	err := c.perform(ctx, a)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return op.ErrUnfinished
	}
	why := store.CauseOf(err)
	return &op.Failure{Cause: why, Final: true, Timeout: why == store.Timeout, Err: err}
}

func (c *client) perform(ctx context.Context, a *op.Attempt) (err error) {
	s := c.b.Store
	switch c.step {
	case create:
		c.up, err = c.startUpload(ctx)
	case write:
		if err = c.up.write(ctx, c.n); err == nil {
			a.Moved(c.n)
		}
	case flush:
		err = c.flush(ctx)
	case closeUpload:
		err = c.up.close(ctx)
	case rename:
		err = s.Rename(ctx, c.path, renamed(c.path))
	case open:
		c.down, err = c.startDownload(ctx)
	case read:
		if c.n, err = c.down.read(ctx); err == nil {
			a.Moved(c.n)
		}
	case closeDownload:
		err = c.down.finish()
	case remove:
		err = s.Delete(ctx, c.at)
	}
	return err
}

func (c *client) flush(ctx context.Context) error {
	err := c.up.writer.Flush(ctx, c.b.Plan.HFlush)
	if err != nil && store.CauseOf(err) == store.Unsupported {
		c.up.unflushed = true
		c.b.addNote("This store does not support flush: " + err.Error() + ".")
		return nil
	}
	return err
}

// Ended notes what an operation came to, and takes the next step.
func (c *client) Ended(e workload.Ended) {
	ok := e.Why == nil
	if ok {
		c.settle()
	} else {
		c.good = false
		c.giveUp(e.Why)
	}
	c.b.noteEnded(c, e)
	c.step = c.after(c.step, ok, e.Start+e.Duration)
}

// settle notes what an operation that ended ok changed.
func (c *client) settle() {
	switch c.step {
	case create:
		c.at = c.path // from here on there may be something to remove
	case write:
		c.moved()
	case open:
		c.done = 0
	case read:
		c.moved()
		c.down.check()
	case rename:
		c.at = renamed(c.path)
	case closeUpload:
		c.written = c.iteration
		c.uploads++
	case closeDownload:
		c.down.wait()
		c.downloads++
	case remove:
		c.at = ""
	}
}

// moved notes a block.
func (c *client) moved() {
	c.done += int64(c.n)
	c.b.moved.Add(int64(c.n))
}

// cleanTime bounds what a stream does to leave nothing behind.
const cleanTime = 30 * time.Second

// giveUp leaves nothing of a transfer that failed.
func (c *client) giveUp(why *op.Failure) {
	if c.up != nil && c.step <= closeUpload {
		c.giveUpUpload()
	}
	switch c.step {
	case closeUpload:
		c.removeDoubtful(c.path, why)
	case rename:
		c.removeDoubtful(renamed(c.path), why)
	}
	c.giveUpDownload()
}

// removeDoubtful removes a file that can be there although the operation that makes it failed:
// the store may have done its work, and only the answer was lost. With --keep the name of a
// renamed file can be the only one that is left of it, and a file that was to be replaced can
// still be the old one: these stay.
func (c *client) removeDoubtful(path string, why *op.Failure) {
	if refused(why.Cause) {
		return
	}
	if p := &c.b.Plan; p.Keep && (p.Overwrite || c.step == rename) {
		c.b.addNote(path + " may exist: the store did not confirm the result.")
		return
	}
	ctx, cancel := context.WithTimeout(c.b.Hard, cleanTime)
	defer cancel()
	if err := c.b.Store.Delete(ctx, path); err != nil {
		c.b.leave(path, err)
	}
}

// refused reports whether a cause is the store's answer that it did not make the file, or that
// it was not asked at all.
func refused(cause string) bool {
	switch cause {
	case store.AccessDenied, store.NoCredentials, store.NoBucket, store.NoFile, store.WrongRegion, store.ClockSkew,
		store.TooLarge, store.DiskFull, store.Corrupt, store.Changed, store.Unsupported, store.Refused,
		store.Unresolvable, store.TLS:
		return true
	}
	return false
}

// Close removes what the stream has made, unless it is to be kept.
func (c *client) Close() {
	c.b.noteCutOff(c)
	c.b.noteRounds(c.rounds())
	whole := c.up == nil || c.up.closed
	if !whole {
		c.giveUpUpload()
	}
	c.giveUpDownload()
	if c.at == "" || c.b.Plan.Only == OnlyDownload {
		return
	}
	switch {
	case c.b.Plan.Keep && whole:
		c.b.noteLeft(c.at)
		return
	case c.b.Plan.Keep && c.at != "":
		c.b.addNote(c.at + " may still exist with its previous content: the upload that would have replaced it was " +
			"abandoned.")
		return
	}
	ctx, cancel := context.WithTimeout(c.b.Hard, cleanTime)
	defer cancel()
	if err := c.b.Store.Delete(ctx, c.at); err != nil {
		c.b.leave(c.at, err)
	}
}

func (c *client) giveUpDownload() {
	if c.down != nil {
		_ = c.down.close() // it failed already, or nobody needs it
		c.down.wait()
	}
}

// giveUpUpload gives an upload up that is not complete.
func (c *client) giveUpUpload() {
	ctx, cancel := context.WithTimeout(c.b.Hard, cleanTime)
	defer cancel()
	if err := c.up.abort(ctx); err != nil {
		c.b.leave(c.path, err)
	}
	c.at = ""
	if c.uploads > 0 && c.b.Plan.Duration > 0 {
		c.at = c.path // the file that was to be replaced can still be there
	}
}

// rounds is how often the stream has moved its file, each way that it was to.
func (c *client) rounds() int {
	switch c.b.Plan.Only {
	case OnlyUpload:
		return c.uploads
	case OnlyDownload:
		return c.downloads
	}
	return min(c.uploads, c.downloads)
}
