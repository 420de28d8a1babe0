package delta

import "cmp"

// Kind is what a row does to its key.
type Kind uint8

// The kinds of rows.
const (
	Update Kind = iota // sets the key's value
	Delete             // removes the key
)

// ValueType says how to read a value.
type ValueType uint8

// The types of values.
const (
	String ValueType = iota
	// Set is a set of strings in the packed form: for each element, in ascending order of its
	// bytes and without repetition, its length as an unsigned varint and its bytes.
	Set
)

// Row is one mutation of one key. A row of the kind Delete has no value.
type Row struct {
	Key    []byte
	Value  []byte
	Commit int64 // logical commit time
	Kind   Kind
	Type   ValueType
}

// Publisher names who published a batch. The rows of files are of the zero Publisher.
type Publisher struct {
	Run    uint64
	Number uint32
}

// Order is the place of a row among all rows for its key. It is total: two rows are never
// equal in it unless they are the same row, delivered twice.
type Order struct {
	Commit    int64
	Publisher Publisher
	Sequence  uint64 // of the batch, by its publisher
	Row       uint32 // within the batch
}

// Compare is negative when o comes before p, so that p's row wins.
func (o Order) Compare(p Order) int {
	return cmp.Or(
		cmp.Compare(o.Commit, p.Commit),
		cmp.Compare(o.Publisher.Run, p.Publisher.Run),
		cmp.Compare(o.Publisher.Number, p.Publisher.Number),
		cmp.Compare(o.Sequence, p.Sequence),
		cmp.Compare(o.Row, p.Row),
	)
}
