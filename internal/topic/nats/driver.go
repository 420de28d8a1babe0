package nats

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes: []string{Core, JetStream},
		Public:  []string{"tls", "stream", "storage", "replicas", "max_bytes", "discard", "ack_wait"},
		Open:    Open,
	}
}
