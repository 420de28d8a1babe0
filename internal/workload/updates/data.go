package updates

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// Data is what is published.
type Data interface {
	// rows makes the batch with this index, in s. Slots call it at the same time.
	rows(index uint64, s *scratch) ([]delta.Row, error)
	// replay gives the batches of w that were published again, from the definition of the data,
	// to visit; the rows are valid until it returns.
	replay(w *Updates, visit visitor) error
	// unique says that no two rows have the same key.
	unique() bool
	// ordered says that a batch's sequence is its index, whoever publishes it: of two rows with the
	// same commit time the later in the data has to win.
	ordered() bool
	// Close gives back what is held for rows.
	Close()
	// largest is the most bytes that a message can have, and of how many rows each message has to
	// be for the limit to hold; 0 when not even one would fit.
	largest(codec delta.Codec, limit int) (bytes, batch int, err error)
}

// visitor takes the rows of a batch that was published.
type visitor func(publisher uint32, sequence uint64, rows []delta.Row)

// generated is data that a generator makes.
type generated struct {
	*delta.Generator
	delta.Generation
}

// Generate is data by a definition, for about so many batches in the window.
func Generate(g delta.Generation, batches int64) (Data, error) {
	made, err := delta.NewGenerator(g)
	if err != nil {
		return nil, err
	}
	if err := made.Fits(uint64(batches)); err != nil {
		return nil, err
	}
	return &generated{Generator: made, Generation: g}, nil
}

func (g *generated) rows(index uint64, s *scratch) ([]delta.Row, error) {
	s.rows, s.buf = g.Rows(index, s.rows, s.buf)
	return s.rows, nil
}

func (g *generated) unique() bool { return g.Keys == 0 }

// ordered is not needed: each batch has a commit time of its own.
func (g *generated) ordered() bool { return false }

// Close does nothing.
func (g *generated) Close() {}

func (g *generated) replay(w *Updates, visit visitor) error {
	var s scratch
	for _, c := range w.clients {
		for sequence, index := range c.log.all() {
			rows, err := g.rows(index, &s)
			if err != nil {
				return err
			}
			visit(c.name, sequence, rows)
		}
	}
	return nil
}

// largest is that of the kind of row that takes most. Rows of one batch share their commit time,
// so that each row behind the first takes the same.
func (g *generated) largest(codec delta.Codec, limit int) (bytes, batch int, err error) {
	first, each := 0, 0
	for _, r := range g.kinds() {
		one, err := delta.Append(nil, &delta.Header{Codec: codec}, []delta.Row{r})
		if err != nil {
			return 0, 0, err
		}
		two, err := delta.Append(nil, &delta.Header{Codec: codec}, []delta.Row{r, r})
		if err != nil {
			return 0, 0, err
		}
		first, each = max(first, len(one)), max(each, len(two)-len(one))
	}
	// The count of rows may itself take more room in a larger batch.
	const count = 8
	bytes = first + (g.Batch-1)*each + count
	if limit >= first+count {
		batch = (limit-first-count)/each + 1
	}
	return bytes, batch, nil
}

// kinds are rows of each kind that the generator makes, at their largest.
func (g *generated) kinds() []delta.Row {
	key := make([]byte, g.KeyLength)
	value := make([]byte, g.ValueLength)
	for _, b := range [][]byte{key, value} {
		for i := range b {
			b[i] = 'v'
		}
	}
	commit := g.Commit + 1<<61 // no run has so many batches, and no number below it takes more room
	list := []delta.Row{{Key: key, Commit: commit, Kind: delta.Delete}}
	if g.Sets < 1 {
		list = append(list, delta.Row{Key: key, Value: value, Commit: commit})
	}
	if g.Sets > 0 {
		list = append(list, delta.Row{Key: key, Value: setOf(value), Commit: commit, Type: delta.Set})
	}
	return list
}

// setOf is a set of four elements that have the bytes of value together.
func setOf(value []byte) []byte {
	const elements = 4
	var parts []string
	n := min(elements, len(value))
	for i := range n {
		part := append([]byte{}, value[i*len(value)/n:(i+1)*len(value)/n]...)
		part[0] = 'a' + byte(i)
		parts = append(parts, string(part))
	}
	return delta.AppendSet(nil, parts...)
}

// TooLarge says that batches do not fit into the messages of a transport.
type TooLarge struct {
	Bytes, Limit int // of the largest message; that a message can have
	Batch        int // rows that fit into every message; 0 when not even one does
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("messages would have up to %d bytes; the maximum is %d", e.Bytes, e.Limit)
}

// Fits makes sure that every batch fits into a message, as a *TooLarge if not.
func (w *Updates) Fits() error {
	limit := w.Topic.Describe().MaxMessage
	if limit <= 0 {
		return nil
	}
	bytes, batch, err := w.Data.largest(w.codec, limit)
	if err != nil {
		return err
	}
	if bytes > limit {
		return &TooLarge{Bytes: bytes, Limit: limit, Batch: batch}
	}
	return nil
}
