// Package fanout keeps the accounts of messages that reach many receivers: for each message and each receiver of its
// room whether it was delivered, lost, or the receiver was away, and when the first, the median and the last had it.
//
// It stands between the connections and the run document. It knows no network and reads no clock: stamps are
// nanoseconds of the run's clock, which its callers give. A message is entered before it is written (Send), and each
// receiver, which is one goroutine, tells what came to it (Receiver.Deliver) and whether it is there. What passes
// between a message and a receiver is one word, which only changes once: from missing to the stamp of its delivery, to
// away, or to lost. So no receiver waits for another one, a message ends exactly once, and each delivery that was due
// is counted under one name.
//
// Memory is bounded however many messages there are: a word for each receiver of a message that is under way, which is
// used again after it, and for each receiver a bitmap of the messages that it had last.
package fanout
