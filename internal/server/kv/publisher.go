package kv

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// publisher is what is known of one publisher's batches.
type publisher struct {
	id     delta.Publisher
	number uint32 // in the store
	run    *run
	spans  *atomic.Int64 // of all publishers, and their batches that are there in part

	users int // batches that are worked on; guarded by the registry

	mu         sync.Mutex
	settled    sync.Cond           // a claim has ended
	claimed    map[uint64]struct{} // sequences that are worked on
	sequences  sequences
	partial    map[uint64]int64 // by sequence, how many rows were applied of batches that were refused; nil: none were
	gap        time.Time        // when the oldest gap that is still open was seen to be one; zero: none
	batches    int64
	duplicates int64
	rows       kvapi.Rows
}

// maxSpans bounds the spans of all publishers together, 16 bytes each, and what is remembered of
// refused batches. More gaps than that are made by somebody who sends sequences at random.
const maxSpans = 1 << 20

var (
	errSequence = errors.New("a sequence number above 2^63 − 1")
	errGaps     = errors.New("too many gaps in the received sequence numbers")
)

// claim is what became of the attempt to take a batch up.
type claim int

const (
	claimed   claim = iota // the caller has it, and must settle it
	duplicate              // it was received before
	busy                   // another listener works on it
	refused                // the error says why
)

// claim takes a batch up if nobody has. It does not wait.
func (p *publisher) claim(sequence uint64, rows int) (claim, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.claimLocked(sequence, rows)
}

func (p *publisher) claimLocked(sequence uint64, rows int) (claim, error) {
	if sequence > maxSequence {
		return refused, errSequence
	}
	if p.sequences.has(sequence) {
		p.duplicates++
		p.rows.Duplicate += int64(rows)
		return duplicate, nil
	}
	if _, ok := p.claimed[sequence]; ok {
		return busy, nil
	}
	if sequence != p.sequences.next && p.spans.Load() >= maxSpans {
		return refused, errGaps
	}
	p.claimed[sequence] = struct{}{}
	return claimed, nil
}

// await takes a batch up, and waits until another listener has settled it. The caller must hold
// no claim: two that wait for each other would wait for ever.
func (p *publisher) await(sequence uint64, rows int) (claim, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		c, err := p.claimLocked(sequence, rows)
		if c != busy {
			return c, err
		}
		p.settled.Wait()
	}
}

// settle ends a claim. Applied batches are entered among its sequences, with what became of their rows. Of
// others it is remembered how many rows were applied before they were refused.
func (p *publisher) settle(sequence uint64, done bool, applied, stale int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.claimed, sequence)
	p.settled.Broadcast()
	if !done {
		p.refused(sequence, applied)
		return
	}
	if _, was := p.partial[sequence]; was {
		delete(p.partial, sequence)
		p.spans.Add(-1)
	}
	p.spans.Add(int64(p.sequences.add(sequence)))
	switch {
	case p.sequences.whole():
		p.gap = time.Time{}
	case p.gap.IsZero():
		p.gap = time.Now()
	}
	p.batches++
	p.rows.Applied += applied
	p.rows.Stale += stale
}

// refused notes that so many rows were applied of a batch that was not received. It may be refused
// more than once, each time after another row.
func (p *publisher) refused(sequence uint64, applied int64) {
	before, known := p.partial[sequence]
	switch {
	case applied <= before, !known && p.spans.Load() >= maxSpans:
		return
	case p.partial == nil:
		p.partial = make(map[uint64]int64)
	}
	if !known {
		p.spans.Add(1)
	}
	p.partial[sequence] = applied
}

// inPart sums up what was applied of batches that were refused.
func (p *publisher) inPart() (sum kvapi.Partial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rows := range p.partial {
		sum.Batches++
		sum.Updates += rows
	}
	return sum
}

// received is the publisher's part of the answer about its run.
func (p *publisher) received() (kvapi.Received, kvapi.Rows) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return kvapi.Received{
		Publisher: p.id.Number, Next: p.sequences.next, Beyond: append([]kvapi.Span(nil), p.sequences.beyond...),
		Batches: p.batches, Duplicates: p.duplicates,
	}, p.rows
}

// missingSince is when a batch was first seen to be missing that still is, or zero.
func (p *publisher) missingSince() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gap
}
