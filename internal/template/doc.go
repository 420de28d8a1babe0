// Package template makes the texts of requests: addresses, headers and bodies in which places stand for what changes
// from operation to operation, as in "/users/${int 1 1000}?at=${now unix}".
//
// It stands below the kinds of traffic, which compile what the user wrote once, before the run, and render it for each
// operation. What a template renders is a pure function of its Values: of the seed and the operation's number, its
// intended start, its client, a row of a table, what the client has kept, the attempt, and nothing else. Rendering
// allocates nothing beyond the growth of its buffer.
//
// A value is escaped for where it stands (Place), so that no value can end the text around it.
//
// A Template is immutable and safe for concurrent use.
package template
