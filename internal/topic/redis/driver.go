package redis

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes: []string{Plain, TLS},
		Public:  []string{"stream", "ack_wait", "trim"},
		Open:    Open,
	}
}
