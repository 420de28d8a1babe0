package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// library is the client's import path.
const library = "github.com/twmb/franz-go"

// overhead is what a batch of one message has beside its payload, at most: 61 bytes of the batch,
// up to 15 of the message, and some for the lengths that the client counts in.
const overhead = 96

// logAppendTime is the type of a message's timestamp that the broker sets.
const logAppendTime = 1

// kafkaTopic is an opened topic.
type kafkaTopic struct {
	settings settings
	timeout  time.Duration
	options  []kgo.Opt
	quota    quota
	config
}

// Open reaches a broker, and finds or makes the topic.
func Open(ctx context.Context, c topic.Config) (topic.Topic, error) {
	s, err := parse(c.URL)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	t := &kafkaTopic{settings: s, timeout: c.Timeout}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	if s.linger >= t.timeout {
		return nil, topic.Fail(topic.CauseUsage, true, "linger=%s leaves no time to send a message: publishing times out "+
			"after %s",
			s.linger, t.timeout)
	}
	if t.options, err = s.options(t.timeout); err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	client, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := t.findTopic(within, client); err != nil {
		return nil, explain(ctx, "the topic "+s.topic, err)
	}
	return t, nil
}

// maxMessage is the largest payload.
func (t *kafkaTopic) maxMessage() int { return t.maxBatch - overhead }

// Describe tells what the transport is and can.
func (t *kafkaTopic) Describe() topic.Description {
	d := topic.Description{
		Transport: "Kafka", Metrics: "Kafka", Client: library, Endpoint: t.settings.brokers[0],
		AtLeastOnce: t.settings.acks != "0", Durable: true, MaxMessage: t.maxMessage(),
		Acknowledged: t.settings.acknowledged(),
		Notes: []string{
			"The client prefetches: a receive call measures how long a listener waits, and a message arrives when the " +
				"client has decoded it.",
			"Kafka stores one offset per partition: an acknowledgement reaches the broker only after those of all earlier " +
				"messages.",
			fmt.Sprintf("A message that is not acknowledged within %s is redelivered from the client's memory; Kafka itself "+
				"redelivers it only after the server reconnects.", t.settings.ackWait),
		},
	}
	d.Notes = append(d.Notes, t.settings.publishing()...)
	if throttled := t.quota.note(); throttled != "" {
		d.Notes = append(d.Notes, throttled)
	}
	if t.logAppend {
		d.BrokerTime = "when the partition leader appended the message, in whole milliseconds"
	} else {
		d.Notes = append(d.Notes, "Messages carry the publisher's timestamp (message.timestamp.type=CreateTime), not the "+
			"broker's.")
	}
	if t.size > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The topic keeps %d bytes per partition (retention.bytes): new messages "+
			"evict older ones, including those of other publishers.", t.size))
	}
	if t.retention > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The topic deletes messages after %s, even if they were not received; "+
			"those count as dropped.", t.retention))
	}
	return d
}

// acknowledged is what the end of a publish means.
func (s *settings) acknowledged() string {
	const disk = "; it is on disk once the broker's operating system writes it"
	switch s.acks {
	case "1":
		return "the partition leader has the message, possibly no other replica (acks=1)" + disk
	case "0":
		return "the client has written the message to its connection; the broker sends no acknowledgement (acks=0)"
	}
	return "all in-sync replicas have the message (acks=all)" + disk
}

// publishing says in which ways messages are not published as without options.
func (s *settings) publishing() (notes []string) {
	switch s.acks {
	case "1":
		notes = append(notes, "With acks=1, an acknowledged message is lost if the leader fails before the message is "+
			"replicated.")
	case "0":
		notes = append(notes, "With acks=0, the publish time covers only writing to the connection, and a message that "+
			"the broker rejects or never receives is lost without an error.")
	}
	if s.compression != "none" {
		notes = append(notes, fmt.Sprintf("Requests are compressed with %s; byte counts are before compression.",
			s.compression))
	}
	if s.linger > 0 {
		notes = append(notes, fmt.Sprintf("A message waits up to %s for others of its partition; the publish time "+
			"includes this wait.", s.linger))
	}
	return notes
}

// Publisher makes a publisher with connections of its own.
func (t *kafkaTopic) Publisher(ctx context.Context) (topic.Publisher, error) {
	p, err := t.newPublisher(ctx)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Subscribe makes the group of a server, or joins it.
func (t *kafkaTopic) Subscribe(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	o.Batch = max(1, o.Batch)
	if !topic.ValidName(o.Name) {
		return nil, topic.Fail(topic.CauseUsage, true,
			"%q is not a valid subscription name: use letters, digits, '-' and '_'", o.Name)
	}
	s, err := t.subscribe(ctx, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*kafkaTopic) Close() error { return nil }
