// Command soak has servers and workloads of plimsoll go on for a long time under faults, and holds what they take to bounds.
//
//	soak -binary bin/plimsoll -time 1h
//
// Each row of the table is a pair, and all go on beside each other at low rates: a server with its faults on, and a
// workload that runs for the whole time. Beside it the same workload runs again and again, a few seconds each: in turn it
// ends by itself, is interrupted, and is killed. Where the server is started by the workload, as its demo, only these
// short runs are there. Each pair with a server is there a second time, and there the server is killed and started again at
// the same address, a dozen times: by turns without a word, and so that Go's runtime writes down which goroutines there are.
//
// Read from /proc every second are the memory that is resident, the open files and the threads. What a program takes in the
// last third of the time is to be no more than it took in the second third, with room for a quarter and 16 MB, or four
// files, or four threads, or a hundred goroutines. Those are told by the servers that have metrics, and by the runtime of one
// that is made to quit. Of workloads, and of the responder for AWS that goes on, nobody tells them: one that is left for each
// connection shows in the memory, and mostly in the files. At the end all is interrupted, and has to end within a minute,
// without a stack trace.
//
// It is for Linux.
package main
