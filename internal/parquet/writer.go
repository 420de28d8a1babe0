package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Kind is what the values of a column are.
type Kind int

// The kinds of columns.
const (
	Integer      Kind = iota // INT64
	Microseconds             // since 1970, in UTC: TIMESTAMP(MICROS, UTC)
	Text                     // UTF-8: STRING
)

// Column is a column of the table.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // values may be absent
}

const (
	// RowsPerGroup is how many rows a row group has at most. Programs read a group at a time and in parallel; DuckDB
	// writes groups of this size.
	RowsPerGroup = 122_880
	// textPerGroup bounds the texts of a group, in bytes: a group with long ones has fewer rows.
	textPerGroup = 16 << 20

	magic = "PAR1"
)

// Writer writes one table. The values of a row are set in any order, each by the number of its column, and then the row
// is ended. After an error it does nothing but return it.
type Writer struct {
	out     io.Writer
	at      int64
	columns []Column
	values  []values
	groups  []group
	rows    int64 // of the groups before this one
	inGroup int
	texts   int // bytes of the texts in this group
	pack    *zstd.Encoder
	packed  []byte
	err     error
}

// values are those of a column in the group that is being made.
type values struct {
	present  []bool // of an optional column
	set      bool   // in this row
	integers []int64
	// Of texts: the number of each in the order in which they first came, and what the texts are.
	numbers []uint32
	number  map[string]uint32
	texts   []string
}

// New begins a table.
func New(out io.Writer, columns []Column) (*Writer, error) {
	if len(columns) == 0 {
		return nil, errors.New("a table without a column")
	}
	// One goroutine: what is packed is small.
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, columns: columns, values: make([]values, len(columns)), pack: pack}
	for i := range w.values {
		w.values[i].number = map[string]uint32{}
	}
	w.write([]byte(magic))
	return w, w.err
}

// Integer sets the value of a column of integers or moments in this row.
func (w *Writer) Integer(column int, v int64) {
	c := &w.values[column]
	c.integers, c.set = append(c.integers, v), true
}

// Text sets the value of a column of texts in this row.
func (w *Writer) Text(column int, v []byte) {
	c := &w.values[column]
	n, known := c.number[string(v)]
	if !known {
		n = uint32(len(c.texts))
		text := string(v)
		c.number[text] = n
		c.texts = append(c.texts, text)
		w.texts += len(v)
	}
	c.numbers, c.set = append(c.numbers, n), true
}

// EndRow ends a row. What was not set is absent, which is an error unless the column is optional.
func (w *Writer) EndRow() error {
	for i := range w.values {
		c := &w.values[i]
		if !c.set && !w.columns[i].Optional && w.err == nil {
			w.err = fmt.Errorf("a row without %s", w.columns[i].Name)
		}
		if w.columns[i].Optional {
			c.present = append(c.present, c.set)
		}
		c.set = false
	}
	w.inGroup++
	if w.inGroup == RowsPerGroup || w.texts >= textPerGroup {
		w.endGroup()
	}
	return w.err
}

// Close writes the rest of the table, and its end.
func (w *Writer) Close() error {
	if w.inGroup > 0 {
		w.endGroup()
	}
	end := footer(w.columns, w.groups, w.rows)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(end)))
	w.write(append(end, magic...))
	return errors.Join(w.err, w.pack.Close())
}

func (w *Writer) write(p []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(p)
	w.at, w.err = w.at+int64(n), err
}

func (w *Writer) endGroup() {
	g := group{rows: int64(w.inGroup)}
	for i := range w.columns {
		g.chunks = append(g.chunks, w.chunk(&w.columns[i], &w.values[i]))
	}
	w.groups = append(w.groups, g)
	w.rows += g.rows
	w.inGroup, w.texts = 0, 0
}

// chunk writes the pages of a column in this group, and forgets its values.
func (w *Writer) chunk(column *Column, v *values) chunk {
	c := chunk{column: column, values: int64(w.inGroup)}
	var page []byte
	if column.Optional {
		levels := make([]uint32, len(v.present))
		for i, there := range v.present {
			if there {
				levels[i] = 1
			} else {
				c.nulls++
			}
		}
		runs := hybrid(nil, levels, 1)
		page = binary.LittleEndian.AppendUint32(page, uint32(len(runs)))
		page = append(page, runs...)
	}
	if column.Kind != Text {
		for i, n := range v.integers {
			page = plainInteger(page, n)
			if i == 0 {
				c.limits, c.least, c.most = true, n, n
			}
			c.least, c.most = min(c.least, n), max(c.most, n)
		}
		c.data = w.page(&c, pageData, page, w.inGroup, encodingPlain)
	} else {
		var dictionary []byte
		for _, text := range v.texts {
			dictionary = binary.LittleEndian.AppendUint32(dictionary, uint32(len(text)))
			dictionary = append(dictionary, text...)
		}
		c.dictionary = w.page(&c, pageDictionary, dictionary, len(v.texts), encodingPlain)
		width := bits.Len(uint(max(1, len(v.texts)-1))) // at least one: readers do not expect none
		page = append(page, byte(width))
		page = hybrid(page, v.numbers, width)
		c.data = w.page(&c, pageData, page, w.inGroup, encodingRLEDictionary)
	}
	clear(v.number)
	v.present, v.integers, v.numbers, v.texts = v.present[:0], v.integers[:0], v.numbers[:0], v.texts[:0]
	return c
}

// page writes a page of a chunk, and says where it is.
func (w *Writer) page(c *chunk, kind int32, content []byte, values int, encoding int32) int64 {
	at := w.at
	w.packed = w.pack.EncodeAll(content, w.packed[:0])
	header := pageHeader(kind, len(content), len(w.packed), values, encoding)
	w.write(header)
	w.write(w.packed)
	c.packed += int64(len(header) + len(w.packed))
	c.unpacked += int64(len(header) + len(content))
	return at
}

func plainInteger(out []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint64(out, uint64(v))
}

// hybrid appends numbers of so many bits in the format's mixture of runs and packed groups: as one run where all are
// the same, which only levels or the numbers of a single text are, so that they have one bit; else packed. Zstandard
// finds the runs.
func hybrid(out []byte, numbers []uint32, width int) []byte {
	same := true
	for _, n := range numbers {
		same = same && n == numbers[0]
	}
	if len(numbers) > 0 && same {
		out = binary.AppendUvarint(out, uint64(len(numbers))<<1)
		return append(out, byte(numbers[0]))
	}
	groups := (len(numbers) + 7) / 8
	out = binary.AppendUvarint(out, uint64(groups)<<1|1)
	packed, filled := uint64(0), 0
	for i := range groups * 8 {
		if i < len(numbers) {
			packed |= uint64(numbers[i]) << filled
		}
		for filled += width; filled >= 8; filled -= 8 {
			out = append(out, byte(packed))
			packed >>= 8
		}
	}
	return out
}
