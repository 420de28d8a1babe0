// Package yamltree reads a file of YAML as a tree in which each value has its line and its column, so that whoever
// makes something of it can say where it is wrong. It takes of YAML what people write by hand: no anchors, no tags,
// no directives, and nothing that takes long to read, whatever stands in the file.
//
// It stands below what reads a sort of file, whose words it uses in its errors. Trees are for one goroutine.
package yamltree
