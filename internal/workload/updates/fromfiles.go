package updates

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// fileData is data from delta files. Each file is cut into batches by itself, so that a file
// that is no longer than a batch is one message, as such files usually are published.
//
// A batch is read when it is prepared. Slots do that nearly in the order of the batches; what is
// read on the way to a later one is kept until its slot asks.
type fileData struct {
	paths []string
	batch int   // rows, at most
	count int64 // batches
	size  int   // of the largest message

	mu     sync.Mutex
	from   *cutter
	next   uint64             // index of the batch that from gives next
	ahead  map[uint64]scratch // read, and not asked for yet
	unused []scratch
}

// FromFiles is the data of delta files, which it reads once to count the batches.
func FromFiles(ctx context.Context, paths []string, batch int, codec delta.Codec) (Data, int64, error) {
	f := &fileData{paths: paths, batch: batch, ahead: map[uint64]scratch{}, from: &cutter{paths: paths, batch: batch}}
	var message []byte
	err := f.eachBatch(ctx, func(_ uint64, rows []delta.Row) error {
		var err error
		if message, err = delta.Append(message[:0], &delta.Header{Codec: codec}, rows); err != nil {
			return err
		}
		f.size = max(f.size, len(message))
		f.count++
		return nil
	})
	if err == nil && f.count == 0 {
		err = errors.New("the files contain no rows")
	}
	return f, f.count, err
}

// eachBatch gives all batches.
func (f *fileData) eachBatch(ctx context.Context, visit func(index uint64, rows []delta.Row) error) error {
	c := &cutter{paths: f.paths, batch: f.batch}
	defer c.close()
	var s scratch
	for index := uint64(0); ; index++ {
		rows, err := c.next(&s)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err := visit(index, rows); err != nil {
			return err
		}
	}
}

var errChanged = errors.New("the files changed during the run")

func (f *fileData) rows(index uint64, s *scratch) ([]delta.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if kept, ok := f.ahead[index]; ok {
		delete(f.ahead, index)
		f.unused = append(f.unused, *s)
		*s = kept
		return s.rows, nil
	}
	for {
		rows, err := f.from.next(s)
		if errors.Is(err, io.EOF) {
			return nil, errChanged
		}
		if err != nil {
			return nil, err
		}
		f.next++
		if f.next-1 == index {
			return rows, nil
		}
		f.ahead[f.next-1] = *s
		*s = scratch{}
		if n := len(f.unused); n > 0 {
			*s, f.unused = f.unused[n-1], f.unused[:n-1]
		}
	}
}

func (f *fileData) unique() bool { return false }

// ordered is what files need: their rows may have any commit times, also the same.
func (f *fileData) ordered() bool { return true }

// Close closes the file that is being read.
func (f *fileData) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from.close()
}

func (f *fileData) replay(w *Updates, visit visitor) error {
	published := w.indexes()
	batches := int64(0)
	err := f.eachBatch(context.Background(), func(index uint64, rows []delta.Row) error {
		batches++
		if batches > f.count {
			return errChanged
		}
		if published.Has(index) {
			visit(0, index, rows)
		}
		return nil
	})
	if err == nil && batches != f.count {
		err = errChanged
	}
	return err
}

func (f *fileData) largest(codec delta.Codec, limit int) (bytes, batch int, err error) {
	if f.size <= limit {
		return f.size, f.batch, nil
	}
	// As many of the largest row as fit are fewer than could be, and fit for sure.
	row := 0
	var message []byte
	err = f.eachBatch(context.Background(), func(_ uint64, rows []delta.Row) error {
		for i := range rows {
			var err error
			if message, err = delta.Append(message[:0], &delta.Header{Codec: codec}, rows[i:i+1]); err != nil {
				return err
			}
			row = max(row, len(message)-delta.Overhead)
		}
		return nil
	})
	return f.size, (limit - delta.Overhead) / max(row, 1), err
}
