package topic

import (
	"context"
	"net/url"
	"time"
)

// Config is what a topic is opened with.
type Config struct {
	// URL has the transport's scheme; what else it holds each transport documents. Its user and
	// password are secrets, and are in no error.
	URL *url.URL
	// Timeout bounds each request to the broker but a receive that waits for messages.
	Timeout time.Duration
}

// Topic is an opened topic of a message service. Opening one connects, and makes sure that the
// topic is there; a transport that can create it does.
type Topic interface {
	// Describe tells what the transport is and can. It does no I/O and holds no secrets.
	Describe() Description
	// Publisher makes a publisher with a connection of its own.
	Publisher(ctx context.Context) (Publisher, error)
	// Subscribe makes the subscription of the server with this name, or takes up the one that
	// is there. Each name gets every message that is published after its subscription was made.
	Subscribe(ctx context.Context, o SubscribeOptions) (Subscription, error)
	// Close ends what the topic holds. Publishers and subscriptions must be closed before.
	Close() error
}

// Description tells what a transport is and can.
type Description struct {
	Transport string // as "NATS JetStream"
	Client    string // import path of the library, such as github.com/nats-io/nats.go
	Endpoint  string // the broker, without credentials
	// AtLeastOnce says that a message that was published is delivered again until it is
	// acknowledged. Without it a message can be lost and nobody is told.
	AtLeastOnce bool
	// Durable says that messages wait for a subscription while nobody receives for it.
	Durable bool
	// MaxMessage is the largest payload in bytes that a message can have; 0 when not known.
	MaxMessage int
	// Acknowledged says what the end of Publish means, as "the broker has stored the message".
	Acknowledged string
	// BrokerTime says what Message.BrokerTime is, or is empty when messages have none.
	BrokerTime string
	// Metrics is the transport in the names of the server's metrics, such as "NatsJetStream", and
	// Clock the same in the one by the broker's time, where that is another name.
	Metrics, Clock string
	// Notes are sentences that a reader of the figures must know, such as what cannot be timed.
	Notes []string
}

// Publisher publishes messages.
type Publisher interface {
	// Publish sends a message and returns when the broker has acknowledged it. The payload may
	// be used again after that. Errors are *Error, or those of the context.
	Publish(ctx context.Context, payload []byte) error
	Close() error
}

// SubscribeOptions say how to receive.
type SubscribeOptions struct {
	Name      string // of the subscription: letters, digits, '-' and '_'
	Listeners int    // goroutines that will call Receive
	Batch     int    // messages that a Receive returns at most
	Ephemeral bool   // the broker may forget the subscription when it is closed
	// Tell is told what happens to the subscription, as far as the transport notices; nil: nobody wants to know.
	Tell func(Event)
}

// Subscription receives the messages of a topic for one server.
type Subscription interface {
	// Receive waits until there is a message, and returns those that are there, at most the
	// batch. It returns when ctx is done, with its error.
	Receive(ctx context.Context) (Received, error)
	// Ack acknowledges messages that were applied: all of one Receive, or some of them. It
	// returns when the broker knows, where the transport can tell.
	Ack(ctx context.Context, messages []Message) error
	// Backlog is what waits at the broker and in the client, and was not yet received.
	Backlog(ctx context.Context) (Backlog, error)
	Close() error
}

// ValidName reports whether a subscription can have this name at every message service.
func ValidName(name string) bool {
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '-' && c != '_' {
			return false
		}
	}
	return name != ""
}

// Received is what one receive call returned.
type Received struct {
	Messages []Message
	// Began and Ended bound the receive call, on the monotonic clock. For a transport that
	// delivers without being asked, Began is when the listener began to wait, and Ended when
	// the client library handed over the last of these messages, even if the listener took it
	// later; both are that moment if the messages were there before the listener.
	Began, Ended time.Time
}

// Message is one message as it was received.
type Message struct {
	Payload []byte
	// Arrived is when the client library handed over this message, on the monotonic clock, for a
	// transport that delivers without being asked; zero otherwise: it was Received.Ended.
	Arrived time.Time
	// BrokerTime is when the broker took the message, by its own clock; zero when it does not say.
	BrokerTime time.Time
	// Redelivered says that the broker has delivered the message before, where it tells.
	Redelivered bool
	// Others says that it came from a queue that was there before, and from which an acknowledged
	// message is gone for everybody: one that is not ours is not to be acknowledged.
	Others bool
	// Handle is the transport's own, for Ack.
	Handle any
}

// Backlog tells how far behind a subscription is.
type Backlog struct {
	Messages int64 // waiting; −1 when the transport does not say
	Unacked  int64 // delivered and not acknowledged; −1 when the transport does not say
	Dropped  int64 // that the client or the broker threw away, as far as is known
}
