package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/parquet"
)

func columns() []parquet.Column {
	return []parquet.Column{
		{Name: "at", Kind: parquet.Microseconds}, {Name: "n", Kind: parquet.Integer},
		{Name: "maybe", Kind: parquet.Integer, Optional: true}, {Name: "text", Kind: parquet.Text},
		{Name: "perhaps", Kind: parquet.Text, Optional: true},
	}
}

func write(t testing.TB, rows [][]any) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := parquet.New(&out, columns())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for i, v := range row {
			switch v := v.(type) {
			case int64:
				w.Integer(i, v)
			case string:
				w.Text(i, []byte(v))
			}
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRoundTrip: what was written is read, of any number of rows, texts and absent values.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 7, 8, 9, 600, parquet.RowsPerGroup + 1} {
		for _, texts := range []int{1, 2, 3, 255, 256, 257} {
			if n > 600 && texts != 257 {
				continue
			}
			var want [][]any
			for range n {
				row := []any{random.Int64(), int64(random.Uint64()), nil, fmt.Sprint(random.IntN(texts)), nil}
				if random.IntN(3) > 0 {
					row[2] = int64(random.IntN(3))
				}
				if random.IntN(2) > 0 {
					row[4] = strings.Repeat("é", random.IntN(4))
				}
				want = append(want, row)
			}
			if got := read(write(t, want)).rows; !slices.EqualFunc(got, want, slices.Equal[[]any]) {
				t.Fatalf("seed %d, %d rows of %d texts: %.2000s", seed, n, texts, cmp.Diff(want, got))
			}
		}
	}
}

// TestLimits: what other programs leave row groups out by, at the ends of what a number can be.
func TestLimits(t *testing.T) {
	file := read(write(t, [][]any{
		{int64(5), int64(math.MinInt64), nil, "a", nil}, {int64(4), int64(math.MaxInt64), int64(7), "a", nil},
	}))
	chunks := file.groups[0][1].([]thing)
	for column, want := range [][3]any{
		{int64(0), "\x05\x00\x00\x00\x00\x00\x00\x00", "\x04\x00\x00\x00\x00\x00\x00\x00"},
		{int64(0), "\xff\xff\xff\xff\xff\xff\xff\x7f", "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{int64(1), "\x07\x00\x00\x00\x00\x00\x00\x00", "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{int64(0), nil, nil}, {int64(2), nil, nil},
	} {
		s := chunks[column].(fields)[3].(fields)[12].(fields)
		if got := [3]any{s[3], s[5], s[6]}; got != want {
			t.Errorf("column %d: nulls, most and least are %q, want %q", column, got, want)
		}
	}
}

// TestErrors: a row without a value, and a disk that is full, end the table.
func TestErrors(t *testing.T) {
	w, err := parquet.New(&bytes.Buffer{}, columns())
	if err != nil {
		t.Fatal(err)
	}
	w.Integer(0, 1)
	if err := w.EndRow(); err == nil || w.Close() == nil {
		t.Errorf("a row without n: %v", err)
	}
	full := errors.New("full")
	whole := len(write(t, [][]any{{int64(1), int64(1), nil, "", nil}}))
	for size := range whole + 1 {
		w, err := parquet.New(&limited{left: size, err: full}, columns())
		if err == nil {
			w.Integer(0, 1)
			w.Integer(1, 1)
			w.Text(3, nil)
			err = errors.Join(w.EndRow(), w.Close())
		}
		if errors.Is(err, full) != (size < whole) {
			t.Fatalf("a disk of %d bytes: %v", size, err)
		}
	}
	if _, err := parquet.New(&bytes.Buffer{}, nil); err == nil {
		t.Error("a table without columns")
	}
}

type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n := l.left
		l.left = 0
		return n, l.err
	}
	l.left -= len(p)
	return len(p), nil
}

func BenchmarkRow(b *testing.B) {
	w, err := parquet.New(&bytes.Buffer{}, columns())
	if err != nil {
		b.Fatal(err)
	}
	text := []byte("GET /")
	for b.Loop() {
		w.Integer(0, 1)
		w.Integer(1, 1)
		w.Text(3, text)
		_ = w.EndRow()
	}
}
