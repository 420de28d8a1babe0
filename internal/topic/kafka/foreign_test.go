package kafka

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// An ephemeral subscription deletes its own group and leaves existing ones, with their offsets.
func TestForeignGroupStays(t *testing.T) {
	c := startFake(t)
	makeTopic(t, c, "orders")
	makeTopic(t, c, "mine")
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	orders := mustOpen(t, "kafka://%s/orders", brokers(c))
	id, ids, err := orders.partitions(within(t), client)
	if err != nil {
		t.Fatal(err)
	}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = "mine-billing", -1
	of := kmsg.NewOffsetCommitRequestTopic()
	of.Topic, of.TopicID = "orders", id
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = ids[0], 4711
	of.Partitions = append(of.Partitions, p)
	req.Topics = append(req.Topics, of)
	resp, err := req.RequestWith(within(t), client)
	if err == nil {
		err = commitError(resp)
	}
	if err != nil {
		t.Fatal(err)
	}
	made := mustOpen(t, "kafka://%s/mine?session=1m", brokers(c))
	for _, name := range []string{"billing", "ours"} {
		s := mustSubscribe(t, made, topic.SubscribeOptions{Name: name, Batch: 10, Ephemeral: true})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for group, want := range map[string]bool{"mine-billing": true, "mine-ours": false} {
		if there, err := exists(within(t), client, group); err != nil || there != want {
			t.Errorf("the group %s is there: %t (%v), want %t", group, there, err, want)
		}
	}
	missing, err := orders.uncommitted(within(t), client, "mine-billing", id, ids)
	if err != nil || slices.Contains(missing, ids[0]) || len(missing) != len(ids)-1 {
		t.Errorf("the other program has committed nothing for %v of %v: %v", missing, ids, err)
	}
}
