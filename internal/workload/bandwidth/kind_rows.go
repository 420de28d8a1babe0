package bandwidth

import (
	"bufio"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
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
)

// openRows begins the file. failed is told of the first error.
func openRows(path string, columns report.RowColumns, failed func(error)) (*rows, error) {
	r := &rows{}
	if path == "" {
		return r, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "--csv: %w", err)
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
// the system. After an error the rest is counted as lost.
func (r *rows) write(f *os.File, columns report.RowColumns, failed func(error)) {
	out := bufio.NewWriter(f)
	w, err := show.NewBlockWriter(out, columns)
	note := func(err error) {
		if err != nil && r.err == nil {
			r.err = err
			failed(err)
		}
	}
	note(err)
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
				r.written++
			}
		case <-tick.C:
			if r.err == nil {
				note(out.Flush())
			}
		}
	}
}

// close completes the file and tells what became of it; nil when there is none.
func (r *rows) close(path string) *rundoc.SamplesFile {
	if r.queue == nil {
		return nil
	}
	close(r.queue)
	r.writing.Wait()
	file := &rundoc.SamplesFile{Path: path, Written: r.written, Lost: r.lost.Load()}
	if r.err != nil {
		file.Error = r.err.Error()
	}
	return file
}

// kept are the rows for the document, and how many more there were.
func (r *rows) kept() ([]rundoc.Block, int64) { return r.blocks, r.omitted }
