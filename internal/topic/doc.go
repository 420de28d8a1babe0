// Package topic is what the updates workload and the key/value server need of a message
// service: publish a message and know when the broker has it, receive messages and know when
// the receive call began and when it returned, acknowledge them after they were applied.
//
// It also has what the transports would else each have for themselves: the causes of errors of
// connections, the reading of a URL's options and the files of TLS.
//
// The packages below it are the transports, each by the service's own client library and
// nothing that hides the receive call, prefetches unseen or acknowledges in the background. It
// stands below workload/updates and server/kv, and of ours knows internal/cause alone. A Topic, a
// Publisher and a Subscription are safe for concurrent use.
package topic
