package nats

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes: []string{Core, JetStream},
		Public:  []string{"tls", "stream", "storage", "replicas", "max_bytes", "discard", "ack_wait", "acks"},
		Publishing: func(scheme string) []string {
			if scheme == JetStream {
				return []string{"acks"}
			}
			return nil
		},
		Open: Open,
	}
}
