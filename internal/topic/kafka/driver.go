package kafka

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes: []string{Scheme},
		Public: []string{"tls", "create", "partitions", "replicas", "ack_wait", "session", "acks", "compression",
			"linger"},
		Publishing: func(string) []string { return []string{"acks", "compression", "linger"} },
		Open:       Open,
	}
}
