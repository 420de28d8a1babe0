// Package saved is where run documents and set documents are kept, and how they are found again: by a path, an id,
// the beginning of one, or last.
//
// It stands beside the life of a run, which saves there, and below the commands that take a run. It knows no kind
// of traffic. A set lies in a folder like a run, and its members in folders within that one.
//
// Runs is plain data. Several processes may save, list and remove at once.
package saved
