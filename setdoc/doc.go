// Package setdoc defines the set document (schema plimsoll.set/v1): what is left of a command that made several
// runs, such as a sweep. The run documents of its members lie beside it, in its folder.
//
// It stands beside rundoc, of which it is made: what a set says follows from its members, and the levels of a sweep
// from its rows. Read makes sure that what a document points to exists in it; whether it is true it does not ask.
//
// Durations are integer nanoseconds in fields that end in _ns, shares are from 0 to 1, and times are RFC 3339 in
// UTC. A figure that could not be determined is absent, never zero.
//
// Values are plain data: safe for concurrent reading, not for concurrent writing.
package setdoc
