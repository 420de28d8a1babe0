// Package outfile writes the files that a person names: whole or not at all, and never in the
// place of something that is no file.
//
// It stands beside the flow of data: run documents, baselines and files of rows are written with
// it. A File belongs to one goroutine.
package outfile
