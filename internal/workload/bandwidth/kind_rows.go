package bandwidth

import (
	"bufio"
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// rows are the single operations of a run: the first ones are kept for its document, and all
// of them are streamed to a file, if one is asked for, by a goroutine of its own. add may be
// called by several goroutines, one at a time.
type rows struct {
	blocks  []rundoc.Block
	omitted int64

	queue   chan rundoc.Block // nil without a file
	writing sync.WaitGroup
	lost    atomic.Int64
	written int64
	err     error // of the writing goroutine, until it has ended
}

const (
	rowQueue = 1 << 16 // rows that may wait for a slow disk
	rowFlush = time.Second

	rowBuffer = 64 << 10
)

// openRows begins the file. failed is told of the first error.
func openRows(to outfile.Files, path string, columns report.RowColumns, failed func(error)) (*rows, error) {
	r := &rows{}
	if path == "" {
		return r, nil
	}
	f, err := to.Stream(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "--csv: cannot write %s: %w", path, outfile.Reason(err)).
			Hint("use a writable file that no other program writes to")
	}
	r.queue = make(chan rundoc.Block, rowQueue)
	r.writing.Go(func() {
		r.write(f, columns, failed)
		if err := f.Close(); r.err == nil {
			r.err = err
		}
	})
	return r, nil
}

// add takes a row.
func (r *rows) add(row Row) {
	b := rundoc.Block{
		Operation: row.Operation, Stream: row.Stream, Iteration: row.Iteration, Bytes: row.Bytes, Total: row.Total,
		StartNS: int64(row.Start), DurationNS: int64(row.Duration), Cause: row.Cause,
	}
	if len(r.blocks) < rundoc.MaxBlocks {
		r.blocks = append(r.blocks, b)
	} else {
		r.omitted++
	}
	if r.queue == nil {
		return
	}
	select {
	case r.queue <- b:
	default:
		r.lost.Add(1) // waiting for the disk would slow down what is measured
	}
}

// write writes rows until there are no more. What is older than a second has been given to
// the system. After an error the file keeps its whole rows, and the rest is counted as lost.
func (r *rows) write(f io.Writer, columns report.RowColumns, failed func(error)) {
	whole := record.NewWholeRows(f)
	out := bufio.NewWriterSize(whole, rowBuffer)
	note := func(err error) {
		if err != nil && r.err == nil {
			r.err = err
			r.written -= whole.Pending
			r.lost.Add(whole.Pending)
			failed(err)
		}
	}
	var row bytes.Buffer
	put := func() {
		if row.Len() > out.Available() {
			note(out.Flush()) // so that a write to the file ends with a whole row
		}
		if r.err == nil {
			_, err := out.Write(row.Bytes())
			note(err)
		}
		row.Reset()
	}
	w, err := show.NewBlockWriter(&row, columns)
	note(err)
	put()
	tick := time.NewTicker(rowFlush)
	defer tick.Stop()
	for {
		select {
		case b, more := <-r.queue:
			switch {
			case !more:
				note(out.Flush())
				return
			case r.err != nil:
				r.lost.Add(1)
			default:
				note(w.Write(b))
				if put(); r.err == nil {
					r.written++
					whole.Pending++
				} else {
					r.lost.Add(1)
				}
			}
		case <-tick.C:
			if r.err == nil {
				note(out.Flush())
			}
		}
	}
}

// close completes the file and tells what became of it, and of the error that ended it; nil when there is none.
func (r *rows) close(path string) (*rundoc.SamplesFile, error) {
	if r.queue == nil {
		return nil, nil
	}
	close(r.queue)
	r.writing.Wait()
	return &rundoc.SamplesFile{Path: path, Written: r.written, Lost: r.lost.Load()}, r.err
}

// kept are the rows for the document, and how many more there were.
func (r *rows) kept() ([]rundoc.Block, int64) { return r.blocks, r.omitted }
