// Package kafka is Kafka as a topic, by github.com/twmb/franz-go.
//
// It stands under the updates workload and the key/value server. A topic, its publishers and its
// subscriptions may be used by several goroutines at the same time, as internal/topic says.
//
// # URL
//
//	kafka://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...][/TOPIC][?OPTIONS]
//
// The topic is plimsoll.updates unless it is given. With sasl= and without a user, KAFKA_USERNAME
// and KAFKA_PASSWORD are taken from the environment. The options are listed at settings.
//
// # When Publish returns
//
// When all replicas that are in sync have the message (acks=all). The client sends at once
// (linger 0), without compression, and each call is one attempt: the client's own retries and its
// idempotent writing, which would need them, are off. A retried message can therefore be there
// twice, which its reader counts as a duplicate. Messages that are published while others are on
// their way may share a request with each other, as always in Kafka.
//
// # How messages are received
//
// The client fetches ahead, as Kafka's clients do. Each message is stamped when the client has
// decoded it, and that is its time of arrival even when no listener was there to take it; a
// receive call is the wait of a listener. The requests of the client itself are not timed.
//
// # Acknowledging
//
// A server's group is TOPIC-NAME. Kafka remembers one offset for each partition: up to here, all is
// done. So an offset is committed only when the messages before it were all acknowledged (see
// tracker), and Ack returns when everything that it completed has been committed; the
// acknowledgement of a message behind an unfinished one waits for that one without Ack waiting.
// Kafka itself delivers again what was not committed when a server comes back, or when another
// member of the group takes its partitions. Within one subscription a message that was not
// acknowledged within ack_wait is handed out again from the client's memory.
//
// A group that is new begins at the end of each partition as it is then, and that is committed
// before Subscribe returns, so that a server that is killed before its first commit misses
// nothing. Messages that the topic's retention removed before they were received are counted as
// dropped.
package kafka
