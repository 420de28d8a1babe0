package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// inFlight is how many requests a publisher has on the way to one broker at most; what comes
// then shares the next one.
const inFlight = 64

// publisher publishes.
type publisher struct {
	topic  *kafkaTopic
	client *kgo.Client
	watch  *watch
}

func (t *kafkaTopic) newPublisher(ctx context.Context) (*publisher, error) {
	w := &watch{quota: &t.quota}
	client, err := t.connect(ctx,
		kgo.DefaultProduceTopic(t.settings.topic), kgo.RequiredAcks(t.settings.requiredAcks()),
		kgo.ProducerLinger(t.settings.linger),
		// Each call is one attempt: whoever calls tries again.
		kgo.DisableIdempotentWrite(), kgo.RecordRetries(0), kgo.UnknownTopicRetries(0),
		kgo.MaxProduceRequestsInflightPerBroker(inFlight),
		kgo.RecordDeliveryTimeout(t.timeout), kgo.ProduceRequestTimeout(t.timeout),
		kgo.ProducerBatchCompression(t.settings.codec()), kgo.ProducerBatchMaxBytes(int32(t.maxBatch)),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.WithHooks(w),
	)
	if err != nil {
		return nil, err
	}
	return &publisher{topic: t, client: client, watch: w}, nil
}

// requiredAcks are those that a publisher waits for.
func (s *settings) requiredAcks() kgo.Acks {
	switch s.acks {
	case "1":
		return kgo.LeaderAck()
	case "0":
		return kgo.NoAck()
	}
	return kgo.AllISRAcks()
}

// codec is how requests are compressed.
func (s *settings) codec() kgo.CompressionCodec {
	switch s.compression {
	case "gzip":
		return kgo.GzipCompression()
	case "snappy":
		return kgo.SnappyCompression()
	case "lz4":
		return kgo.Lz4Compression()
	case "zstd":
		return kgo.ZstdCompression()
	}
	return kgo.NoCompression()
}

// Publish sends the message and returns when the broker has acknowledged it.
func (p *publisher) Publish(ctx context.Context, payload []byte) error {
	const doing = "publishing"
	if limit := p.topic.maxMessage(); len(payload) > limit {
		return topic.Fail(topic.CauseTooLarge, true, "%s: the message has %d bytes, but the topic allows %d",
			doing, len(payload), limit)
	}
	within, cancel := context.WithTimeout(ctx, p.topic.timeout)
	defer cancel()
	began, result := time.Now(), make(chan error, 1)
	// The copy is the client's: it may still be sending when this call is given up.
	record := &kgo.Record{Value: bytes.Clone(payload)}
	p.client.Produce(within, record, func(_ *kgo.Record, err error) { result <- err })
	var err error
	select {
	case err = <-result:
	case <-within.Done():
		err = within.Err()
	}
	if err == nil {
		return nil
	}
	// After its only try the client does not say why that failed.
	if errors.Is(err, kgo.ErrRecordRetries) {
		if last := p.watch.since(began); last != nil {
			err = last
		} else {
			return topic.Fail(topic.CauseClosed, false, "%s: the connection was lost", doing)
		}
	}
	late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if quota := p.topic.quota.since(began); late && quota > 0 {
		return topic.Fail(topic.CauseTimeout, false, "%s: no response in time, because the broker throttled the "+
			"publisher for %s: lower the rate, or raise the quota (producer_byte_rate, request_percentage)", doing, quota)
	}
	return explain(ctx, doing, err)
}

func (p *publisher) Close() error {
	p.client.Close()
	return nil
}

// quota counts the times for which brokers throttled the publishers of a topic, because they exceeded a quota.
type quota struct {
	mu      sync.Mutex
	count   int64
	longest time.Duration
	last    time.Duration
	at      time.Time // of the last
}

// since returns the last throttle time, or 0 if the broker asked for none since then.
func (q *quota) since(t time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at.Add(q.last).Before(t) {
		return 0
	}
	return q.last
}

// note describes the throttling for the report, or returns "".
func (q *quota) note() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count == 0 {
		return ""
	}
	times := "times"
	if q.count == 1 {
		times = "time"
	}
	return fmt.Sprintf("The broker throttled the publishers (%d %s, for up to %s) because they exceeded a quota such "+
		"as producer_byte_rate or request_percentage. Publish times include these waits.", q.count, times,
		q.longest)
}

// watch remembers the last error of a connection.
type watch struct {
	quota *quota

	mu   sync.Mutex
	last error
	at   time.Time
}

// OnBrokerConnect is called by the library.
func (w *watch) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	w.noteError(err)
}

// OnBrokerE2E is called by the library.
func (w *watch) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e kgo.BrokerE2E) { w.noteError(e.Err()) }

// OnBrokerThrottle is called by the library.
func (w *watch) OnBrokerThrottle(_ kgo.BrokerMetadata, interval time.Duration, _ bool) {
	q := w.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count++
	q.last, q.at = interval, time.Now()
	q.longest = max(q.longest, interval)
}

func (w *watch) noteError(err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.at = err, time.Now()
}

// since is the last error, if it is not older.
func (w *watch) since(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at.Before(t) {
		return nil
	}
	return w.last
}
