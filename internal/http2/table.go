package http2

// table is the dynamic table of the decoder (RFC 7541, 2.3.2).
type table struct {
	data    []byte // of the entries, behind one another; [:from of the oldest] is free
	entries []entry
	gone    int // entries at the front that were evicted
	size    int
	most    int
}

type entry struct{ from, value, to int } // name, value and end in data

// overhead is what an entry counts besides its text.
const overhead = 32

func (e *entry) size() int { return e.to - e.from + overhead }

func (t *table) len() int { return len(t.entries) - t.gone }

// get gives entry i, from 0, the newest first.
func (t *table) get(i int) (name, value []byte) {
	e := &t.entries[len(t.entries)-1-i]
	return t.data[e.from:e.value], t.data[e.value:e.to]
}

// limit sets how large the table may be.
func (t *table) limit(most int) {
	t.most = most
	t.evict(0)
}

// evict makes room for an entry of this size.
func (t *table) evict(size int) {
	for t.len() > 0 && t.size+size > t.most {
		t.size -= t.entries[t.gone].size()
		t.gone++
	}
	if t.len() == 0 {
		t.entries, t.gone, t.data = t.entries[:0], 0, t.data[:0]
	}
}

// add adds an entry, whose texts are not of the table.
func (t *table) add(name, value []byte) {
	size := len(name) + len(value) + overhead
	t.evict(size)
	if size > t.most {
		return // and the table is empty now
	}
	t.compact()
	from := len(t.data)
	t.data = append(append(t.data, name...), value...)
	t.entries = append(t.entries, entry{from, from + len(name), len(t.data)})
	t.size += size
}

// compact moves the entries to the front when as much has gone as is left.
func (t *table) compact() {
	if t.gone == 0 || t.gone < t.len() {
		return
	}
	from := t.entries[t.gone].from
	t.data = t.data[:copy(t.data, t.data[from:])]
	t.entries = t.entries[:copy(t.entries, t.entries[t.gone:])]
	t.gone = 0
	for i := range t.entries {
		e := &t.entries[i]
		e.from, e.value, e.to = e.from-from, e.value-from, e.to-from
	}
}
