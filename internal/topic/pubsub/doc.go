// Package pubsub is Google Cloud Pub/Sub as a topic, by the service's interface in
// cloud.google.com/go/pubsub/v2 (apiv1).
//
// It stands under the updates workload and the key/value server. A topic, its publishers and its
// subscriptions may be used by several goroutines at the same time, as internal/topic says.
//
// # URL
//
//	gcppubsub://PROJECT[/TOPIC][?OPTIONS]
//	gcppubsub://projects/PROJECT/topics/TOPIC[?OPTIONS]
//
// The topic is plimsoll-updates unless it is given. Credentials are Google's application default
// ones (GOOGLE_APPLICATION_CREDENTIALS, gcloud, the machine's account). PUBSUB_EMULATOR_HOST names
// an emulator, which needs none. The options are listed at settings.
//
// # Why not the client above it
//
// The same module has a Publisher that gathers messages before it sends them, and a Subscriber
// that calls back, extends deadlines and acknowledges in the background, every 100 ms. What they
// do could not be timed, so the calls below them are made here: Publish, StreamingPull and
// Acknowledge.
//
// # When Publish returns
//
// When Pub/Sub has answered that it has stored the message. Each call is one request with one
// message, sent at once, and is not tried again here.
//
// # How messages are received
//
// Pub/Sub sends messages over streams without being asked for each. One goroutine for each stream
// stamps them as they come and puts them where listeners take them; there are as many streams as
// listeners unless streams= says otherwise. At most 1000 messages and 64 MiB are outstanding on a
// stream, which the service counts; the client holds 1000 that no listener has taken, and reads
// no more then. A receive call is the wait of a listener.
//
// A stream that the service ends, as it does every half hour or so, is opened again. One that
// breaks or cannot be opened is an error of one Receive, too.
//
// Ack asks the service to acknowledge and returns with its answer. That is a promise only where
// the subscription has exactly-once delivery: without it an acknowledgement can be forgotten, and
// the message comes again. Deadlines are not extended: a message that is not acknowledged within
// ack_deadline is delivered again.
package pubsub
