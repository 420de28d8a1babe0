package kv

import "github.com/plimsoll/plimsoll/internal/server/kv/store"

// batchOf names a batch to the store.
func batchOf(p *publisher, sequence uint64) store.Batch {
	return store.Batch{Publisher: p.number, Sequence: sequence}
}
