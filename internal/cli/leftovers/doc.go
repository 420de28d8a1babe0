// Package leftovers is the command that finds uploads which runs of bandwidth began and, being killed, did not end, and
// gives them up when it is asked to.
//
// What is one of ours is told by its name alone: a store keeps no more of an upload than that and when it began. Each
// call belongs to one goroutine; nothing is kept.
package leftovers
