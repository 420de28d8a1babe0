package blob

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// Source is data on its way in. Its methods are called by one goroutine.
type Source interface {
	// Size is how many bytes it has.
	Size() int64
	// ReadInto fills memory with the next of them.
	ReadInto(memory []byte) error
	// Finish says, when all was read, whether it is what it should be.
	Finish() error
}

// drain reads all data through a buffer and hands it over piece by piece.
func drain(src Source, buffer []byte, use func([]byte) error) error {
	for left := src.Size(); left > 0; {
		// Several reads make a piece, so that what follows is done less often.
		piece := buffer[:min(int64(len(buffer)), left)]
		if err := src.ReadInto(piece); err != nil {
			return err
		}
		if use != nil {
			if err := use(piece); err != nil {
				return err
			}
		}
		left -= int64(len(piece))
	}
	return nil
}

// medium is where the data of blobs is. Its methods are safe for concurrent use.
type medium interface {
	// fill reads the data to its end and keeps it in the blob.
	fill(b *Blob, src Source) error
	// open gives the bytes of a blob from offset on, as a reader that the kernel can send
	// from where there is one. position is the offset in the object.
	open(b *Blob, offset, size, position int64) (io.Reader, func(), error)
	// free gives back what a blob holds; fill may have failed.
	free(b *Blob)
	// close gives back everything.
	close() error
}

// Vault is a medium whose space is bounded.
type Vault struct {
	medium medium
	memory *Space // bounds what the data takes of the memory; nil: nothing
	data   *Space // bounds the data, wherever it is
}

// InMemory is a vault whose data is in memory.
func InMemory(data, memory *Space) (*Vault, error) {
	m, err := newMemory()
	return &Vault{medium: m, memory: memory, data: data}, err
}

// InDirectory is one whose data is in files below root, which it closes.
func InDirectory(root *os.Root, data *Space) *Vault {
	return &Vault{medium: &directory{root: root}, data: data}
}

// Discarding is one that keeps nothing.
func Discarding(data *Space) (*Vault, error) {
	m, err := newPattern()
	return &Vault{medium: m, data: data}, err
}

// Found makes a blob of a file of the directory that was there before, which has no user yet.
func (v *Vault) Found(name string, size int64) *Blob {
	v.data.Note(size)
	return &Blob{size: size, home: v, name: name}
}

// Open reads a piece, as a reader that the kernel can send from where there is one; NextRun takes
// that apart. position is the piece's offset in the object. Who has read calls done.
func (v *Vault) Open(p Piece, position int64) (r io.Reader, done func(), err error) {
	return v.medium.open(p.Blob, p.Offset, p.Size, position)
}

// Close gives back everything.
func (v *Vault) Close() error { return v.medium.close() }

// Receive makes a blob of data, with one user.
func (v *Vault) Receive(src Source) (*Blob, error) {
	if v.memory != nil && !v.memory.Take(src.Size()) {
		return nil, refusal.Full("The server has reached its data limit (--memory).")
	}
	if !v.data.Take(src.Size()) {
		v.giveMemory(src.Size())
		return nil, refusal.Full("The server has reached its data limit (--full).").With("Limit", "full")
	}
	b := &Blob{size: src.Size(), home: v}
	err := v.medium.fill(b, src)
	if err == nil {
		err = src.Finish()
	}
	if err != nil {
		v.free(b)
		return nil, err
	}
	b.users.Store(1)
	return b, nil
}

// free gives back a blob and its space.
func (v *Vault) free(b *Blob) {
	v.medium.free(b)
	v.giveMemory(b.size)
	v.data.Give(b.size)
}

func (v *Vault) giveMemory(n int64) {
	if v.memory != nil {
		v.memory.Give(n)
	}
}
