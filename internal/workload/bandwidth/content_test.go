package bandwidth

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// reference makes a file page by page, in the simplest way.
func reference(c *content, size int64) []byte {
	var b bytes.Buffer
	for page := int64(0); page*pageSize < size; page++ {
		whole := bytes.Clone(c.data[page*pageSize%int64(len(c.data)):][:pageSize])
		c.writeStamp(whole, page)
		b.Write(whole)
	}
	return b.Bytes()[:size]
}

// TestMemoryIsUsedAgain fills the same memory for file after file, in pieces of random
// lengths, and compares with a file that was made at once.
func TestMemoryIsUsedAgain(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range []string{DataRandom, DataText, DataZero} {
		p := newPattern(kind)
		p.data = p.data[:min(len(p.data), 8*pageSize)]
		for range 300 {
			// Of one run: files of one size, in parts of one size, memory that comes back.
			size := 1 + r.Int64N(40*pageSize)
			part := 1 + r.Int64N(12*pageSize)
			if r.IntN(2) == 0 {
				part = (1 + r.Int64N(12)) * pageSize
			}
			memory := [][]byte{make([]byte, part), make([]byte, part), make([]byte, part)}
			for file := range 6 {
				c := &content{p, 7<<32 | uint64(file), size}
				want := reference(c, size)
				for at := int64(0); at < size; {
					m := memory[r.IntN(len(memory))][:min(part, size-at)]
					for from := 0; from < len(m); {
						n := 1 + r.IntN(len(m)-from)
						if r.IntN(2) == 0 {
							n = len(m) - from
						}
						c.fill(m[from:from+n], at+int64(from))
						from += n
					}
					if !bytes.Equal(m, want[at:at+int64(len(m))]) {
						t.Fatalf("%s: seed %d: file %d of %d bytes in parts of %d is wrong at %d",
							kind, seed, file, size, part, at)
					}
					if wrong := c.compare(m, at); wrong >= 0 {
						t.Fatalf("%s: byte %d is right and was called wrong", kind, wrong)
					}
					at += int64(len(m))
				}
			}
		}
	}
}

// TestATailThatEndsWithinItsStamp leaves a stamp that is partly another's, or nobody's.
func TestATailThatEndsWithinItsStamp(t *testing.T) {
	for _, kind := range []string{DataRandom, DataText, DataZero} {
		p := newPattern(kind)
		pages := int64(len(p.data) / pageSize)
		for tail := int64(1); tail <= 2*stampBytes+1; tail++ {
			for _, before := range []int64{-1, 0, 5, 0x105} { // the page that was in this memory; −1 for none
				for _, next := range []int64{0, 5, 0x105, 0x205} {
					c, memory := &content{p, 7 << 32, 0x210*pageSize + tail}, make([]byte, pageSize)
					if before >= 0 {
						c.fill(memory, before*pageSize)
					}
					c.fill(memory[:tail], 0x210*pageSize)
					c.tag++
					if c.fill(memory, next*pageSize); c.compare(memory, next*pageSize) >= 0 {
						t.Errorf("%s: page %d after a tail of %d bytes over page %d is wrong", kind, next, tail, before)
					}
				}
			}
		}
		seen := map[string]bool{string(make([]byte, proof)): true}
		for at := int64(0); at < pages && kind != DataZero; at++ {
			key := string(p.data[at*pageSize+int64(p.stamp):][:proof])
			if seen[key] {
				t.Errorf("%s: what is behind the stamp of page %d does not tell it from another, or from nothing",
					kind, at)
			}
			seen[key] = true
		}
	}
}

// TestEveryByteIsCompared flips each byte of some pages.
func TestEveryByteIsCompared(t *testing.T) {
	for _, kind := range []string{DataRandom, DataText, DataZero} {
		c := &content{newPattern(kind), 99, 3 * pageSize}
		file := reference(c, c.size)
		for i := range file {
			file[i] ^= 1
			if got := c.compare(file[100:], 100); i >= 100 && got != int64(i) || i < 100 && got != -1 {
				t.Fatalf("%s: byte %d: found %d", kind, i, got)
			}
			file[i] ^= 1
		}
	}
}

// TestNoPageTwice is what keeps a store from storing less than it is given.
func TestNoPageTwice(t *testing.T) {
	for _, kind := range []string{DataRandom, DataText, DataZero} {
		seen := map[string]bool{}
		p := newPattern(kind)
		for file := range uint64(3) {
			b := make([]byte, 600*pageSize)
			(&content{p, file, int64(len(b))}).fill(b, 0)
			for at := 0; at < len(b); at += pageSize {
				page := string(b[at : at+pageSize])
				if seen[page] {
					t.Fatalf("%s: page %d of file %d was there before", kind, at/pageSize, file)
				}
				seen[page] = true
			}
		}
	}
}

func TestRecognise(t *testing.T) {
	all := []*pattern{newPattern(DataRandom), newPattern(DataText), newPattern(DataZero)}
	for _, p := range all {
		c := &content{p, 1234567, 100}
		if found, ok := recognise(reference(c, 100), 100, all); !ok || found.kind != p.kind || found.tag != c.tag {
			t.Errorf("%s: not recognised", p.kind)
		}
	}
	for _, start := range [][]byte{nil, {1}, make([]byte, 15), bytes.Repeat([]byte("x"), 5000),
		append(make([]byte, 17), 5)} {
		if c, ok := recognise(start, int64(len(start)), all); ok {
			t.Errorf("%.20q is not of this program, and was taken as %s", start, c.kind)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	for _, again := range []bool{false, true} {
		name := "first"
		if again {
			name = "again"
		}
		b.Run(name, func(b *testing.B) {
			memory := make([]byte, 8<<20)
			c := &content{newPattern(DataRandom), 1 << 32, 1 << 40}
			b.SetBytes(int64(len(memory)))
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if !again {
					c.tag += 1 << 32
				}
				c.fill(memory, i*2*int64(len(memory)))
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	memory := make([]byte, 8<<20)
	c := &content{newPattern(DataRandom), 1 << 32, 1 << 40}
	c.fill(memory, 0)
	b.SetBytes(int64(len(memory)))
	b.ReportAllocs()
	for b.Loop() {
		if c.compare(memory, 0) >= 0 {
			b.Fatal("not the same")
		}
	}
}
