package record

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Sample is one operation for the file of samples.
type Sample struct {
	Operation
	Began time.Time // the actual start, as a date
	Phase string    // in which it began
}

const (
	batchSize  = 128  // samples that a slot collects before it hands them over
	batchQueue = 2048 // batches that may wait for the disk: half a minute at 10,000 samples a second
	flushEvery = time.Second
	// closePatience bounds the wait for the rest to be written: the results must not wait for
	// a file that nobody reads.
	closePatience = 5 * time.Second
	writeBuffer   = 64 << 10
)

// Samples streams operations to a file while the run goes on. What was recorded more than a
// second ago has been given to the system, so it outlives the process.
//
// When the file cannot be written the run goes on without it: the failure is told at once,
// the file keeps its whole rows, and what is lost is counted.
type Samples struct {
	format func(row []byte, s *Sample) []byte
	failed func(error) // called once, from the writing goroutine
	file   io.WriteCloser
	whole  *WholeRows
	out    *bufio.Writer
	row    []byte

	full chan []Sample
	free sync.Pool
	done chan struct{}

	mu      sync.Mutex
	buffers []*SampleBuffer

	written, lost atomic.Int64 // written to by the writing goroutine
	err           error        // of the writing goroutine, and after it of Close
}

// SampleBuffer collects one slot's samples.
type SampleBuffer struct {
	to *Samples

	mu   sync.Mutex // shared with the flush alone
	rows []Sample
	lost int64
}

// NewSamples starts writing rows to a file, whose header is written at once. failed is told
// of the first error.
func NewSamples(file io.WriteCloser, header string, format func([]byte, *Sample) []byte, failed func(error)) *Samples {
	s := &Samples{
		format: format,
		failed: failed,
		file:   file,
		whole:  NewWholeRows(file),
		full:   make(chan []Sample, batchQueue),
		done:   make(chan struct{}),
	}
	s.out = bufio.NewWriterSize(s.whole, writeBuffer)
	_, err := s.out.WriteString(header)
	s.noteError(err)
	s.flush()
	// goroutine: Close waits for done, within a bound: a disk that hangs must not hold the report up.
	go s.run()
	return s
}

// Buffer makes a slot's buffer.
func (s *Samples) Buffer() *SampleBuffer {
	b := &SampleBuffer{to: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffers = append(s.buffers, b)
	return b
}

// Add takes a sample. When the disk is so slow that the queue is full, the batch is lost and
// counted: waiting would slow down what is measured.
func (b *SampleBuffer) Add(sample *Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = append(b.rows, *sample)
	if len(b.rows) < batchSize {
		return
	}
	select {
	case b.to.full <- b.rows:
		b.rows = b.to.batch()
	default:
		b.lost += int64(len(b.rows))
		b.rows = b.rows[:0]
	}
}

func (s *Samples) batch() []Sample {
	if rows, ok := s.free.Get().(*[]Sample); ok {
		return (*rows)[:0]
	}
	return make([]Sample, 0, batchSize)
}

// Close writes what is left, when no slot adds any more, and tells how many samples were
// written, how many were lost, and the first error.
func (s *Samples) Close() (written, lost int64, err error) {
	close(s.full)
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case <-s.done:
		return s.written.Load(), s.lost.Load(), s.err
	case <-patience.C:
	}
	// Whoever should read the file does not. What the goroutine still holds is lost with it.
	_ = s.file.Close()
	return s.written.Load(), s.lost.Load(), errStuck
}

var errStuck = errors.New("cannot write to the file: the last samples are lost")

func (s *Samples) run() {
	defer close(s.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case rows, ok := <-s.full:
			if !ok {
				s.finish()
				return
			}
			s.write(rows)
			s.free.Put(&rows)
		case <-tick.C:
			s.writePartial()
			s.flush()
		}
	}
}

func (s *Samples) finish() {
	s.writePartial()
	s.flush()
	s.noteError(s.file.Close())
}

// writePartial writes what the slots have collected so far.
func (s *Samples) writePartial() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.buffers {
		b.mu.Lock()
		rows := b.rows
		b.rows = nil
		s.lost.Add(b.lost)
		b.lost = 0
		b.mu.Unlock()
		s.write(rows)
	}
}

func (s *Samples) write(rows []Sample) {
	for i := range rows {
		if s.err != nil {
			s.lost.Add(int64(len(rows) - i))
			return
		}
		s.row = s.format(s.row[:0], &rows[i])
		if len(s.row) > s.out.Available() {
			s.flush() // so that a write to the file ends with a whole row
		}
		if s.err == nil {
			_, err := s.out.Write(s.row)
			s.noteError(err)
			s.written.Add(1)
			s.whole.Pending++
		} else {
			s.lost.Add(1)
		}
	}
}

func (s *Samples) flush() {
	if s.err == nil {
		s.noteError(s.out.Flush())
	}
}

// noteError keeps the first error, takes back what it left half written, and tells of it.
func (s *Samples) noteError(err error) {
	if err == nil || s.err != nil {
		return
	}
	s.err = err
	s.written.Add(-s.whole.Pending)
	s.lost.Add(s.whole.Pending)
	s.failed(err)
}
