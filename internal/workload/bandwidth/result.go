package bandwidth

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Result is what the transfers of a run came to.
type Result struct {
	Iterations int // completed by all streams; in a run by time, files that each has moved at least
	Upload     Transfer
	Download   Transfer
	Check      Check
	// The first operation that failed, and why; nil when none has.
	FailedAt string
	Failure  error
	Notes    []string
	Left     []string // files that are still there: asked for, or not deletable
}

// Transfer is all uploads, or all downloads.
type Transfer struct {
	Files, Failed int64
	Bytes         int64         // of the complete files
	Duration      time.Duration // first create or open → last close of an iteration, summed
	// Taken is what was taken out of Duration: all streams waited for data, with nothing on its way.
	Taken time.Duration
	// Of all streams together, without what was taken out: the time from a file's create or open to its close or failure,
	// what of it was spent in the operations, and how long the instrument kept them waiting for
	// data. A file that the end of the run cut off has only its blocks in them.
	StreamTime, OpenTime, BlockTime, CloseTime, DataTime time.Duration
	// The mean time from open to the end of the first block.
	FirstBlock time.Duration
	Iterations []Iteration // the first thousand
	Steady     *Steady     // of a run by time; nil when the streams did not come to the end of that
	Course     []int64     // bytes of blocks, by the second in which they ended
}

// Iteration is one iteration of a transfer.
type Iteration struct {
	Bytes    int64
	Duration time.Duration
	From     time.Duration // since the start of the window
}

const (
	maxIterations = 1000
	maxCourse     = 24 * 60 * 60 // seconds
)

// fileTimes are the times of a file that goes on.
type fileTimes struct {
	from                time.Duration // since the start of the window
	open, close, waited time.Duration
	progress
}

// transfer is a Transfer that goes on.
type transfer struct {
	Transfer
	from, to   time.Duration // of the iteration
	bytes      int64         // of its complete files
	idle       time.Duration // of the iteration, that is taken out of its time
	begun      bool
	firstBlock time.Duration // summed
	firsts     int64
	steady     steady
}

// noteOpened notes when a file was created or opened.
func (t *transfer) noteOpened(at time.Duration) {
	if !t.begun {
		t.steady.begin(at)
	}
	if !t.begun || at < t.from {
		t.from = at
	}
	t.begun = true
}

// noteClosed notes that a file is complete, or that it has failed.
func (t *transfer) noteClosed(f *fileTimes, at time.Duration, bytes int64, good bool) {
	t.to = max(t.to, at)
	t.StreamTime += at - f.from
	t.OpenTime += f.open
	t.CloseTime += f.close
	t.DataTime += f.waited
	if !good {
		t.Failed++
		return
	}
	t.steady.progressed(&f.progress, at, bytes)
	t.steady.inside += f.inside
	t.Files++
	t.bytes += bytes
}

// cutOff notes that the end of the run came before that of a file: of how long it would have
// taken nothing is known.
func (t *transfer) cutOff() { t.Failed++ }

// closeUpload ends an iteration of the uploads. What its streams waited for data while nothing was on its way is
// taken out of its time, but where the rate is that of a part of it.
func (b *Bandwidth) closeUpload() {
	t := &b.upload
	if total, waited := b.idle.take(); t.begun && t.steady.length == 0 {
		t.Taken += total
		t.idle = total
		t.DataTime, t.StreamTime = max(0, t.DataTime-waited), max(0, t.StreamTime-waited)
	}
	t.close()
}

// close ends an iteration.
func (t *transfer) close() {
	if !t.begun {
		return
	}
	// An interrupt can leave an iteration without a file that has ended.
	took := max(0, t.to-t.from-t.idle)
	t.Bytes += t.bytes
	t.Duration += took
	if len(t.Iterations) < maxIterations && took > 0 {
		t.Iterations = append(t.Iterations, Iteration{t.bytes, took, t.from})
	}
	t.begun, t.bytes, t.idle = false, 0, 0
}

func (t *transfer) moved(at time.Duration, bytes int64) {
	second := int(at / time.Second)
	if second >= maxCourse {
		return
	}
	for len(t.Course) <= second {
		t.Course = append(t.Course, 0)
	}
	t.Course[second] += bytes
}

// noteEnded adds an operation that has ended to the figures.
func (b *Bandwidth) noteEnded(c *client, e workload.Ended) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.step <= closeUpload {
		b.noteUpload(c, e)
	} else if c.step >= open && c.step <= closeDownload {
		b.noteDownload(c, e)
		if e.Why != nil {
			b.check.refused(c.step, e.Why)
		}
	}
	if e.Why != nil {
		b.failed = true
		if b.failure == nil && e.Why.Err != nil {
			b.failedAt, b.failure = kinds[c.step], e.Why.Err
		}
	}
	if b.Row == nil {
		return
	}
	r := Row{
		Operation: kinds[c.step], Stream: c.number + 1, Iteration: c.iteration + 1,
		Bytes: e.Bytes, Start: e.Start, Duration: e.Duration,
	}
	if c.step != remove && c.step != rename && c.step != open && c.step != create {
		r.Total = c.done
	}
	if e.Why != nil {
		r.Cause = e.Why.Cause
	}
	b.Row(r)
}

func (b *Bandwidth) noteUpload(c *client, e workload.Ended) {
	t, at := &b.upload, e.Start+e.Duration
	switch c.step {
	case create:
		c.times = fileTimes{from: e.Start, open: e.Duration, progress: progress{at: e.Start}}
		t.noteOpened(e.Start)
	case write:
		t.BlockTime += e.Duration
		t.moved(at, e.Bytes)
		t.steady.progressed(&c.times.progress, at, c.done-int64((1-c.up.vacant())*b.queue))
	case closeUpload:
		c.times.close = e.Duration
	}
	var waited time.Duration
	if c.up != nil {
		waited = c.up.waited
	}
	if e.Why != nil || c.step == closeUpload {
		b.idle.joined(-1)
	}
	t.noteStep(c, e, waited)
}

func (b *Bandwidth) noteDownload(c *client, e workload.Ended) {
	t, at := &b.download, e.Start+e.Duration
	switch c.step {
	case open:
		c.times = fileTimes{from: e.Start, open: e.Duration, progress: progress{at: e.Start}}
		t.noteOpened(e.Start)
	case read:
		t.BlockTime += e.Duration
		t.moved(at, e.Bytes)
		t.steady.progressed(&c.times.progress, at, c.done)
		if c.done == e.Bytes && e.Why == nil {
			t.firstBlock += at - c.times.from
			t.firsts++
		}
	case closeDownload:
		c.times.close = e.Duration
	}
	var waited time.Duration
	if c.down != nil {
		waited = c.down.waited
	}
	t.noteStep(c, e, waited)
}

// noteStep notes how a file goes on after an operation: to its next one, or to its end. waited is how
// long its stream has waited for the instrument.
func (t *transfer) noteStep(c *client, e workload.Ended, waited time.Duration) {
	switch {
	case e.Why == op.ErrUnfinished:
		t.cutOff()
	case e.Why != nil || c.step == closeUpload || c.step == closeDownload:
		c.times.waited = waited
		t.noteClosed(&c.times, e.Start+e.Duration, c.done, c.good)
	}
}

// noteCutOff notes a file that the end of the run cut off between two operations.
func (b *Bandwidth) noteCutOff(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch c.step {
	case write, flush, closeUpload:
		b.upload.cutOff()
	case read, closeDownload:
		b.download.cutOff()
	}
}

// noteLeft notes a file that stays because it was asked for.
func (b *Bandwidth) noteLeft(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = append(b.left, path)
}

// leave notes a file that could not be removed.
func (b *Bandwidth) leave(path string, why error) {
	b.noteLeft(path)
	b.addNote(fmt.Sprintf("%s could not be removed: %v. Remove it manually.", path, why))
}

// Result is what the run came to, when it has ended.
func (b *Bandwidth) Result() Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closeUpload()
	b.download.close()
	if n := b.download.firsts; n > 0 {
		b.download.FirstBlock = b.download.firstBlock / time.Duration(n)
	}
	iterations := b.iteration
	if b.Plan.Duration > 0 {
		iterations = b.rounds
		b.upload.Steady = b.upload.steady.part(b.upload.from, b.Plan.Streams)
		b.download.Steady = b.download.steady.part(b.download.from, b.Plan.Streams)
	}
	return Result{
		Iterations: iterations, Upload: b.upload.Transfer, Download: b.download.Transfer,
		Check: b.check, FailedAt: b.failedAt, Failure: b.failure, Notes: b.notes, Left: b.left,
	}
}

// Checked reports whether what is read can be compared.
func (b *Bandwidth) Checked() bool {
	return b.Compare && (b.Plan.Only != OnlyDownload || b.found != nil)
}
