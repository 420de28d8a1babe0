// Package az is Azure Blob Storage as a store, by Microsoft's SDK: az://container/file, and
// abfs(s)://container@account.dfs.core.windows.net/file, which goes to the account's blob
// endpoint.
//
// It stands under the bandwidth workload. Every request goes through the transport of package
// store, by which it is observed and counted.
//
// # How files are written
//
// As block blobs: a file that fits into one part is one Put Blob, a larger one is Put Block for
// each part, several at the same time, and a Put Block List. A file that is given up leaves
// blocks that are no blob. They are discarded if there is no blob of that name; where there is
// one, that would mean to write it again, and they are left to Azure, which drops them after a
// week or with the next write of that name.
//
// # Concurrency
//
// A Store and its Files may be used by several goroutines.
package az
