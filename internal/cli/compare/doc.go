// Package compare is the command that compares two sides: URLs, command lines or plan files, which are measured in
// turn, or two saved runs, which are shown side by side.
//
// It stands beside the other commands, and is told by them what kinds there are and how sets are shown.
package compare
