package disk

import (
	"context"
	"sync"

	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// unknownLimit bounds the memory where the system does not say how much is free.
const unknownLimit = 1 << 30

// memoryStore is files in memory, in pieces of a block.
type memoryStore struct {
	block int64
	limit int64
	flow  *flow.Counter

	mu    sync.Mutex
	taken int64 // bytes of the pieces of all files, and of those that are free
	free  [][]byte
	files map[string]*content
}

// content is the bytes of a file. They do not change once it is complete.
type content struct {
	size    int64
	pieces  [][]byte // each of a block, the last of what is left
	readers int
	gone    bool // deleted or replaced
}

// OpenMemory opens the store of mem: URLs, which is empty.
func OpenMemory(ctx context.Context, c store.Config) (store.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.URL.Host != "" {
		return nil, store.Fail(store.Other, "%s: a mem: URL has no host", redact.URL(c.URL.String())).
			WithHint("write mem:/NAME")
	}
	limit := int64(unknownLimit)
	if free, ok := freeMemory(); ok {
		limit = free / 2
	}
	s := newMemory(c.Block, limit)
	s.flow = c.Flow
	return s, nil
}

func newMemory(block, limit int64) *memoryStore {
	return &memoryStore{block: block, limit: limit, files: map[string]*content{}}
}

// Describe tells that this is no store at all.
func (s *memoryStore) Describe() store.Description {
	return store.Description{
		Client: "memory", Integrity: "none",
		Notes: []string{
			"Data stays in this process's memory: the results measure copying within the process, the limit of Plimsoll itself.",
		},
	}
}

// Check makes sure that there is memory.
func (s *memoryStore) Check(ctx context.Context, path string, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.limit - s.taken + int64(len(s.free))*s.block
	if f := s.files[path]; f != nil {
		left += f.size
	}
	if size > left {
		return tooLarge(path, size, left)
	}
	return nil
}

func tooLarge(path string, size, left int64) *store.Error {
	return store.Fail(store.TooLarge, "%s: %d bytes do not fit: %d bytes are left of half of the free memory",
		path, size, max(0, left)).
		WithHint("use a smaller size, or fewer streams")
}

// Exists reports whether there is a complete file.
func (s *memoryStore) Exists(ctx context.Context, path string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path] != nil, nil
}

// Create begins a file; it is there when it is closed.
func (s *memoryStore) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.remove(path) // before the new one: they need not fit together
	w := &memoryWriter{store: s, path: path, size: size, made: &content{}}
	w.Blocks = store.NewBlocks(ctx, store.BlockPlan{Name: path, Size: size, Block: s.block, Put: w.put})
	return w, nil
}

// Open opens a complete file.
func (s *memoryStore) Open(ctx context.Context, path string) (store.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[path]
	if f == nil {
		return nil, missing(path)
	}
	f.readers++
	return &memoryFile{store: s, path: path, content: f}, nil
}

func missing(path string) *store.Error {
	return store.Fail(store.NoFile, "%s: no such file in memory", path).
		WithHint("files in memory exist only while the process that wrote them runs")
}

// Rename renames a file, and replaces one that is there.
func (s *memoryStore) Rename(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	f := s.files[from]
	s.mu.Unlock()
	if f == nil {
		return missing(from)
	}
	if from == to {
		return nil
	}
	s.remove(to)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, from)
	s.files[to] = f
	return nil
}

// Delete removes a file.
func (s *memoryStore) Delete(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.remove(path)
	return nil
}

// Close gives up the memory.
func (s *memoryStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files, s.free, s.taken = map[string]*content{}, nil, 0
	return nil
}

func (s *memoryStore) remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[path]; f != nil {
		delete(s.files, path)
		f.gone = true
		s.release(f)
	}
}

// release takes the memory back of a file that is gone and that nobody reads. Whole blocks are
// used again: the garbage collector would let the memory grow to twice the limit.
func (s *memoryStore) release(f *content) {
	if !f.gone || f.readers > 0 {
		return
	}
	for _, p := range f.pieces {
		if int64(cap(p)) == s.block {
			s.free = append(s.free, p)
		} else {
			s.taken -= int64(cap(p))
		}
	}
	f.pieces = nil
}

// piece gives memory for n bytes, at most a block.
func (s *memoryStore) piece(path string, n int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		p := s.free[last]
		s.free = s.free[:last]
		return p[:n], nil
	}
	if s.taken+n > s.limit {
		return nil, tooLarge(path, n, s.limit-s.taken)
	}
	s.taken += n
	return make([]byte, n), nil
}
