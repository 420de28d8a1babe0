package parquet_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What parquet.thrift, the definition of the format, calls these numbers.
var (
	int64Type, byteArray                int32 = 2, 6
	required, optional                  int32 = 0, 1
	utf8, timestampMicros               int32 = 0, 10
	plain, rle, rleDictionary           int32 = 0, 3, 8
	zstandard                           int32 = 6
	dataPage, dictionaryPage            int32 = 0, 2
	typeDefinedOrder, stringType, micro       = fields{1: fields{}}, fields{1: fields{}}, fields{2: fields{}}
)

// schemaOf is the schema of columns(), by parquet.thrift: the type, the repetition, the name, and what is meant by it.
func schemaOf() []thing {
	moment := fields{8: fields{1: true, 2: micro}} // TIMESTAMP, in UTC
	return []thing{
		fields{4: "schema", 5: int32(5)},
		fields{1: int64Type, 3: required, 4: "at", 6: timestampMicros, 10: moment},
		fields{1: int64Type, 3: required, 4: "n"},
		fields{1: int64Type, 3: optional, 4: "maybe"},
		fields{1: byteArray, 3: required, 4: "text", 6: utf8, 10: stringType},
		fields{1: byteArray, 3: optional, 4: "perhaps", 6: utf8, 10: stringType},
	}
}

// groupOf is what the end of a file has to say of a group that has these rows, and whose pages begin with the first of
// those given; and the pages that follow.
func groupOf(t *testing.T, rows [][]any, pages []page) (fields, []page) {
	t.Helper()
	first, all, unpackedOfAll := pages[0].at, int64(0), int64(0)
	var chunks []thing
	for column, schema := range schemaOf()[1:] {
		schema := schema.(fields)
		text := schema[1] == byteArray
		texts, nulls, least, most := map[any]bool{}, int64(0), any(nil), any(nil)
		for _, row := range rows {
			switch v := row[column].(type) {
			case nil:
				nulls++
			case string:
				texts[v] = true
			case int64:
				if least == nil || v < least.(int64) {
					least = v
				}
				if most == nil || v > most.(int64) {
					most = v
				}
			}
		}
		meta := fields{1: schema[1], 2: []thing{plain, rle}, 3: []thing{schema[4]}, 4: zstandard, 5: int64(len(rows))}
		statistics := fields{3: nulls}
		if most != nil {
			statistics[5], statistics[6] = bytesOf(most), bytesOf(least)
		}
		meta[12] = statistics
		of, begins := 1, pages[0].at
		encoding := plain
		if text {
			of, encoding, meta[11] = 2, rleDictionary, begins
			meta[2] = append(meta[2].([]thing), rleDictionary)
			want := fields{1: int32(len(texts)), 2: plain}
			if h := pages[0].header; h[1] != dictionaryPage || cmp.Diff(fields{7: want}, without(h, 1, 2, 3)) != "" {
				t.Errorf("the page of texts of column %d: %v", column, h)
			}
		}
		data := pages[of-1]
		meta[9] = data.at
		want := fields{1: int32(len(rows)), 2: encoding, 3: rle, 4: rle}
		if h := data.header; h[1] != dataPage || cmp.Diff(fields{5: want}, without(h, 1, 2, 3)) != "" {
			t.Errorf("the page of column %d: %v", column, h)
		}
		packed, unpacked := int64(0), int64(0)
		for _, p := range pages[:of] {
			packed += p.end - p.at
			unpacked += p.end - p.at - int64(p.header[3].(int32)) + int64(len(p.content))
		}
		meta[6], meta[7] = unpacked, packed
		all, unpackedOfAll = all+packed, unpackedOfAll+unpacked
		chunks = append(chunks, fields{2: begins, 3: meta})
		pages = pages[of:]
	}
	return fields{1: chunks, 2: unpackedOfAll, 3: int64(len(rows)), 5: first, 6: all}, pages
}

func bytesOf(v any) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(v.(int64))))
}

func without(f fields, keys ...int) fields {
	out := fields{}
	for k, v := range f {
		if !slices.Contains(keys, k) {
			out[k] = v
		}
	}
	return out
}

// TestEnd: all that the end of a file says, and the headers of its pages, follows from the rows and from where the pages
// were found, in the words of parquet.thrift; and so does how many rows each group has.
func TestEnd(t *testing.T) {
	const group = 122_880
	few := [][]any{{int64(5), int64(-3), nil, "a", nil}, {int64(4), int64(9), int64(7), "b", "x"}, {int64(6), int64(0), nil, "a", nil}}
	many := func(n int) (rows [][]any) {
		for i := range n {
			rows = append(rows, []any{int64(i), int64(-i), nil, few[i%3][3], few[i%3][4]})
		}
		return rows
	}
	for _, test := range []struct {
		rows   [][]any
		groups []int
	}{{nil, nil}, {few[:1], []int{1}}, {few, []int{3}}, {many(group), []int{group}}, {many(group + 2), []int{group, 2}}} {
		file := read(write(t, test.rows))
		pages, rows, groups := file.pages, test.rows, []thing{}
		for _, n := range test.groups {
			var g fields
			g, pages = groupOf(t, rows[:n], pages)
			groups, rows = append(groups, g), rows[n:]
		}
		orders := slices.Repeat([]thing{typeDefinedOrder}, 5)
		want := fields{1: int32(2), 2: schemaOf(), 3: int64(len(test.rows)), 4: groups, 6: "plimsoll", 7: orders}
		if diff := cmp.Diff(want, file.end); diff != "" || len(pages) != 0 {
			t.Errorf("%d rows: %d pages are left: %s", len(test.rows), len(pages), diff)
		}
	}
}

// TestSizes: texts are as many bits as tell them apart, and what is the same in all rows takes no room.
func TestSizes(t *testing.T) {
	for texts, width := range map[int]byte{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 256: 8, 257: 9} {
		rows := make([][]any, 1000)
		for i := range rows {
			rows[i] = []any{int64(0), int64(0), nil, fmt.Sprint(i % texts), nil}
		}
		data := read(write(t, rows)).pages[4].content
		size := 3 + 1000/8*int(width) // the width, the number of groups, and the groups of eight
		if texts == 1 {
			size = 4 // the width, the number of rows, and the one
		}
		if data[0] != width || len(data) != size {
			t.Errorf("%d texts: %d bits, %d bytes, want %d, %d", texts, data[0], len(data), width, size)
		}
	}
	for n, size := range map[int]int{1: 2, 1000: 3} {
		rows := slices.Repeat([][]any{{int64(0), int64(0), nil, "x", nil}}, n)
		pages := read(write(t, rows)).pages
		if got := len(pages[2].content); got != 4+size {
			t.Errorf("%d absent values are %d bytes, want %d", n, got, 4+size)
		}
		if got := pages[6].content; got[len(got)-2] != 1 {
			t.Errorf("of no text the numbers have a width of %d", got[len(got)-2])
		}
	}
}
