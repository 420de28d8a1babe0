package kafka

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// startFake starts a fake cluster, which ends with the test. When it has ended nobody else listens there.
func startFake(t testing.TB, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	listen := func(network, _ string) (net.Listener, error) {
		return net.Listen(network, peertest.Addresses(t, 1)[0])
	}
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(2), kfake.ListenFn(listen),
		kfake.GroupMinSessionTimeout(100 * time.Millisecond)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func brokers(c *kfake.Cluster) string { return strings.Join(c.ListenAddrs(), ",") }

// open opens the topic that a URL names.
func open(t testing.TB, format string, args ...any) (*kafkaTopic, error) {
	t.Helper()
	u, err := url.Parse(fmt.Sprintf(format, args...))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: topictest.Patience})
	if err != nil {
		return nil, err
	}
	return opened.(*kafkaTopic), nil
}

func mustOpen(t testing.TB, format string, args ...any) *kafkaTopic {
	t.Helper()
	opened, err := open(t, format, args...)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func mustSubscribe(t testing.TB, made *kafkaTopic, o topic.SubscribeOptions) *subscription {
	t.Helper()
	s, err := made.Subscribe(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*subscription)
}

func mustPublisher(t testing.TB, made *kafkaTopic) topic.Publisher {
	t.Helper()
	p, err := made.Publisher(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// TestFake is the whole suite against kfake, which is by the client's author.
func TestFake(t *testing.T) {
	c := startFake(t)
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		name := fmt.Sprintf("updates-%d", topics.Add(1))
		makeTopic(t, c, name)
		return mustOpen(t, "kafka://%s/%s?ack_wait=%s&session=1m", brokers(c), name, ackTime)
	})
}

// makeTopic makes a topic with the publishers' times, because kfake knows no others.
func makeTopic(t *testing.T, c *kfake.Cluster, name string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	req := kmsg.NewPtrCreateTopicsRequest()
	made := kmsg.NewCreateTopicsRequestTopic()
	made.Topic, made.NumPartitions, made.ReplicationFactor = name, 3, 1
	req.Topics = append(req.Topics, made)
	resp, err := req.RequestWith(within(t), client)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestKafka is the suite against Apache Kafka.
func TestKafka(t *testing.T) {
	jars := os.Getenv("PLIMSOLL_KAFKA")
	if jars == "" {
		t.Skip("PLIMSOLL_KAFKA is not set; run 'make test-transports'")
	}
	broker, guarded := startKafka(t, jars)
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		return mustOpen(t, "kafka://%s/updates-%d?ack_wait=%s&session=1m&partitions=3", broker, topics.Add(1), ackTime)
	})
	t.Run("login", func(t *testing.T) {
		mustOpen(t, "kafka://ann:geheim1@%s/login?sasl=plain", guarded)
		_, err := open(t, "kafka://ann:geheim9@%s/login?sasl=plain", guarded)
		if topic.CauseOf(err) != topic.CauseDenied || strings.Contains(err.Error(), "geheim") {
			t.Errorf("with a wrong password: %v, want %s", err, topic.CauseDenied)
		}
	})
	t.Run("restart", func(t *testing.T) { restart(t, broker) })
	t.Run("rebalance", func(t *testing.T) { rebalance(t, broker) })
	t.Run("retention", func(t *testing.T) { retention(t, broker) })
}
