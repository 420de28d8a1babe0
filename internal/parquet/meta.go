package parquet

// The numbers of the format that this package writes.
const (
	typeInt64     = 2
	typeByteArray = 6

	convertedUTF8         = 0
	convertedMicroseconds = 10 // TIMESTAMP_MICROS

	encodingPlain         = 0
	encodingRLE           = 3
	encodingRLEDictionary = 8

	codecZstd = 6

	pageData       = 0
	pageDictionary = 2
)

// chunk is what the end of the file says of a column in a row group.
type chunk struct {
	column     *Column
	values     int64
	nulls      int64
	dictionary int64 // where its page is; 0: there is none
	data       int64
	packed     int64 // bytes of all pages with their headers
	unpacked   int64
	limits     bool // whether there are the two below
	least      int64
	most       int64
}

// group is what the end of the file says of a row group.
type group struct {
	rows   int64
	chunks []chunk
}

// pageHeader is the header of a page of so many values.
func pageHeader(kind int32, unpacked, packed, values int, encoding int32) []byte {
	var t thrift
	t.element(func() {
		t.i32(1, kind)
		t.i32(2, int32(unpacked))
		t.i32(3, int32(packed))
		if kind == pageDictionary {
			t.structure(7, func() {
				t.i32(1, int32(values))
				t.i32(2, encoding)
			})
			return
		}
		t.structure(5, func() {
			t.i32(1, int32(values))
			t.i32(2, encoding)
			t.i32(3, encodingRLE)
			t.i32(4, encodingRLE)
		})
	})
	return t.out
}

// footer is the metadata of the file.
func footer(columns []Column, groups []group, rows int64) []byte {
	var t thrift
	t.element(func() {
		t.i32(1, 2) // the version of the format
		t.list(2, thriftStruct, len(columns)+1)
		t.element(func() {
			t.text(4, "schema")
			t.i32(5, int32(len(columns)))
		})
		for i := range columns {
			t.element(func() { columns[i].element(&t) })
		}
		t.i64(3, rows)
		t.list(4, thriftStruct, len(groups))
		for i := range groups {
			t.element(func() { groups[i].element(&t) })
		}
		t.text(6, "plimsoll")
		// The order of least and most values is that of their types, which has to be said for them to be believed.
		t.list(7, thriftStruct, len(columns))
		for range columns {
			t.element(func() { t.structure(1, func() {}) })
		}
	})
	return t.out
}

// element writes what the schema says of a column.
func (c *Column) element(t *thrift) {
	t.i32(1, c.physical())
	repetition := int32(0) // required
	if c.Optional {
		repetition = 1
	}
	t.i32(3, repetition)
	t.text(4, c.Name)
	switch c.Kind {
	case Text:
		t.i32(6, convertedUTF8)
		t.structure(10, func() { t.structure(1, func() {}) })
	case Microseconds:
		t.i32(6, convertedMicroseconds)
		t.structure(10, func() {
			t.structure(8, func() { // TIMESTAMP
				t.yes(1)                                             // in UTC
				t.structure(2, func() { t.structure(2, func() {}) }) // MICROS
			})
		})
	case Integer:
	}
}

func (c *Column) physical() int32 {
	if c.Kind == Text {
		return typeByteArray
	}
	return typeInt64
}

func (g *group) element(t *thrift) {
	t.list(1, thriftStruct, len(g.chunks))
	packed, unpacked := int64(0), int64(0)
	for i := range g.chunks {
		c := &g.chunks[i]
		packed, unpacked = packed+c.packed, unpacked+c.unpacked
		t.element(func() { c.element(t) })
	}
	t.i64(2, unpacked)
	t.i64(3, g.rows)
	t.i64(5, g.chunks[0].first())
	t.i64(6, packed)
}

// first is where the pages of the chunk begin.
func (c *chunk) first() int64 {
	if c.dictionary != 0 {
		return c.dictionary
	}
	return c.data
}

func (c *chunk) element(t *thrift) {
	t.i64(2, c.first())
	t.structure(3, func() {
		t.i32(1, c.column.physical())
		encodings := []int32{encodingPlain, encodingRLE}
		if c.dictionary != 0 {
			encodings = append(encodings, encodingRLEDictionary)
		}
		t.list(2, thriftI32, len(encodings))
		for _, e := range encodings {
			t.varint(int64(e))
		}
		t.list(3, thriftBinary, 1)
		t.bytes(c.column.Name)
		t.i32(4, codecZstd)
		t.i64(5, c.values)
		t.i64(6, c.unpacked)
		t.i64(7, c.packed)
		t.i64(9, c.data)
		if c.dictionary != 0 {
			t.i64(11, c.dictionary)
		}
		t.structure(12, func() {
			t.i64(3, c.nulls)
			if c.limits {
				t.text(5, string(plainInteger(nil, c.most)))
				t.text(6, string(plainInteger(nil, c.least)))
			}
		})
	})
}
