// Package table reads the tables whose values the texts of requests and messages have in them.
//
// It stands below the files that name a table. A table does not change once it is read.
package table
