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

// wrong says what is wrong with a row that is to be written, or is empty.
func wrong(r *Row) string {
	switch {
	case len(r.Key) == 0:
		return "it has no key"
	case r.Kind > Delete:
		return "it is neither an update nor a delete"
	case r.Type > Set:
		return "its value has an unknown type"
	case r.Kind == Delete && (len(r.Value) > 0 || r.Type != String):
		return "it is a delete with a value"
	case r.Type == Set && !IsSet(r.Value):
		return "its value is not a packed set"
	}
	return ""
}
