package topic

import "fmt"

// EventKind says what an Event is, for counting.
type EventKind string

// The kinds.
const (
	// EventRemade: what the broker keeps for the subscription was gone, and was made again. What was
	// published meanwhile, or waited, it does not get.
	EventRemade EventKind = "remade"
	// EventShared: somebody else receives by the same subscription.
	EventShared EventKind = "shared"
	// EventRestarted: the broker is another process than before.
	EventRestarted EventKind = "broker-restarted"
	// EventReconnected: the connection was lost and made again, to the same broker.
	EventReconnected EventKind = "reconnected"
)

// Event is something that happened to a subscription which may be why messages are missing.
type Event struct {
	Kind EventKind
	What string // a clause, as "the consumer kv was gone, and was made again"
}

// Report tells of an event, if anybody wants to know. It may be called at any time until the subscription is closed,
// also by several goroutines at once.
func (o *SubscribeOptions) Report(kind EventKind, format string, args ...any) {
	if o.Tell != nil {
		o.Tell(Event{Kind: kind, What: fmt.Sprintf(format, args...)})
	}
}
