package pubsub

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes:    []string{Scheme},
		Public:     []string{"create", "ack_deadline", "streams", "compression", "linger"},
		Publishing: func(string) []string { return []string{"compression", "linger"} },
		Open:       Open,
	}
}
