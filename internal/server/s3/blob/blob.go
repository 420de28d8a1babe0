package blob

import "sync/atomic"

// Blob is data that was received in one request. It does not change. It is freed when the
// last piece that uses it is.
type Blob struct {
	size  int64
	users atomic.Int64
	home  *Vault

	heap []byte // in memory, if it is small
	at   int64  // in the memory file
	name string // of the file in the directory
}

// Size is how many bytes it has.
func (b *Blob) Size() int64 { return b.size }

// Name is its file in a directory, or "".
func (b *Blob) Name() string { return b.name }

// Piece is a part of a blob.
type Piece struct {
	Blob   *Blob
	Offset int64
	Size   int64
}

// All is the piece that is all of the blob.
func (b *Blob) All() []Piece { return []Piece{{b, 0, b.size}} }

// Keep counts one more user of each blob.
func Keep(pieces []Piece) {
	for _, p := range pieces {
		p.Blob.users.Add(1)
	}
}

// Drop counts one user less, and frees the blobs that have none left.
func Drop(pieces []Piece) {
	for _, p := range pieces {
		if p.Blob.users.Add(-1) == 0 {
			p.Blob.home.free(p.Blob)
		}
	}
}

// Cut is the part of some pieces from offset on, size bytes long.
func Cut(pieces []Piece, offset, size int64) []Piece {
	var out []Piece
	for _, p := range pieces {
		if offset >= p.Size {
			offset -= p.Size
			continue
		}
		if size <= 0 {
			break
		}
		n := min(p.Size-offset, size)
		out = append(out, Piece{p.Blob, p.Offset + offset, n})
		offset, size = 0, size-n
	}
	return out
}
