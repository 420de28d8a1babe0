package content

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// reference makes a file page by page, in the simplest way.
func reference(c *File, size int64) []byte {
	var b bytes.Buffer
	for page := int64(0); page*PageSize < size; page++ {
		whole := bytes.Clone(c.data[page*PageSize%int64(len(c.data)):][:PageSize])
		c.writeStamp(whole, page)
		b.Write(whole)
	}
	return b.Bytes()[:size]
}

// TestPatternsDoNotChange as they are: a file that an earlier version wrote is known again, and read in another process.
func TestPatternsDoNotChange(t *testing.T) {
	for kind, want := range map[string]string{
		Random: "8388608 bytes, b36031d9a4233341dda0b34a690673fbfc19080af637f64a42de6da767eb31a4, " +
			"01020304050607080000000000000003a432bb3bb5c52824d05fe7a1460c5ad0646f1bce63564380",
		Text: "1048576 bytes, 84749312365c7bd36ecd09a2b502975824e41acda80c52e91079d160f659323f, " +
			"3031303230333034303530363037303830303030303030303030303030303033686172626f757220",
		Zero: "4096 bytes, ad7facb2586fc6e966c004d7d1d16b024f5805ff7cb47c7a85dabd8b48892ca7, " +
			"01020304050607080000000000000003000000000000000000000000000000000000000000000000",
	} {
		p := NewPattern(kind)
		begins := make([]byte, 40)
		(&File{p, 0x0102030405060708, 1 << 40}).Fill(begins, 3*4096)
		if got := fmt.Sprintf("%d bytes, %x, %x", len(p.data), sha256.Sum256(p.data), begins); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// TestFillReusesMemory fills the same memory for file after file, in pieces of random
// lengths, and compares with a file that was made at once.
func TestFillReusesMemory(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range []string{Random, Text, Zero} {
		p := NewPattern(kind)
		p.data = p.data[:min(len(p.data), 8*PageSize)]
		for range 300 {
			// Of one run: files of one size, in parts of one size, memory that comes back.
			size := 1 + r.Int64N(40*PageSize)
			part := 1 + r.Int64N(12*PageSize)
			if r.IntN(2) == 0 {
				part = (1 + r.Int64N(12)) * PageSize
			}
			memory := [][]byte{make([]byte, part), make([]byte, part), make([]byte, part)}
			for file := range 6 {
				c := &File{p, 7<<32 | uint64(file), size}
				want := reference(c, size)
				for at := int64(0); at < size; {
					m := memory[r.IntN(len(memory))][:min(part, size-at)]
					for from := 0; from < len(m); {
						n := 1 + r.IntN(len(m)-from)
						if r.IntN(2) == 0 {
							n = len(m) - from
						}
						c.Fill(m[from:from+n], at+int64(from))
						from += n
					}
					if !bytes.Equal(m, want[at:at+int64(len(m))]) {
						t.Fatalf("%s: seed %d: file %d of %d bytes in parts of %d is wrong at %d",
							kind, seed, file, size, part, at)
					}
					if wrong := c.Compare(m, at); wrong >= 0 {
						t.Fatalf("%s: byte %d is right and was called wrong", kind, wrong)
					}
					at += int64(len(m))
				}
			}
		}
	}
}

// TestCompareFindsEveryByte flips each byte of some pages.
func TestCompareFindsEveryByte(t *testing.T) {
	for _, kind := range []string{Random, Text, Zero} {
		c := &File{NewPattern(kind), 99, 3 * PageSize}
		file := reference(c, c.Size)
		for i := range file {
			file[i] ^= 1
			if got := c.Compare(file[100:], 100); i >= 100 && got != int64(i) || i < 100 && got != -1 {
				t.Fatalf("%s: byte %d: found %d", kind, i, got)
			}
			file[i] ^= 1
		}
	}
}

// TestPagesAreUnique is what keeps a store from storing less than it is given.
func TestPagesAreUnique(t *testing.T) {
	for _, kind := range []string{Random, Text, Zero} {
		seen := map[string]bool{}
		p := NewPattern(kind)
		for file := range uint64(3) {
			b := make([]byte, 600*PageSize)
			(&File{p, file, int64(len(b))}).Fill(b, 0)
			for at := 0; at < len(b); at += PageSize {
				page := string(b[at : at+PageSize])
				if seen[page] {
					t.Fatalf("%s: page %d of file %d was there before", kind, at/PageSize, file)
				}
				seen[page] = true
			}
		}
	}
}

func TestRecognise(t *testing.T) {
	all := []*Pattern{NewPattern(Random), NewPattern(Text), NewPattern(Zero)}
	for _, p := range all {
		c := &File{p, 1234567, 100}
		if found, ok := Recognise(reference(c, 100), 100, all); !ok || found.kind != p.kind || found.Tag != c.Tag {
			t.Errorf("%s: not recognised", p.kind)
		}
	}
	for _, start := range [][]byte{nil, {1}, make([]byte, 15), bytes.Repeat([]byte("x"), 5000),
		append(make([]byte, 17), 5)} {
		if c, ok := Recognise(start, int64(len(start)), all); ok {
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
			c := &File{NewPattern(Random), 1 << 32, 1 << 40}
			b.SetBytes(int64(len(memory)))
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if !again {
					c.Tag += 1 << 32
				}
				c.Fill(memory, i*2*int64(len(memory)))
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	memory := make([]byte, 8<<20)
	c := &File{NewPattern(Random), 1 << 32, 1 << 40}
	c.Fill(memory, 0)
	b.SetBytes(int64(len(memory)))
	b.ReportAllocs()
	for b.Loop() {
		if c.Compare(memory, 0) >= 0 {
			b.Fatal("not the same")
		}
	}
}
