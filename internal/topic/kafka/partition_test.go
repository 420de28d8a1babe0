package kafka

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// until waits for something that happens elsewhere.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ctx := within(t); !happened(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}

// A batch that is too large when decompressed is skipped, reported once and counted.
func TestOversizedBatchIsSkipped(t *testing.T) {
	c := startFake(t)
	made := mustOpen(t, "kafka://%s/t?partitions=1&replicas=1&session=1m", brokers(c))
	made.options = append(made.options, kgo.MaxDecompressBatchBytes(1<<20))
	s := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 10})
	p := mustPublisher(t, made)
	foreign, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic("t"),
		kgo.ProducerBatchMaxBytes(4<<20),
		kgo.ProducerBatchCompression(kgo.GzipCompression()), kgo.ManualFlushing())
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	send := func(values ...[]byte) { // in one batch, when the library knows the topic
		for _, value := range values {
			foreign.Produce(within(t), &kgo.Record{Value: value}, func(_ *kgo.Record, err error) {
				if err != nil {
					t.Error(err)
				}
			})
		}
		if err := foreign.Flush(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	send([]byte("0"))
	if err := s.Ack(within(t), []topic.Message{gather(t, s, 1)["0"]}); err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	send(zeros, zeros)
	publish(t, p, 1, 2)
	_, err = s.Receive(within(t))
	if topic.CauseOf(err) != topic.CauseTooLarge ||
		!strings.Contains(err.Error(), "partition 0: skipped messages 1 to 2") {
		t.Errorf("%v (cause %s)", err, topic.CauseOf(err))
	}
	got := gather(t, s, 2)
	if err := s.Ack(within(t), []topic.Message{got["1"], got["2"]}); err != nil {
		t.Error(err)
	}
	b, err := s.Backlog(within(t))
	if want := (topic.Backlog{Dropped: 2}); b != want || err != nil {
		t.Errorf("%+v, want %+v (%v)", b, want, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// What was skipped is committed with the rest, and does not come again.
	again := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 10})
	defer func() { _ = again.Close() }()
	publish(t, p, 3, 3)
	gather(t, again, 1)
}
