// Package hdfs is HDFS as a store, by github.com/colinmarc/hdfs.
//
// It stands under the bandwidth workload. A Store may be used by several goroutines at the
// same time, its Writers and Files as package store says.
//
// # Sessions
//
// The library has no contexts, and one of its clients has one connection to the namenode. So
// each operation, each file being written and each reader takes a session for itself: a client
// with all of its connections, which are closed when the operation's context ends. Sessions
// that are whole are used again.
//
// # What stands between the library and the network
//
// The library lets its user dial. The connections that it gets from here have deadlines, keep
// what it does not tell (messages of the namenode, acknowledgements of the datanodes), refuse
// answers of absurd sizes, and let it finish its goroutines when a datanode has failed. Those to
// the namenode also log in with a delegation token, before the library begins: it believes
// that it speaks to a server that asks for nothing.
package hdfs
