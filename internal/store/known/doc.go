// Package known is the list of stores: a new one is a line here, beside its own folder.
//
// It stands above the stores and below the workload that measures them, and knows nothing of
// either but what a store says of itself. It has no state.
package known
