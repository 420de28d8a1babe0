// Package times makes panels of times that a document has: how they are distributed, and the stages that a time
// consists of, one after the other. It knows neither runs nor kinds.
package times
