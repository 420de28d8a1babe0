package pubsub

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// library is the client's import path.
const library = "cloud.google.com/go/pubsub/v2"

// maxRequest is what Pub/Sub takes in a request, and overhead what is beside the payload at most:
// the topic's name, which has up to 350 bytes, and some lengths.
const (
	maxRequest = 10_000_000
	overhead   = 512
)

// pubsubTopic is an opened topic.
type pubsubTopic struct {
	settings settings
	timeout  time.Duration
	max      int // bytes of a payload; smaller in tests
}

// Open reaches the service, and finds or makes the topic.
func Open(ctx context.Context, c topic.Config) (topic.Topic, error) {
	s, err := parse(c.URL)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	t := &pubsubTopic{settings: s, timeout: c.Timeout, max: maxRequest - overhead}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	if s.linger >= t.timeout {
		return nil, topic.Fail(topic.CauseUsage, true, "linger=%s leaves no time to send a message: publishing times out "+
			"after %s",
			s.linger, t.timeout)
	}
	doing := "the topic " + s.topicName()
	client, err := pubsub.NewTopicAdminClient(ctx, t.options()...)
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	defer func() { _ = client.Close() }()
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	_, err = client.GetTopic(within, &pb.GetTopicRequest{Topic: s.topicName()}, once())
	if status.Code(err) == codes.NotFound && s.create {
		_, err = client.CreateTopic(within, &pb.Topic{Name: s.topicName()}, once())
		if status.Code(err) == codes.AlreadyExists { // by another, just now
			err = nil
		}
	}
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	return t, nil
}

// options are those of each client.
func (t *pubsubTopic) options() []option.ClientOption {
	options := []option.ClientOption{option.WithUserAgent("plimsoll")}
	if os.Getenv("PUBSUB_EMULATOR_HOST") == "" {
		options = append(options, option.WithGRPCConnectionPool(1),
			// A connection that is gone without a word is noticed within six minutes, as by Google's client.
			option.WithGRPCDialOption(grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 5 * time.Minute})))
	}
	if t.settings.endpoint != "" {
		options = append(options, option.WithEndpoint(t.settings.endpoint))
	}
	return options
}

// once turns the library's retries off for a call.
func once() gax.CallOption { return gax.WithRetry(func() gax.Retryer { return nil }) }

// Describe tells what the transport is and can.
func (t *pubsubTopic) Describe() topic.Description {
	where := "pubsub.googleapis.com:443"
	if t.settings.endpoint != "" {
		where = t.settings.endpoint
	} else if emulator := os.Getenv("PUBSUB_EMULATOR_HOST"); emulator != "" {
		where = emulator[strings.LastIndexByte(emulator, '@')+1:]
	}
	d := topic.Description{
		Transport: "Google Cloud Pub/Sub", Metrics: "GcpPubSub", Clock: "GCP", Client: library, Endpoint: where,
		AtLeastOnce: true, Durable: true, MaxMessage: t.max,
		Acknowledged: "Pub/Sub has stored the message",
		BrokerTime:   "when Pub/Sub received the message, in whole milliseconds",
		Notes: []string{
			"Pub/Sub pushes messages over streams: a receive call only measures how long a listener waits.",
			"Acknowledgement times end with Pub/Sub's response. It guarantees the acknowledgement only for subscriptions " +
				"with exactly-once delivery; otherwise a message can still be redelivered.",
			fmt.Sprintf("A message that is not acknowledged within %s is delivered again.", t.settings.deadline),
			"The backlog is available only in Cloud Monitoring, several minutes late.",
		},
	}
	if t.settings.zip {
		d.Notes = append(d.Notes, "Publish requests are compressed with gzip; byte counts are before compression.")
	}
	if t.settings.linger > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("A message waits up to %s for others, or until a batch has %d messages or "+
			"%d bytes; the publish time includes this wait.", t.settings.linger, fullCount, fullBytes))
	}
	return d
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*pubsubTopic) Close() error { return nil }
