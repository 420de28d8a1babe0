// Package known is the list of transports: a new one is a line here, beside its own folder.
//
// It stands above the transports and below the command line, and knows nothing of them but what
// each says of itself. It has no state.
package known
