package pubsub

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) {
	pstest.SetMinAckDeadline(time.Second)
	encoding.RegisterCodecV2(ordered{encoding.GetCodecV2("proto"), new(sync.Mutex)})
	leaktest.Main(m)
}

// ordered encodes messages in turn with the fake's looks at the clock, with which each of its
// deliveries begins. The fake changes a message that it delivers again, and would otherwise do so
// without having heard from the goroutine that encoded it for a stream which ended with that: a
// data race, if seconds after the fact.
type ordered struct {
	encoding.CodecV2
	turn *sync.Mutex
}

func (o ordered) Marshal(v any) (mem.BufferSlice, error) {
	o.turn.Lock()
	defer o.turn.Unlock()
	return o.CodecV2.Marshal(v)
}

func (o ordered) now() time.Time {
	o.turn.Lock()
	defer o.turn.Unlock()
	return time.Now()
}

// start starts Google's fake, which ends with the test.
func start(t *testing.T, options ...pstest.ServerReactorOption) *pstest.Server {
	t.Helper()
	s := pstest.NewServer(options...)
	s.SetTimeNowFunc(encoding.GetCodecV2("proto").(ordered).now)
	t.Setenv("PUBSUB_EMULATOR_HOST", s.Addr)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func open(t *testing.T, format string, args ...any) (*pubsubTopic, error) {
	t.Helper()
	u, err := url.Parse(fmt.Sprintf(format, args...))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: topictest.Patience})
	if err != nil {
		return nil, err
	}
	return opened.(*pubsubTopic), nil
}

func mustOpen(t *testing.T, format string, args ...any) *pubsubTopic {
	t.Helper()
	opened, err := open(t, format, args...)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestTransport(t *testing.T) {
	start(t)
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		// The fake sends one message a stream every 10 ms.
		opened := mustOpen(t, "gcppubsub://test/updates-%d?ack_deadline=%s&streams=4", topics.Add(1), ackTime)
		opened.max = 1 << 20 // the fake takes requests of 4 MiB
		return opened
	})
}

// Missing and unsuitable subscriptions are refused, and ephemeral ones deleted.
func TestSubscriptions(t *testing.T) {
	server := start(t)
	if _, err := open(t, "gcppubsub://test/mine?create=false"); topic.CauseOf(err) != topic.CauseNotFound ||
		!strings.Contains(err.Error(), "projects/test/topics/mine") {
		t.Errorf("a topic that is not there: %v, want %s", err, topic.CauseNotFound)
	}
	mine, other := mustOpen(t, "gcppubsub://test/mine"), mustOpen(t, "gcppubsub://test/other")
	strict := mustOpen(t, "gcppubsub://projects/test/topics/mine?create=false")
	if _, err := strict.Subscribe(within(t),
		topic.SubscribeOptions{Name: "a"}); topic.CauseOf(err) != topic.CauseNotFound {
		t.Errorf("a subscription that is not there: %v, want %s", err, topic.CauseNotFound)
	}
	for _, o := range []topic.SubscribeOptions{{Name: "a"}, {Name: "a", Ephemeral: true},
		{Name: "b", Ephemeral: true}} {
		s, err := mine.Subscribe(within(t), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	left, err := server.GServer.ListSubscriptions(within(t), &pb.ListSubscriptionsRequest{Project: "projects/test"})
	if err != nil || len(left.Subscriptions) != 1 ||
		left.Subscriptions[0].Name != "projects/test/subscriptions/mine-a" {
		t.Errorf("left are %v (%v), want mine-a", left, err)
	}
	for _, strange := range []*pb.Subscription{
		{Name: "projects/test/subscriptions/mine-x", Topic: other.settings.topicName(), AckDeadlineSeconds: 10},
		{Name: "projects/test/subscriptions/mine-y", Topic: mine.settings.topicName(), AckDeadlineSeconds: 10,
			Filter: `attributes.a = "b"`},
		{
			Name: "projects/test/subscriptions/mine-z", Topic: mine.settings.topicName(), AckDeadlineSeconds: 10,
			PushConfig: &pb.PushConfig{PushEndpoint: "https://example.org"},
		},
	} {
		if _, err := server.GServer.CreateSubscription(within(t), strange); err != nil {
			t.Fatal(err)
		}
		_, err := mine.Subscribe(within(t), topic.SubscribeOptions{Name: strange.Name[len(strange.Name)-1:]})
		if cause := topic.CauseOf(err); cause != topic.CauseUsage && cause != topic.CauseUnsupported ||
			!strings.Contains(err.Error(), strange.Name) {
			t.Errorf("%s: %v (cause %s)", strange.Name, err, cause)
		}
	}
}

// counting counts calls.
type counting struct {
	calls atomic.Int64
}

// React is called by the fake.
func (c *counting) React(any) (bool, any, error) {
	c.calls.Add(1)
	return false, nil, nil
}

// Publish makes one request, whatever the response.
func TestPublishIsOneRequest(t *testing.T) {
	for _, test := range []struct {
		code  codes.Code
		cause string
		final bool
	}{
		{codes.Unavailable, topic.CauseUnavailable, false},
		{codes.ResourceExhausted, topic.CauseThrottled, false},
		{codes.PermissionDenied, topic.CauseDenied, true},
		{codes.NotFound, topic.CauseNotFound, false},
		{codes.InvalidArgument, topic.CauseUsage, true},
		{codes.DeadlineExceeded, topic.CauseTimeout, false},
		{codes.Internal, topic.CauseUnavailable, false},
		{codes.DataLoss, topic.CauseProtocol, false},
	} {
		t.Run(test.code.String(), func(t *testing.T) {
			calls := &counting{}
			start(t, pstest.ServerReactorOption{FuncName: "Publish", Reactor: calls},
				pstest.WithErrorInjection("Publish", test.code, "sorry\nmore"))
			p, err := mustOpen(t, "gcppubsub://test/mine").Publisher(within(t))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			err = p.Publish(within(t), []byte("x"))
			known, ok := err.(*topic.Error)
			if !ok || known.Cause != test.cause || known.Final != test.final ||
				!strings.HasSuffix(err.Error(), ": sorry") {
				t.Errorf("%v (cause %s), want %s", err, topic.CauseOf(err), test.cause)
			}
			if n := calls.calls.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// After the server has ended, publishing and receiving fail.
func TestServerGone(t *testing.T) {
	// Nobody else listens there when it has ended. It does not bear to be closed twice.
	server := pstest.NewServerWithAddress(peertest.Addresses(t, 1)[0])
	t.Setenv("PUBSUB_EMULATOR_HOST", server.Addr)
	mine := mustOpen(t, "gcppubsub://test/mine")
	s, err := mine.Subscribe(within(t), topic.SubscribeOptions{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := mine.Publisher(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Publish(within(t), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Receive(within(t)); err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	if err := p.Publish(within(t), []byte("x")); topic.CauseOf(err) != topic.CauseRefused &&
		topic.CauseOf(err) != topic.CauseClosed {
		t.Errorf("publishing: %v (cause %s)", err, topic.CauseOf(err))
	}
	for {
		_, err := s.Receive(within(t))
		if err == nil {
			t.Fatal("something was received of a server that is gone")
		}
		if topic.CauseOf(err) == topic.CauseRefused {
			break
		}
	}
	_ = p.Close()
	_ = s.Close()
	if _, err := open(t, "gcppubsub://test/mine"); topic.CauseOf(err) != topic.CauseRefused {
		t.Errorf("opening: %v (cause %s), want %s", err, topic.CauseOf(err), topic.CauseRefused)
	}
}

func TestParse(t *testing.T) {
	defaults := settings{topic: defaultTopic, create: true, deadline: time.Minute}
	topictest.Parse(t, parse, defaults, []topictest.Parsed[settings]{
		{URL: "gcppubsub://my-project", Want: func(s *settings) { s.project = "my-project" }},
		{URL: "gcppubsub://p1/updates?create=false&ack_deadline=10m&streams=7&endpoint=europe-west1-pubsub.googleapis.com:443", Want: func(s *settings) {
			s.project, s.topic, s.create, s.streams = "p1", "updates", false, 7
			s.deadline, s.endpoint = 10*time.Minute, "europe-west1-pubsub.googleapis.com:443"
		}},
		{URL: "gcppubsub://projects/p1/topics/updates",
			Want: func(s *settings) { s.project, s.topic = "p1", "updates" }},
		{URL: "gcppubsub://p?compression=gzip&linger=10ms",
			Want: func(s *settings) { s.project, s.zip, s.linger = "p", true, 10*time.Millisecond }},
		{URL: "gcppubsub://p?compression=zstd", Err: `compression="zstd" is not none or gzip`},
		{URL: "gcppubsub://p?linger=1m", Err: "is not a duration between 0s and 10s"},
		{URL: "gcppubsub://p?acks=all", Err: `no option "acks"`},
		{URL: "nats://p", Err: `the scheme "nats"`},
		{URL: "gcppubsub://u:geheim@p/t", Err: "the URL contains a user"},
		{URL: "gcppubsub:///t", Err: "is not a valid project"},
		{URL: "gcppubsub://p/a/b", Err: "not a valid topic name"},
		{URL: "gcppubsub://p/ab", Err: "not a valid topic name"},
		{URL: "gcppubsub://p/google-x", Err: "not a valid topic name"},
		{URL: "gcppubsub://p?ack_deadline=1500ms", Err: "whole seconds"},
		{URL: "gcppubsub://p?ack_deadline=11m", Err: "up to 10m"},
		{URL: "gcppubsub://p?streams=0", Err: "between 1 and 64"},
		{URL: "gcppubsub://p?endpoint=http://x", Err: "not HOST:PORT"},
		{URL: "gcppubsub://p?create=x", Err: "true or false"},
		{URL: "gcppubsub://p?x=y", Err: `no option "x"`},
		{URL: "gcppubsub://p?a=%zz", Err: "is invalid"},
	})
}
