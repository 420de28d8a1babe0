// Package outfile writes the files that a person names: whole or not at all, and never in the
// place of something that is no file.
//
// It stands beside the flow of data: all that a command writes where a person said, and the documents of runs and sets,
// are written with it. A command gets its Files by its environment, so that a test can have another file system below
// it; those of a command are guarded, so that two processes do not lose each other's files. What is said to be written
// is on the disk, with its name. A File belongs to one goroutine.
package outfile
