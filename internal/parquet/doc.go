// Package parquet writes flat tables as Parquet files: columns of integers, moments and texts, which may be absent.
//
// It stands below internal/samples, which knows what the columns are, and knows nothing of runs. Reading is left to
// others: pyarrow and fastparquet read what it writes in the tests of internal/samples. The format is that of
// https://github.com/apache/parquet-format: thrift's compact protocol, data pages of version 1, integers plain, texts
// by a dictionary, each page packed with Zstandard.
//
// Memory is bounded by one row group: RowsPerGroup rows, and less where their texts are long. A Writer belongs to one
// goroutine.
package parquet
