// Package manifest writes down what a run publishes while it publishes, so that a run which was killed, and has no
// document, can still be held against a server.
//
// It stands below the traffic of updates, which tells a Writer of each batch, and the check of a run, which reads it.
// Several publishers may use a Writer at the same time. Its lines are text:
//
//	plimsoll manifest 1 whole
//	{"id":"…","run":"…",…}     the head
//	s 3 17                     publisher 3 is about to send the batch with index 17, as its next sequence
//	a 3 5                      the broker has acknowledged its sequence 5
//
// A batch is written down before it is sent, by a call of the kernel: a process that is killed (SIGKILL) loses none
// of them. Acknowledgements are written with the next batch, or within a tenth of a second: one that was not is taken
// for none, and its batch for unsure. What a crash of the machine loses is bounded by a second.
package manifest
