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
		return nil, topic.Fail(topic.CauseUsage, true, "linger=%s leaves a message no time to be sent: a publish may take %s",
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
			"The client fetches ahead: a receive call is the wait of a listener, and a message's arrival is " +
				"when the client had decoded it.",
			"Kafka remembers one offset for each partition: the acknowledgement of a message behind an unfinished " +
				"one reaches the broker with that one.",
			fmt.Sprintf("A message that is not acknowledged within %s is handed out again from the client's memory; "+
				"Kafka delivers it again only to a server that comes back.", t.settings.ackWait),
		},
	}
	d.Notes = append(d.Notes, t.settings.publishing()...)
	if throttled := t.quota.note(); throttled != "" {
		d.Notes = append(d.Notes, throttled)
	}
	if t.logAppend {
		d.BrokerTime = "when the leader of the partition appended the message, in whole milliseconds"
	} else {
		d.Notes = append(d.Notes, "The topic has the time of the publisher on its messages "+
			"(message.timestamp.type=CreateTime), and none of the broker.")
	}
	if t.size > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The topic keeps %d bytes of each partition (retention.bytes): "+
			"what is published pushes older messages out, others' too.", t.size))
	}
	if t.retention > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The topic removes messages after %s, received or not; "+
			"those that were not are counted as dropped.", t.retention))
	}
	return d
}

// acknowledged is what the end of a publish means.
func (s *settings) acknowledged() string {
	const disk = "; on disk it is when the broker's system writes it there"
	switch s.acks {
	case "1":
		return "the leader of the partition has the message, and maybe no other replica (acks=1)" + disk
	case "0":
		return "the client has written the message to its connection; no broker said anything of it (acks=0)"
	}
	return "all replicas that are in sync have the message (acks=all)" + disk
}

// publishing says in which ways messages are not published as without options.
func (s *settings) publishing() (notes []string) {
	switch s.acks {
	case "1":
		notes = append(notes, "With acks=1 a message that was acknowledged is lost if its leader fails before others "+
			"have it.")
	case "0":
		notes = append(notes, "With acks=0 the time of publishing is that of handing a message to the connection, and a "+
			"message that the broker refuses or never sees is lost without an error.")
	}
	if s.compression != "none" {
		notes = append(notes, fmt.Sprintf("Requests are compressed by %s; counts of bytes are those before that.",
			s.compression))
	}
	if s.linger > 0 {
		notes = append(notes, fmt.Sprintf("A message waits up to %s for others of its partition, which is part of its "+
			"time of publishing.", s.linger))
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
			"%q is not the name of a subscription: it is letters, digits, '-' and '_'", o.Name)
	}
	s, err := t.subscribe(ctx, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*kafkaTopic) Close() error { return nil }
