// Package redis is a stream of Redis as a topic, by github.com/redis/go-redis.
//
// It stands under the updates workload and the key/value server. A topic, its publishers and its
// subscriptions may be used by several goroutines at the same time, as internal/topic says.
//
// # URL
//
//	redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTIONS]
//
// rediss is with TLS. Without a password, REDISCLI_AUTH is taken from the environment, as
// redis-cli does. The options are listed at settings. One server, version 6.2 or later; not a
// cluster.
//
// # When Publish returns
//
// When Redis has answered XADD: the message is in its memory. Whether it outlives the server is
// the server's configuration, which Describe tells as far as the server does. A publisher has as
// many connections as messages on their way, up to 64; more wait. Nothing is retried.
//
// # How messages are received
//
// Each subscription is a consumer group, each listener a consumer of it. Receive is one XREADGROUP
// with COUNT and BLOCK, so nothing is fetched ahead. A receive call that is given up leaves its
// command running, and the next one gets what it brings. Ack is one XACK for all messages.
//
// What was not acknowledged for ack_wait is claimed by XAUTOCLAIM and delivered again, to whichever
// listener comes first: Redis does not do this by itself. It is looked for when a subscription
// begins and every half of ack_wait, by a listener that would otherwise wait.
//
// # What is removed
//
// Redis keeps messages for ever. So publishers keep the identifiers that XADD gave them, and four
// times a second, and when the topic is closed, those entries are removed by XDEL that come before
// the first one that some group has not acknowledged. Nothing else is ever removed: an XTRIM would
// empty a stream that was somebody's before, because a group that begins at the end has nothing to
// acknowledge before that. What is left behind: the stream, the last entry, entries that some group
// has not acknowledged when the topic is closed, those whose identifier is not known (the publisher
// was killed, or Redis' answer was lost; older ones than the last million), and groups that are not
// ephemeral. Without any group nothing is removed. trim=none removes nothing.
//
// A group whose server is gone for good, or was killed while it was ephemeral, holds all entries
// from then on: XGROUP DESTROY removes it. A server with maxmemory then refuses publishers, which is
// the cause full; one that evicts keys may drop the stream and others, and Describe warns of it.
//
// An ephemeral group is removed by who made it. A group that was there is taken up, unless another
// program has consumers of it.
package redis
