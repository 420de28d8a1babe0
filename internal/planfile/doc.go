// Package planfile reads plan files: several runs in order, with all that a setting can say, in YAML. It also writes
// the file that equals a command line, and the JSON Schema by which editors complete and check such files.
//
// A file is read in three steps. The text becomes a tree of mappings, lists and texts, each with its place (tree.go):
// what YAML has beyond that is refused, since a reader should see what a run is made of without following references.
// Then the texts have their variables put in (vars.go), so that what a variable holds can never become structure. Then
// each run becomes a call of its kind's command (decode.go), whose settings, parsers and rules are those of the command
// line; an error of theirs is told with the place in the file that it is about (places.go).
//
// It stands above run, whose kinds it is given, and below the command line. Nothing here starts anything, and all of it
// is for one goroutine at a time.
package planfile
