package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// commitStart makes a group that is new begin at the ends of the partitions as they are now, and has that
// committed. Partitions for which something is committed stay as they are.
// It reports whether there was no such group before.
func (t *kafkaTopic) commitStart(ctx context.Context, client *kgo.Client, group string) (made bool, err error) {
	err = patiently(ctx, func() error {
		there, err := exists(ctx, client, group)
		made = !there
		return err
	})
	if err != nil {
		return false, err
	}
	return made, patiently(ctx, func() error { return t.tryCommitStart(ctx, client, group) })
}

func (t *kafkaTopic) tryCommitStart(ctx context.Context, client *kgo.Client, group string) error {
	id, ids, err := t.partitions(ctx, client)
	if err != nil {
		return err
	}
	missing, err := t.uncommitted(ctx, client, group, id, ids)
	if err != nil || len(missing) == 0 {
		return err
	}
	offsets, err := t.ends(ctx, client, missing)
	if err != nil {
		return err
	}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = group, -1
	wanted := kmsg.NewOffsetCommitRequestTopic()
	wanted.Topic, wanted.TopicID = t.settings.topic, id
	for id, offset := range offsets {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset = id, offset
		wanted.Partitions = append(wanted.Partitions, p)
	}
	req.Topics = append(req.Topics, wanted)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	// A group that has members has begun; what they have not committed is theirs.
	if err := commitError(resp); !errors.Is(err, kerr.UnknownMemberID) {
		return err
	}
	return nil
}

// uncommitted are the partitions for which the group has nothing committed.
func (t *kafkaTopic) uncommitted(ctx context.Context, client *kgo.Client, group string, id [16]byte,
	ids []int32) ([]int32, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = group
	wanted := kmsg.NewOffsetFetchRequestTopic()
	wanted.Topic, wanted.Partitions = t.settings.topic, ids
	req.Topics = append(req.Topics, wanted)
	of := kmsg.NewOffsetFetchRequestGroup() // from version 8 on
	of.Group = group
	one := kmsg.NewOffsetFetchRequestGroupTopic()
	one.Topic, one.TopicID, one.Partitions = t.settings.topic, id, ids // by its identifier from version 10 on
	of.Topics = append(of.Topics, one)
	req.Groups = append(req.Groups, of)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	// Some brokers say of a group that is new that there is none.
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return nil, err
	}
	committed := map[int32]bool{}
	for _, r := range resp.Topics {
		for _, p := range r.Partitions {
			committed[p.Partition] = p.Offset >= 0
		}
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return nil, err
		}
		for _, r := range g.Topics {
			for _, p := range r.Partitions {
				committed[p.Partition] = p.Offset >= 0
			}
		}
	}
	var missing []int32
	for _, id := range ids {
		if !committed[id] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// commitError is the first error in the answer to a commit.
func commitError(resp *kmsg.OffsetCommitResponse) error {
	for _, r := range resp.Topics {
		for _, p := range r.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// exists reports whether there is a group of this name, with members or with offsets of any topic.
func exists(ctx context.Context, client *kgo.Client, group string) (bool, error) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = append(req.Groups, group)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return false, err
	}
	for _, g := range resp.Groups {
		if errors.Is(kerr.ErrorForCode(g.ErrorCode), kerr.GroupIDNotFound) || g.ErrorCode == 0 && g.State == "Dead" {
			return false, nil
		}
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return false, err
		}
	}
	return true, nil
}

// forget removes the group.
func forget(ctx context.Context, client *kgo.Client, group string) error {
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = append(req.Groups, group)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return err
		}
	}
	return nil
}
