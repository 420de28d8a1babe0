package kafka

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// produceResponse answers a request to publish with this code for each partition.
func produceResponse(req kmsg.Request, code int16) *kmsg.ProduceResponse {
	in := req.(*kmsg.ProduceRequest)
	resp := in.ResponseKind().(*kmsg.ProduceResponse)
	for _, from := range in.Topics {
		to := kmsg.NewProduceResponseTopic()
		to.Topic, to.TopicID = from.Topic, from.TopicID
		for _, fp := range from.Partitions {
			tp := kmsg.NewProduceResponseTopicPartition()
			tp.Partition, tp.ErrorCode = fp.Partition, code
			to.Partitions = append(to.Partitions, tp)
		}
		resp.Topics = append(resp.Topics, to)
	}
	return resp
}

// Throttling by a quota is reported, and named where a publish timed out.
func TestQuotaIsReported(t *testing.T) {
	c := startFake(t)
	made := mustOpen(t, "kafka://%s/t?partitions=1&replicas=1", brokers(c))
	p := mustPublisher(t, made)
	c.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := produceResponse(req, 0)
		resp.ThrottleMillis = 3_600_000
		return resp, nil, true
	})
	if err := p.Publish(within(t), []byte("x")); err != nil {
		t.Fatal(err)
	}
	made.timeout = 50 * time.Millisecond
	err := p.Publish(within(t), []byte("x"))
	if topic.CauseOf(err) != topic.CauseTimeout || !strings.Contains(err.Error(), "throttled the publisher for 1h0m0s") {
		t.Errorf("%v with the cause %s", err, topic.CauseOf(err))
	}
	const want = "The broker throttled the publishers (1 time, for up to 1h0m0s) because they exceeded a quota"
	if notes := strings.Join(made.Describe().Notes, "\n"); !strings.Contains(notes, want) {
		t.Errorf("%q is not in the notes %q", want, notes)
	}
}

// Publish makes one request and returns the error of the broker.
func TestPublishIsOneRequest(t *testing.T) {
	c := startFake(t)
	made := mustOpen(t, "kafka://%s/t?partitions=1&replicas=1", brokers(c))
	p := mustPublisher(t, made)
	var requests atomic.Int64
	var answer atomic.Pointer[kerr.Error]
	c.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		requests.Add(1)
		code := answer.Load()
		if code == nil {
			return nil, nil, false
		}
		return produceResponse(req, code.Code), nil, true
	})
	for _, test := range []struct {
		code  *kerr.Error
		cause string
		final bool
	}{
		{kerr.NotEnoughReplicas, topic.CauseUnavailable, false},
		{kerr.NotLeaderForPartition, topic.CauseUnavailable, false},
		{kerr.UnknownTopicOrPartition, topic.CauseNotFound, false},
		{kerr.MessageTooLarge, topic.CauseTooLarge, true},
		{kerr.TopicAuthorizationFailed, topic.CauseDenied, true},
		{kerr.RequestTimedOut, topic.CauseTimeout, false},
	} {
		answer.Store(test.code)
		requests.Store(0)
		err := p.Publish(within(t), []byte("x"))
		known, ok := err.(*topic.Error)
		if !ok || known.Cause != test.cause || known.Final != test.final ||
			!strings.Contains(err.Error(), test.code.Message) {
			t.Errorf("%s: %v (cause %s)", test.code.Message, err, topic.CauseOf(err))
		}
		if n := requests.Load(); n != 1 {
			t.Errorf("%s: %d requests, want 1", test.code.Message, n)
		}
	}
	answer.Store(nil)
	if err := p.Publish(within(t), []byte("x")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestBrokerGone: a broker that has ended is an error with a cause, in time.
func TestBrokerGone(t *testing.T) {
	c := startFake(t, kfake.NumBrokers(1))
	at := brokers(c)
	made := mustOpen(t, "kafka://%s/t?partitions=1&replicas=1", at)
	p := mustPublisher(t, made)
	if err := p.Publish(within(t), []byte("x")); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for range 3 {
		err := p.Publish(within(t), []byte("x"))
		if cause := topic.CauseOf(err); cause != topic.CauseRefused && cause != topic.CauseClosed {
			t.Errorf("%v (cause %s), want %s or %s", err, cause, topic.CauseRefused, topic.CauseClosed)
		}
	}
	u, err := url.Parse("kafka://" + at + "/t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(within(t),
		topic.Config{URL: u, Timeout: topictest.Patience}); topic.CauseOf(err) != topic.CauseRefused ||
		!strings.Contains(err.Error(), at) {
		t.Errorf("opening: %v (cause %s), want %s", err, topic.CauseOf(err), topic.CauseRefused)
	}
}

// Each SASL mechanism works, and a wrong password is refused.
func TestLogin(t *testing.T) {
	c := startFake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "ann", "geheim1"),
		kfake.Superuser("SCRAM-SHA-256", "bob", "geheim2"), kfake.Superuser("SCRAM-SHA-512", "cy", "geheim3"))
	for _, test := range []struct {
		login, sasl, cause string
	}{
		{"ann:geheim1@", "?sasl=plain", ""},
		{"bob:geheim2@", "?sasl=scram-sha-256", ""},
		{"cy:geheim3@", "?sasl=scram-sha-512", ""},
		{"ann:geheim9@", "?sasl=plain", topic.CauseClosed}, // kfake says nothing, as Kafka before version 1
		{"bob:geheim9@", "?sasl=scram-sha-256", topic.CauseClosed},
		{"", "?sasl=plain", ""}, // from the environment
	} {
		t.Setenv("KAFKA_USERNAME", "ann")
		t.Setenv("KAFKA_PASSWORD", "geheim1")
		_, err := open(t, "kafka://%s%s/t%s", test.login, brokers(c), test.sasl)
		if (err == nil) != (test.cause == "") || err != nil &&
			(topic.CauseOf(err) != test.cause || strings.Contains(err.Error(), "geheim")) {
			t.Errorf("%s%s: %v (cause %s), want %q", test.login, test.sasl, err, topic.CauseOf(err), test.cause)
		}
	}
}

// TestTopics: topics that are not there, or are of no use.
func TestTopics(t *testing.T) {
	c := startFake(t)
	_, err := open(t, "kafka://%s/none?create=false", brokers(c))
	if topic.CauseOf(err) != topic.CauseNotFound || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v, want %s", err, topic.CauseNotFound)
	}
	made := mustOpen(t, "kafka://%s/made?partitions=7&replicas=1", brokers(c))
	client, err := made.connect(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, ids, err := made.partitions(within(t), client); err != nil || len(ids) != 7 {
		t.Errorf("it has %d partitions, want 7 (%v)", len(ids), err)
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, "made"
	for name, value := range map[string]string{"max.message.bytes": "5000", "retention.ms": "60000",
		"retention.bytes": "70000"} {
		s := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		s.Name, s.Value = name, kmsg.StringPtr(value)
		r.Configs = append(r.Configs, s)
	}
	req.Resources = append(req.Resources, r)
	if _, err := req.RequestWith(within(t), client); err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, "kafka://%s/made", brokers(c)).Describe()
	if d.MaxMessage != 5000-overhead || d.BrokerTime == "" ||
		!strings.Contains(strings.Join(d.Notes, " "), "after 1m0s") ||
		!strings.Contains(strings.Join(d.Notes, " "), "keeps 70000 bytes per partition") {
		t.Errorf("%+v", d)
	}
}

func TestParse(t *testing.T) {
	t.Setenv("KAFKA_USERNAME", "")
	defaults := settings{
		brokers: []string{"h:9092"}, topic: defaultTopic, create: true, partitions: 4, replicas: -1,
		ackWait: 30 * time.Second, session: 10 * time.Second, acks: "all", compression: "none",
	}
	topictest.Parse(t, parse, defaults, []topictest.Parsed[settings]{
		{URL: "kafka://h", Want: func(*settings) {}},
		{URL: "kafka://h,i:1,j:2/a.b_c-d?partitions=9&replicas=3&create=false", Want: func(s *settings) {
			s.brokers, s.topic = []string{"h:9092", "i:1", "j:2"}, "a.b_c-d"
			s.partitions, s.replicas, s.create = 9, 3, false
		}},
		{URL: "kafka://[::1]:3/t", Want: func(s *settings) { s.brokers, s.topic = []string{"[::1]:3"}, "t" }},
		{URL: "kafka://u:geheim@h?sasl=plain&tls=true&ack_wait=5s&session=6s", Want: func(s *settings) {
			s.user, s.password, s.sasl, s.tls = "u", "geheim", "plain", true
			s.ackWait, s.session = 5*time.Second, 6*time.Second
		}},
		{URL: "kafka://h?ca=a&cert=b&key=c",
			Want: func(s *settings) { s.files, s.tls = topic.Certificates{CA: "a", Cert: "b", Key: "c"}, true }},
		{URL: "kafka://h?acks=1&compression=zstd&linger=5ms",
			Want: func(s *settings) { s.acks, s.compression, s.linger = "1", "zstd", 5*time.Millisecond }},
		{URL: "kafka://h?acks=2", Err: `acks="2" is not all, 1 or 0`},
		{URL: "kafka://h?compression=zip", Err: `compression="zip" is not none, gzip, snappy, lz4 or zstd`},
		{URL: "kafka://h?linger=5", Err: `linger="5" is not a duration between 0s and 10s, such as 5ms`},
		{URL: "kafka://h?linger=-1s", Err: "is not a duration between 0s"},
		{URL: "nats://h", Err: `the scheme "nats"`},
		{URL: "kafka:///t", Err: "no host"},
		{URL: "kafka://h:1,:2/t", Err: `":2" is not a broker`},
		{URL: "kafka://h/a/b", Err: "not a valid topic name"},
		{URL: "kafka://h/..", Err: "not a valid topic name"},
		{URL: "kafka://u:geheim@h", Err: "no sasl="},
		{URL: "kafka://u:geheim@h?sasl=gssapi", Err: "is not plain"},
		{URL: "kafka://u@h?sasl=plain", Err: "requires a user and a password"},
		{URL: "kafka://h?sasl=plain", Err: "requires a user and a password"},
		{URL: "kafka://h?cert=x", Err: "set together"},
		{URL: "kafka://h?partitions=0", Err: "not a number between 1"},
		{URL: "kafka://h?ack_wait=1", Err: "not a duration"},
		{URL: "kafka://h?tls=x", Err: "true or false"},
		{URL: "kafka://h?x=y", Err: `no option "x"`},
		{URL: "kafka://h?a=%zz", Err: "is invalid"},
	})
}

func TestOpenEndsWithItsContext(t *testing.T) {
	topictest.GivesUp(t, func(ctx context.Context, address string) error {
		_, err := Open(ctx, topic.Config{URL: &url.URL{Scheme: "kafka", Host: address, Path: "/t"}, Timeout: 10 * time.Minute})
		return err
	})
}
