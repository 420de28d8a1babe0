package store

import "testing"

// TestMakeAhead: the memory that a file is written from was filled before, part by part, and is bounded.
func TestMakeAhead(t *testing.T) {
	for _, c := range []struct {
		name                   string
		size, part, block, max int64
		files, pieces          int
	}{
		{"all of it", 35, 10, 10, 1000, 1, 4},
		{"as much as is used at once", 1000, 10, 10, 1000, 1, 6},
		{"of several files", 35, 10, 10, 1000, 3, 12},
		{"as much as may be", 1000, 10, 10, 35, 1, 3},
		{"a small file", 7, 10, 10, 1000, 2, 2},
		{"an empty one", 0, 10, 10, 1000, 2, 0},
	} {
		slabs := NewSlabs(c.part)
		var filled []int64
		slabs.MakeAhead(Ahead{Size: c.size, Files: c.files, Most: c.max, Fill: func(p []byte, at int64) {
			filled = append(filled, at)
			if at+int64(len(p)) > c.size {
				t.Errorf("%s: %d bytes at %d", c.name, len(p), at)
			}
			for i := range p {
				p[i] = byte(at/c.part) + 1
			}
		}}, c.part, c.block, 2)
		if len(filled) != c.pieces || len(slabs.free) != c.pieces || slabs.made != c.pieces {
			t.Errorf("%s: %d pieces were filled, %d made, %d are free; want %d", c.name, len(filled), slabs.made,
				len(slabs.free), c.pieces)
		}
		w := NewPartWriter(t.Context(), &lab{}, slabs, c.size, c.part, c.block, 2)
		for part := range min(c.pieces/c.files, 3) {
			pieces, err := w.Reserve(t.Context(), int(min(c.part, c.size-int64(part)*c.part)))
			if err != nil || pieces[0][0] != byte(part)+1 {
				t.Errorf("%s: part %d is not what was made for it: %v", c.name, part, err)
			}
		}
		if err := w.Abort(t.Context()); err != nil || slabs.made != c.pieces {
			t.Errorf("%s: %d pieces were made in the end, %v", c.name, slabs.made, err)
		}
	}
}
