// Package infile opens the files that a user names as input: files on a disk, pipes such as those of a shell's <(…),
// and /dev/stdin. Whatever a name leads to, no more of it is read than its reader can use.
//
// It is used while a plan is checked, before a run. A Files is not safe for concurrent use.
package infile
