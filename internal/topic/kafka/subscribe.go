package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// subscription is a member of a server's group.
type subscription struct {
	topic   *kafkaTopic
	options topic.SubscribeOptions
	group   string
	client  *kgo.Client
	tracker *tracker

	poll    chan struct{} // has room for the one who may wait at the client
	commits chan struct{} // has room for the one who may commit
	joined  chan struct{} // closed when the group has given out its partitions for the first time
	refused chan error    // why it did not, when another try cannot succeed
	first   sync.Once
	made    bool // there was no such group before
	closing chan struct{}
	once    sync.Once
	closed  error // what the first Close said

	// later is an error that came with messages. It belongs to the holder of poll.
	later error
}

// subscribe joins the group, and returns when it has its share of the partitions.
func (t *kafkaTopic) subscribe(ctx context.Context, o topic.SubscribeOptions) (*subscription, error) {
	s := &subscription{
		topic: t, options: o, group: t.settings.topic + "-" + o.Name, tracker: newTracker(t.settings.ackWait),
		poll: make(chan struct{}, 1), commits: make(chan struct{}, 1), joined: make(chan struct{}),
		refused: make(chan error, 1), closing: make(chan struct{}),
	}
	doing := "the group " + s.group
	before, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	s.made, err = t.commitStart(within, before, s.group)
	before.Close()
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	if s.client, err = t.connect(ctx, s.consuming()...); err != nil {
		return nil, err
	}
	// Joining can take as long as a member that was killed is waited for.
	late := time.NewTimer(t.timeout + t.settings.session)
	defer late.Stop()
	select {
	case <-s.joined:
		return s, nil
	case err = <-s.refused:
	case <-late.C:
		err = topic.Fail(topic.CauseTimeout, false, "could not join it within %s", t.timeout+t.settings.session)
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.client.Close()
	return nil, explain(ctx, doing, err)
}

// consuming are the options of a member.
func (s *subscription) consuming() []kgo.Opt {
	session := s.topic.settings.session
	return []kgo.Opt{
		kgo.ConsumerGroup(s.group), kgo.ConsumeTopics(s.topic.settings.topic), kgo.DisableAutoCommit(),
		// Partitions that the topic gets later have nothing that was there before.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(session), kgo.HeartbeatInterval(session / 4),
		kgo.RebalanceTimeout(max(session, 5*time.Second)),
		kgo.WithHooks(s),
		kgo.AdjustFetchOffsetsFn(s.assigned), kgo.OnPartitionsAssigned(s.given),
		kgo.OnPartitionsRevoked(s.revoked), kgo.OnPartitionsLost(s.lost),
	}
}

// given is called by the library when the group has given out its partitions.
func (s *subscription) given(context.Context, *kgo.Client, map[string][]int32) {
	s.first.Do(func() { close(s.joined) })
}

// assigned is called by the library when it knows where the partitions begin.
func (s *subscription) assigned(_ context.Context,
	offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	for id, offset := range offsets[s.topic.settings.topic] {
		s.tracker.assign(id, offset.EpochOffset().Offset)
	}
	return offsets, nil
}

// revoked is called by the library before partitions go to another member: what is finished is
// committed, so that it need not come there again.
func (s *subscription) revoked(ctx context.Context, client *kgo.Client, partitions map[string][]int32) {
	ids := partitions[s.topic.settings.topic]
	if len(ids) == 0 {
		return
	}
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	select {
	case s.commits <- struct{}{}:
		_ = s.commit(within, client, ids) // else it comes again
		<-s.commits
	case <-within.Done():
	}
	s.tracker.revoke(ids)
	s.away(len(ids))
}

// away tells of partitions that the group took from this member, unless that is since it leaves.
func (s *subscription) away(partitions int) {
	select {
	case <-s.closing:
		return
	default:
	}
	if partitions > 0 {
		s.options.Report(topic.EventShared, "the group %s took %d partitions of the topic from this server: another "+
			"member has them now, or the heartbeats of this one arrived too late", s.group, partitions)
	}
}

// lost is called by the library when other members have the partitions already.
func (s *subscription) lost(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
	s.tracker.revoke(partitions[s.topic.settings.topic])
	s.away(len(partitions[s.topic.settings.topic]))
}

// OnGroupManageError is called by the library when the group cannot be joined.
func (s *subscription) OnGroupManageError(err error) {
	if _, final := causeOf(err); final {
		select {
		case s.refused <- err:
		default:
		}
	}
}

// arrival is the context of a record: when the client had decoded it.
type arrival struct {
	context.Context // stored context: it is one
	at              time.Time
}

// OnFetchRecordBuffered is called by the library for each message that it has decoded.
func (s *subscription) OnFetchRecordBuffered(r *kgo.Record) {
	r.Context = arrival{Context: context.Background(), at: time.Now()}
}

// Receive waits for messages of which this member has the partitions.
func (s *subscription) Receive(ctx context.Context) (topic.Received, error) {
	began := time.Now()
	select {
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	default:
	}
	select {
	case s.poll <- struct{}{}:
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	case <-ctx.Done():
		return topic.Received{}, ctx.Err()
	}
	defer func() { <-s.poll }()
	for {
		if messages := s.tracker.again(time.Now(), s.options.Batch); len(messages) > 0 {
			return topic.Received{Messages: messages, Began: began, Ended: time.Now()}, nil
		}
		if err := s.later; err != nil {
			s.later = nil
			return topic.Received{}, err
		}
		messages, err := s.next(ctx)
		if len(messages) > 0 {
			s.later = err
			return received(began, messages), nil
		}
		if err != nil {
			return topic.Received{}, err
		}
	}
}

// received words what was polled. A listener that finds a message waiting has not waited itself.
func received(began time.Time, messages []topic.Message) topic.Received {
	r := topic.Received{Messages: messages, Began: began}
	for i := range messages {
		if messages[i].Arrived.After(r.Ended) {
			r.Ended = messages[i].Arrived
		}
	}
	if r.Ended.Before(r.Began) {
		r.Began = r.Ended
	}
	return r
}

// next waits for messages until one that was handed out is due again; it returns nothing then.
func (s *subscription) next(ctx context.Context) ([]topic.Message, error) {
	within := ctx
	if due, ok := s.tracker.nextDue(); ok {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, due)
		defer cancel()
	}
	fetches := s.client.PollRecords(within, s.options.Batch)
	var messages []topic.Message
	var failed error
	now := time.Now()
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if p.Err != nil && failed == nil {
			failed = p.Err
		}
		if large := (*kgo.ErrDecompressTooLarge)(nil); errors.As(p.Err, &large) {
			failed = s.skip(large)
		}
		if p.Topic == s.topic.settings.topic {
			messages = append(messages, s.tracker.deliver(p.Partition, p.LogStartOffset, p.Records, now)...)
		}
	})
	switch {
	case failed == nil, ctx.Err() == nil && errors.Is(failed, context.DeadlineExceeded):
		return messages, nil
	case errors.Is(failed, kgo.ErrClientClosed):
		return messages, topic.Closed()
	}
	return messages, explain(ctx, "receiving", failed)
}

// skip goes on behind a batch that grows beyond all measure when it is decompressed. Of any other error
// the library tells each time that it asks, and goes on by itself; at this one it leaves the partition.
func (s *subscription) skip(batch *kgo.ErrDecompressTooLarge) error {
	s.tracker.skip(batch.Partition, batch.NextOffset)
	s.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
		batch.Topic: {batch.Partition: {Epoch: batch.Epoch, Offset: batch.NextOffset}},
	})
	return topic.Fail(topic.CauseTooLarge, false,
		"partition %d: skipped messages %d to %d: their decompressed size exceeds 1 GiB",
		batch.Partition, batch.Offset, batch.NextOffset-1)
}

// Ack notes that messages are done, and commits what that completes.
func (s *subscription) Ack(ctx context.Context, messages []topic.Message) error {
	const doing = "acknowledging"
	deliveries := make([]*delivery, len(messages))
	for i, m := range messages {
		d, ok := m.Handle.(*delivery)
		if !ok {
			return topic.Fail(topic.CauseProtocol, true, "%s: the message was not received by this subscription", doing)
		}
		deliveries[i] = d
	}
	lost := s.tracker.done(deliveries)
	select {
	case s.commits <- struct{}{}:
	case <-s.closing:
		return topic.Closed()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.commits }()
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	if err := s.commit(within, s.client, nil); err != nil {
		return explain(ctx, doing, err)
	}
	if lost > 0 {
		return topic.Fail(topic.CauseClosed, false,
			"%s: the group took the partitions of %d messages away; they will be delivered again", doing, lost)
	}
	return nil
}

// commit commits what is finished and is not committed; of these partitions, or of all when ids is
// nil. The caller holds commits.
func (s *subscription) commit(ctx context.Context, client *kgo.Client, ids []int32) error {
	offsets := s.tracker.toCommit(ids)
	if len(offsets) == 0 {
		return nil
	}
	named := map[int32]kgo.EpochOffset{}
	for id, offset := range offsets {
		named[id] = kgo.EpochOffset{Epoch: -1, Offset: offset}
	}
	var failed error
	client.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{s.topic.settings.topic: named},
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			if failed = err; err == nil {
				failed = commitError(resp)
			}
		})
	if failed == nil {
		s.tracker.committed(offsets)
	}
	return failed
}

// Backlog asks where the partitions of this member end.
func (s *subscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	next, unacked, dropped := s.tracker.positions()
	if len(next) == 0 { // the group is being joined, or others have all of it: what waits is not known here
		return topic.Backlog{Messages: -1, Unacked: unacked, Dropped: dropped}, nil
	}
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	ends, err := s.topic.ends(within, s.client, slices.Collect(maps.Keys(next)))
	if err != nil {
		return topic.Backlog{}, explain(ctx, "reading the backlog", err)
	}
	b := topic.Backlog{Unacked: unacked, Dropped: dropped}
	for id, end := range ends {
		b.Messages += max(0, end-max(0, next[id]))
	}
	return b, nil
}

// Close leaves the group. What was not acknowledged comes again to whoever joins it next; the
// group of an ephemeral subscription is removed, if it was not there before.
func (s *subscription) Close() error {
	s.once.Do(func() {
		close(s.closing)
		ctx, cancel := context.WithTimeout(context.Background(), s.topic.timeout)
		defer cancel()
		// Leaving has what is finished committed, by revoked.
		err := s.client.LeaveGroupContext(ctx)
		if s.options.Ephemeral && s.made && err == nil {
			err = forget(ctx, s.client, s.group)
		}
		s.client.Close()
		if err != nil {
			s.closed = explain(ctx, "leaving the group "+s.group, err)
		}
	})
	return s.closed
}
