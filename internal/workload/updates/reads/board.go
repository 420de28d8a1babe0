package reads

import (
	"sync"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Bounds of a Board.
const (
	maxAsked = 64      // keys of one read
	maxOpen  = 1 << 18 // batches that are looked for; those beyond are counted
)

// Board has the batches that were sent and not read yet.
type Board struct {
	mu        sync.Mutex
	open      []*Batch
	next      int    // of open, is asked for first
	newest    string // the key of the batch that was read last
	batches   int64  // of the window
	seen      int64
	wrong     int64
	unwatched int64
	times     kvapi.Distribution // from due until read
	gaps      kvapi.Distribution // from the last read without it, or from due, to the first with it
}

// Batch is one that is looked for, by one of its keys. Times are those of the machine's clock.
type Batch struct {
	key, value string
	text       bool // value is known, and is a text
	window     bool
	due        int64
	missed     int64 // the start of the last read that did not find it; due where there was none
	at         int   // in open; −1 when it was read
}

// Sent enters a batch that is about to be sent, with one of its keys, which no other batch has.
func (b *Board) Sent(key, value []byte, text, window bool, due int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.open) >= maxOpen {
		if window {
			b.unwatched++
		}
		return
	}
	if window {
		b.batches++
	}
	one := &Batch{key: string(key), text: text, window: window, due: due, missed: due, at: len(b.open)}
	if text {
		one.value = string(value)
	}
	b.open = append(b.open, one)
}

// Ask gives what the next read asks for: the batches that are looked for, so many at a time, or else the key that was
// read last. There is nothing before the first batch.
func (b *Board) Ask(keys []string, batches []*Batch) ([]string, []*Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys, batches = keys[:0], batches[:0]
	n := min(len(b.open), maxAsked)
	for range n {
		if b.next >= len(b.open) {
			b.next = 0
		}
		one := b.open[b.next]
		b.next++
		keys, batches = append(keys, one.key), append(batches, one)
	}
	if n == 0 && b.newest != "" {
		keys = append(keys, b.newest)
	}
	return keys, batches
}

// Answer enters what a read found of the batches that it asked for, and when it began and ended.
func (b *Board) Answer(asked []*Batch, found map[string]kvapi.Value, began, ended int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range asked {
		if one.at < 0 {
			continue // another read was sooner
		}
		value, there := found[one.key]
		switch {
		case there && one.text && (!value.IsText || value.Text != one.value):
			b.wrong++
		case there:
			b.read(one, ended)
		default:
			one.missed = max(one.missed, began)
		}
	}
}

// read takes a batch off.
func (b *Board) read(one *Batch, ended int64) {
	last := len(b.open) - 1
	b.open[one.at], b.open[last].at = b.open[last], one.at
	b.open[last] = nil
	b.open, one.at, b.newest = b.open[:last], -1, one.key
	if !one.window {
		return
	}
	b.seen++
	b.times.Add(ended - one.due)
	b.gaps.Add(ended - one.missed)
}

// Open is how many batches are looked for.
func (b *Board) Open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open)
}

// Found is what came of the batches.
func (b *Board) Found() *rundoc.ReadBatches {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &rundoc.ReadBatches{
		Batches: b.batches, Seen: b.seen, Wrong: b.wrong, Unwatched: b.unwatched, Times: b.times.Stage(),
		Resolution: b.gaps.Stage(),
	}
}
