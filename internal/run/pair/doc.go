// Package pair measures two runs in turn, as one launch of a comparison: in alternating slices of one process, where
// the engine can hold a load still, in whole runs one after the other, or both at the same time.
//
// It stands above run, of which both sides have the whole life but that they are not shown, and belongs to the
// goroutine that calls it.
package pair
