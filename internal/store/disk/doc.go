// Package disk is files of this machine (file:) and memory of this process (mem:) as stores.
//
// It stands under the bandwidth workload, beside the stores that are reached over a network.
// Its stores may be used by several goroutines at the same time, as internal/store says.
//
// # What file: measures
//
// A file is written in place, with write(2), as an application does it: a write returns when
// the kernel has the bytes in its page cache, and Close does not wait for the disk. Only a hard
// flush does (fsync). Reading back what was just written would come from the page cache, so
// a file is written out and dropped from it before it is read: by Settle, outside of any
// operation's time, or else by Open. The notes of Describe say which it was.
//
// Nothing is written through a symbolic link: deleting the link afterwards would leave what
// was written behind. Reading through one is fine.
//
// # What mem: is for
//
// It keeps a real copy of the data, and measures what the instrument itself can do. Memory
// of deleted files is used again, so that all of it stays within the limit.
package disk
