package blob

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

// text is a source; wrong is what it says at its end.
type text struct {
	data  []byte
	wrong error
}

func (s *text) Size() int64 { return int64(len(s.data)) }

func (s *text) ReadInto(memory []byte) error {
	copy(memory, s.data)
	s.data = s.data[len(memory):]
	return nil
}

func (s *text) Finish() error { return s.wrong }

// noise is as long as several pieces.
func noise(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i % 251)
	}
	return data
}

// sized knows how much it has before any of it is read.
type sized struct {
	text
	size int64
}

func (s *sized) Size() int64 { return s.size }

func source(data []byte, wrong error) Source { return &sized{text{data, wrong}, int64(len(data))} }

func read(t *testing.T, v *Vault, pieces []Piece) []byte {
	t.Helper()
	var out bytes.Buffer
	position := int64(0)
	for _, p := range pieces {
		r, done, err := v.Open(p, position)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.ReadFrom(io.LimitReader(r, p.Size)); err != nil {
			t.Fatal(err)
		}
		done()
		position += p.Size
	}
	return out.Bytes()
}

// TestVaults: what a vault has received comes out again, whole and in parts, and its space is given
// back with the last user.
func TestVaults(t *testing.T) {
	var data, memory Space
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	held, err := InMemory(&data, &memory)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*Vault{"memory": held, "directory": InDirectory(root, &data), "heap": {heap{}, &memory, &data}} {
		for _, size := range []int{0, 1, 5, smallSize, PieceSize + 1, 3*PieceSize + 17} {
			want := noise(size)
			b, err := v.Receive(source(want, nil))
			if err != nil {
				t.Fatal(err)
			}
			whole := b.All()
			if got := read(t, v, whole); !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes are %d others", name, size, len(got))
			}
			from, n := int64(size/3), int64(size/2)
			if got := read(t, v, Cut(whole, from, n)); !bytes.Equal(got, want[from:from+n]) {
				t.Errorf("%s: %d bytes from %d of %d are %d others", name, n, from, size, len(got))
			}
			Keep(whole)
			Drop(whole)
			if data.Used() != int64(size) {
				t.Errorf("%s: %d bytes are taken while %d are used", name, data.Used(), size)
			}
			Drop(whole)
			if data.Used() != 0 || memory.Used() != 0 {
				t.Errorf("%s: %d and %d bytes are taken, and nobody uses them", name, data.Used(), memory.Used())
			}
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// smallSize is below what is worth a place of its own in a file.
const smallSize = 20 << 10

// TestRefusedBlobsLeaveNothing leaves nothing behind.
func TestRefusedBlobsLeaveNothing(t *testing.T) {
	data, memory := Space{Limit: 10}, Space{Limit: 8}
	v, err := InMemory(&data, &memory)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	wrong := errors.New("another checksum")
	if _, err := v.Receive(source(noise(5), wrong)); !errors.Is(err, wrong) {
		t.Error(err)
	}
	for _, size := range []int{9, 11} {
		if _, err := v.Receive(source(noise(size), nil)); err == nil {
			t.Errorf("%d bytes were taken", size)
		}
	}
	memory.Limit = 0
	if _, err := v.Receive(source(noise(11), nil)); err == nil {
		t.Error("11 bytes were taken")
	}
	if data.Used() != 0 || memory.Used() != 0 {
		t.Errorf("%d and %d bytes are taken", data.Used(), memory.Used())
	}
}
