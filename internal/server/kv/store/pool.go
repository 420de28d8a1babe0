package store

import (
	"errors"
	"sync"
	"unsafe"
)

const (
	pageSize  = 16 << 10
	pageSlots = pageSize / 8
	// chunkSize is what is asked of the system at once. Huge pages under it were tried: no faster,
	// and a batch waited up to 50 ms for one to be cleared.
	chunkSize = 2 << 20
)

// ErrFull says that a row was not taken because the store may not take more memory.
var ErrFull = errors.New("the memory limit for keys and values is reached")

// pool hands out pages of memory outside of Go's heap.
type pool struct {
	limit int64 // bytes in use at most; 0: no limit

	mu     sync.Mutex
	idle   [][]byte // pages that were given back
	chunk  []byte   // what is left of the last chunk
	chunks [][]byte // all that was taken from the system
	used   int64    // bytes handed out
}

// page gives a page. What is in it is anything.
func (p *pool) page() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && p.used+pageSize > p.limit {
		return nil, ErrFull
	}
	if n := len(p.idle); n > 0 {
		page := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.used += pageSize
		return page, nil
	}
	if len(p.chunk) == 0 {
		chunk, err := allocate(chunkSize)
		if err != nil {
			return nil, errors.Join(ErrFull, err)
		}
		p.chunk = chunk
		p.chunks = append(p.chunks, chunk)
	}
	page := p.chunk[:pageSize:pageSize]
	p.chunk = p.chunk[pageSize:]
	p.used += pageSize
	return page, nil
}

func (p *pool) giveBack(page []byte) {
	p.mu.Lock()
	p.idle = append(p.idle, page)
	p.used -= pageSize
	p.mu.Unlock()
}

// large gives memory of any size, from Go's heap.
func (p *pool) large(size int) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && p.used+int64(size) > p.limit {
		return nil, ErrFull
	}
	p.used += int64(size)
	return make([]byte, size), nil
}

func (p *pool) giveBackLarge(size int) {
	p.mu.Lock()
	p.used -= int64(size)
	p.mu.Unlock()
}

func (p *pool) inUse() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// close gives all pages back to the system. Nothing may use them any more.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.chunks {
		release(c)
	}
	p.chunks, p.chunk, p.idle, p.used = nil, nil, nil, 0
}

// slotsOf sees a page as slots of an index, all of them empty. Pages are aligned to more than a
// slot needs.
func slotsOf(page []byte) []uint64 {
	slots := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(page))), len(page)/8)
	clear(slots)
	return slots
}
