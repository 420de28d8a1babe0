package kafka

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// The timestamps that stand for a partition's ends in a request for offsets.
const atEnd = -1

// config is what matters of a topic's configuration.
type config struct {
	maxBatch  int // max.message.bytes, which is of a batch with one message or more
	logAppend bool
	retention time.Duration // 0 is for ever
	size      int64         // retention.bytes, of a partition; 0 is without a bound
}

// partitions are the topic's identifier and its partitions; an error that is kerr.UnknownTopicOrPartition when there
// is no such topic.
func (t *kafkaTopic) partitions(ctx context.Context, client *kgo.Client) (id [16]byte, ids []int32, err error) {
	req := kmsg.NewPtrMetadataRequest()
	wanted := kmsg.NewMetadataRequestTopic()
	wanted.Topic = kmsg.StringPtr(t.settings.topic)
	req.Topics = append(req.Topics, wanted)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return id, nil, err
	}
	if len(resp.Topics) != 1 {
		return id, nil, kerr.UnknownTopicOrPartition
	}
	if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
		return id, nil, err
	}
	for _, p := range resp.Topics[0].Partitions {
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return id, nil, err
		}
		ids = append(ids, p.Partition)
	}
	return resp.Topics[0].TopicID, ids, nil
}

// findTopic finds the topic, or makes it.
func (t *kafkaTopic) findTopic(ctx context.Context, client *kgo.Client) error {
	_, _, err := t.partitions(ctx, client)
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition) && t.settings.create:
		if err := t.createTopic(ctx, client); err != nil {
			return err
		}
		return patiently(ctx, func() error { // all brokers have to hear of it
			if _, _, err := t.partitions(ctx, client); err != nil {
				return err
			}
			return t.configure(ctx, client)
		})
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return topic.Fail(topic.CauseNotFound, true, "the topic does not exist: create it, or remove create=false from "+
			"the URL")
	case err != nil:
		return err
	}
	return t.configure(ctx, client)
}

// patiently tries until it succeeds, fails for good, or ctx is done: a broker that was just started
// has no coordinator for a while, and one that was not told yet does not know a new topic.
func patiently(ctx context.Context, try func() error) error {
	for n := 0; ; n++ {
		err := try()
		if !kerr.IsRetriable(err) || !pauses().Wait(ctx, n) {
			return err
		}
	}
}

// createTopic makes the topic, with the broker's time on each message.
func (t *kafkaTopic) createTopic(ctx context.Context, client *kgo.Client) error {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = int32(t.timeout / time.Millisecond)
	made := kmsg.NewCreateTopicsRequestTopic()
	made.Topic = t.settings.topic
	made.NumPartitions, made.ReplicationFactor = int32(t.settings.partitions), int16(t.settings.replicas)
	c := kmsg.NewCreateTopicsRequestTopicConfig()
	c.Name, c.Value = "message.timestamp.type", kmsg.StringPtr("LogAppendTime")
	made.Configs = append(made.Configs, c)
	req.Topics = append(req.Topics, made)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, r := range resp.Topics {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			cause, final := causeOf(err)
			return topic.Fail(cause, final, "cannot create the topic: %w%s", err, because(r.ErrorMessage))
		}
	}
	return nil
}

// because is what a broker says beside the code.
func because(message *string) string {
	if message == nil || *message == "" {
		return ""
	}
	line, _, _ := strings.Cut(*message, "\n")
	return ": " + line
}

// configure reads the topic's configuration.
func (t *kafkaTopic) configure(ctx context.Context, client *kgo.Client) error {
	req := kmsg.NewPtrDescribeConfigsRequest()
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, t.settings.topic
	r.ConfigNames = []string{"max.message.bytes", "message.timestamp.type", "retention.ms", "retention.bytes",
		"cleanup.policy"}
	req.Resources = append(req.Resources, r)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return err
		}
		for _, c := range r.Configs {
			if c.Value != nil {
				values[c.Name] = *c.Value
			}
		}
	}
	if strings.Contains(values["cleanup.policy"], "compact") {
		return topic.Fail(topic.CauseUnsupported, true,
			"the topic is compacted, which would drop messages: use another topic")
	}
	t.maxBatch, err = strconv.Atoi(values["max.message.bytes"])
	if err != nil || t.maxBatch <= overhead {
		return topic.Fail(topic.CauseProtocol, true, "the topic's max.message.bytes is invalid: %q",
			values["max.message.bytes"])
	}
	t.logAppend = values["message.timestamp.type"] == "LogAppendTime"
	if n, err := strconv.ParseInt(values["retention.bytes"], 10, 64); err == nil && n > 0 {
		t.size = n
	}
	if ms, err := strconv.ParseInt(values["retention.ms"], 10, 64); err == nil && ms > 0 {
		t.retention = time.Duration(min(ms, int64(1<<62)/int64(time.Millisecond))) * time.Millisecond
	}
	return nil
}

// ends are the offsets that the next messages of these partitions will have.
func (t *kafkaTopic) ends(ctx context.Context, client *kgo.Client, ids []int32) (map[int32]int64, error) {
	out := map[int32]int64{}
	if len(ids) == 0 {
		return out, nil
	}
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	wanted := kmsg.NewListOffsetsRequestTopic()
	wanted.Topic = t.settings.topic
	for _, id := range ids {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = id, atEnd
		wanted.Partitions = append(wanted.Partitions, p)
	}
	req.Topics = append(req.Topics, wanted)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	for _, r := range resp.Topics {
		for _, p := range r.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, err
			}
			out[p.Partition] = p.Offset
		}
	}
	return out, nil
}
