package disk

import (
	"context"
	"io"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// memoryWriter writes a file.
type memoryWriter struct {
	*store.Blocks
	store *memoryStore
	path  string
	size  int64
	made  *content
	over  bool
}

// put copies the block.
func (w *memoryWriter) put(_ context.Context, b []byte, _ int64) error {
	for from := 0; from < len(b); {
		within := w.made.size % w.store.block
		if within == 0 {
			p, err := w.store.piece(w.path, min(w.store.block, w.size-w.made.size))
			if err != nil {
				return err
			}
			w.made.pieces = append(w.made.pieces, p)
		}
		did := copy(w.made.pieces[len(w.made.pieces)-1][within:], b[from:])
		from += did
		w.made.size += int64(did)
		w.store.flow.Called(flow.Moved{Sent: int64(did)})
	}
	return nil
}

// Flush has nothing to do; nothing here is durable.
func (w *memoryWriter) Flush(ctx context.Context, hard bool) error {
	if hard {
		return store.Fail(store.Unsupported, "%s: memory cannot be flushed to disk", w.path).WithHint("remove --hflush")
	}
	return ctx.Err()
}

// Close makes the file one that is there.
func (w *memoryWriter) Close(ctx context.Context) error {
	if w.over {
		return nil
	}
	err := ctx.Err()
	if err == nil {
		err = w.Complete()
	}
	if err != nil {
		_ = w.Abort(ctx) // which cannot fail
		return err
	}
	w.over = true
	w.Stop(nil)
	w.store.remove(w.path)
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.files[w.path] = w.made
	return nil
}

// Abort gives the memory back.
func (w *memoryWriter) Abort(context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.Stop(nil)
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.made.gone = true
	w.store.release(w.made)
	return nil
}

// memoryFile is a file that is read.
type memoryFile struct {
	store   *memoryStore
	path    string
	content *content
	closed  bool
}

// Size is the file's size.
func (f *memoryFile) Size() int64 { return f.content.size }

// ReadRange copies from the file.
func (f *memoryFile) ReadRange(ctx context.Context, p []byte, offset int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if offset > f.content.size || int64(len(p)) > f.content.size-offset {
		return store.Fail(store.Truncated, "reading %s: the file ends after %d bytes", f.path, f.content.size)
	}
	f.copy(p, offset)
	return nil
}

// copy fills p from the offset; all of it is there.
func (f *memoryFile) copy(p []byte, offset int64) {
	for len(p) > 0 {
		piece := f.content.pieces[offset/f.store.block]
		n := copy(p, piece[offset%f.store.block:])
		f.store.flow.Called(flow.Moved{Received: int64(n)})
		p, offset = p[n:], offset+int64(n)
	}
}

// Stream reads from the start.
func (f *memoryFile) Stream(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &memoryStream{over: ctx.Err, f: f}, nil
}

// Close lets go of the file, which may have been deleted meanwhile.
func (f *memoryFile) Close() error {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	if !f.closed {
		f.closed = true
		f.content.readers--
		f.store.release(f.content)
	}
	return nil
}

// memoryStream is a position in a file.
type memoryStream struct {
	over func() error // why reading ends early
	f    *memoryFile
	at   int64
}

// Read copies what is next.
func (s *memoryStream) Read(p []byte) (int, error) {
	if err := s.over(); err != nil {
		return 0, err
	}
	left := s.f.content.size - s.at
	if left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), left)]
	s.f.copy(p, s.at)
	s.at += int64(len(p))
	return len(p), nil
}

// Close does nothing: the file stays open.
func (s *memoryStream) Close() error { return nil }
