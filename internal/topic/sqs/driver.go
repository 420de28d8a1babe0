package sqs

import "github.com/plimsoll/plimsoll/internal/topic"

// Driver is what others know of this transport.
func Driver() topic.Driver {
	return topic.Driver{
		Schemes: []string{Scheme},
		Public:  []string{"region", "queue", "create", "visibility", "wait"},
		Open:    Open,
	}
}
