// Package nats is NATS as a topic, by github.com/nats-io/nats.go: core NATS, for nats:// URLs,
// and JetStream, for nats+js:// ones.
//
// It stands under the updates workload and the key/value server. A topic, its publishers and its
// subscriptions may be used by several goroutines at the same time, as internal/topic says.
//
// # URL
//
//	nats[+js]://[USER[:PASSWORD]@]HOST[:PORT][/SUBJECT][?OPTIONS]
//
// A user without a password is a token. Without a user, NATS_CREDS, NATS_NKEY, or NATS_USER and
// NATS_PASSWORD are taken from the environment, as the nats command does. The subject is
// plimsoll.updates unless it is given. The options are listed at settings.
//
// # When Publish returns
//
// In core NATS, when the broker has answered a PING that was sent behind the message: it has
// then put the message into the queues of all who are connected and subscribe to it. It has
// stored nothing. In JetStream, when the broker has acknowledged the message as stored in the
// stream. Publishers on one connection do not wait for each other in either case.
//
// Nothing is retried here, and no connection is repaired behind a caller's back: the library's
// buffer for the time without a connection would acknowledge messages that were lost (the PING
// goes out on the new connection, the message went out on the old one). A connection that is
// lost fails the calls that used it, and the next call makes a new one.
//
// # How messages are received
//
// Core NATS sends without being asked. One goroutine of a subscription stamps each message as the
// library hands it over, and listeners take them from a queue, which is bounded at 256 MiB and
// 1 million messages; what does not fit is thrown away and counted. A connection that was lost
// is an error of one Receive, because what was published until the next call is gone. Subscribers
// of the same name share the messages between them.
//
// JetStream is asked: each Receive is one pull request for at most a batch, which the broker
// answers with what there is, or keeps until there is something. Nothing is fetched ahead. Ack
// asks the broker to confirm, all messages of a call at once.
//
// # The stream
//
// A stream that is missing is made: with retention by interest, so that a message is kept until
// each subscription has acknowledged it and no longer; bounded; and refusing new messages when it
// is full, rather than throwing away old ones. A stream that is there is used as it is, and
// Describe says if it can throw messages away. Messages have no Nats-Msg-Id: a publisher that
// tries again sends the same batch with the same sequence, which the server that receives it
// counts as a duplicate, and so the broker need not remember identifiers.
package nats
