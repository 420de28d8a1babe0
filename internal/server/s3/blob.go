package s3

import (
	"io"
	"sync/atomic"
)

// blob is data that was received in one request. It does not change. It is freed when the
// last piece that uses it is.
type blob struct {
	size  int64
	users atomic.Int64
	home  *vault

	heap []byte // in memory, if it is small
	at   int64  // in the memory file
	name string // of the file in the directory
}

// piece is a part of a blob.
type piece struct {
	blob   *blob
	offset int64
	size   int64
}

// keep counts one more user of each blob.
func keep(pieces []piece) {
	for _, p := range pieces {
		p.blob.users.Add(1)
	}
}

// drop counts one user less, and frees the blobs that have none left.
func drop(pieces []piece) {
	for _, p := range pieces {
		if p.blob.users.Add(-1) == 0 {
			p.blob.home.free(p.blob)
		}
	}
}

// cut is the part of some pieces from offset on, size bytes long.
func cut(pieces []piece, offset, size int64) []piece {
	var out []piece
	for _, p := range pieces {
		if offset >= p.size {
			offset -= p.size
			continue
		}
		if size <= 0 {
			break
		}
		n := min(p.size-offset, size)
		out = append(out, piece{p.blob, p.offset + offset, n})
		offset, size = 0, size-n
	}
	return out
}

// medium is where the data of blobs is. Its methods are safe for concurrent use.
type medium interface {
	// fill reads the payload to its end and keeps it in the blob.
	fill(b *blob, p *payload) error
	// open gives the bytes of a blob from offset on, as a reader that the kernel can send
	// from where there is one. position is the offset in the object.
	open(b *blob, offset, size, position int64) (io.Reader, func(), error)
	// free gives back what a blob holds; fill may have failed.
	free(b *blob)
	// close gives back everything.
	close() error
}

// vault is a medium whose space is bounded.
type vault struct {
	medium
	memory *space // bounds what the data takes of the memory; nil: nothing
	data   *space // bounds the data, wherever it is
}

// receive makes a blob of a payload.
func (v *vault) receive(p *payload) (*blob, error) {
	if v.memory != nil && !v.memory.take(p.size) {
		return nil, full("The server holds all the data that it may (--memory).")
	}
	if !v.data.take(p.size) {
		v.giveMemory(p.size)
		return nil, full("The server holds all the data that it may (--full).").with("Limit", "full")
	}
	b := &blob{size: p.size, home: v}
	err := v.fill(b, p)
	if err == nil {
		err = p.finish()
	}
	if err != nil {
		v.free(b)
		return nil, err
	}
	b.users.Store(1)
	return b, nil
}

// free gives back a blob and its space.
func (v *vault) free(b *blob) {
	v.medium.free(b)
	v.giveMemory(b.size)
	v.data.give(b.size)
}

func (v *vault) giveMemory(n int64) {
	if v.memory != nil {
		v.memory.give(n)
	}
}
