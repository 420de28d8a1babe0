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
// # Trimming
//
// Redis keeps messages for ever. Four times a second each subscription has the stream trimmed up to
// the first message that some group has not acknowledged, which throws away none that anybody
// waits for. A group whose server is gone for good, or was killed while it was ephemeral, holds
// all messages from then on: XGROUP DESTROY removes it. Without any group nothing is trimmed. A
// server with maxmemory then refuses publishers, which is the cause full; one that evicts keys
// may drop the stream, and Describe warns of it. trim=none leaves the stream alone.
package redis
