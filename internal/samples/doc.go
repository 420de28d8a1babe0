// Package samples reads the files of samples that runs stream as CSV, and writes them again in forms that other
// programs read: Parquet, and HdrHistogram's logs.
//
// It stands behind the record: what streams the rows is internal/record, in the columns of each kind, and what is read
// here is a file. It knows the columns of all kinds by their names, and no kind. Memory does not grow with the file. A
// Reader belongs to one goroutine.
package samples
