package kafka

import (
	"container/list"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// tracker knows which messages were handed out and not acknowledged, and so what may be committed
// of each partition: the offset up to which all are done, whatever the order in which they were.
type tracker struct {
	wait time.Duration // until an unacknowledged message is due again

	mu         sync.Mutex
	partitions map[int32]*partition
	out        *list.List // of *delivery: handed out and not acknowledged, in the order in which they are due
	dropped    int64
}

// partition is one of which this member of the group has the messages, until it is taken away.
type partition struct {
	id        int32
	next      int64 // the offset to be handed out next; −1 when it is not known yet
	committed int64 // −1 when nothing is
	lost      bool
	pending   []*delivery // from the first that is not done
}

// delivery is a message that was handed out.
type delivery struct {
	from    *partition
	record  *kgo.Record
	due     time.Time
	element *list.Element // in out; nil when it is acknowledged, or the partition is lost
	offset  int64
	epoch   int32
}

func newTracker(wait time.Duration) *tracker {
	return &tracker{wait: wait, partitions: map[int32]*partition{}, out: list.New()}
}

// assign takes a partition up, at an offset; a negative one is its start.
func (t *tracker) assign(id int32, offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.partitions[id]; old != nil {
		t.dropPartition(old)
	}
	t.partitions[id] = &partition{id: id, next: max(offset, -1), committed: max(offset, -1)}
}

// revoke gives partitions up: what was handed out of them will come again, here or elsewhere.
func (t *tracker) revoke(ids []int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if p := t.partitions[id]; p != nil {
			t.dropPartition(p)
			delete(t.partitions, id)
		}
	}
}

func (t *tracker) dropPartition(p *partition) {
	p.lost = true
	for _, d := range p.pending {
		t.dropDelivery(d)
	}
	p.pending = nil
}

// dropDelivery takes a delivery out of those that are due some time.
func (t *tracker) dropDelivery(d *delivery) {
	if d.element != nil {
		t.out.Remove(d.element)
		d.element, d.record = nil, nil
	}
}

// deliver notes that records of a partition are handed out. logStart is the partition's first
// offset: what lies between the one to be handed out next and it was removed by the topic's
// retention. Records of a partition that is not, or no longer, assigned are left out: they
// come to whoever has it.
func (t *tracker) deliver(id int32, logStart int64, records []*kgo.Record, now time.Time) []topic.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.partitions[id]
	if p == nil || len(records) == 0 {
		return nil
	}
	if gap := min(logStart, records[0].Offset) - p.next; p.next >= 0 && gap > 0 {
		t.dropped += gap
	}
	out := make([]topic.Message, 0, len(records))
	for _, r := range records {
		if r.Offset < p.next {
			continue // from before a rewind; it is here already
		}
		d := &delivery{from: p, record: r, offset: r.Offset, epoch: r.LeaderEpoch, due: now.Add(t.wait)}
		d.element = t.out.PushBack(d)
		p.pending = append(p.pending, d)
		p.next = r.Offset + 1
		out = append(out, message(d))
	}
	return out
}

// skip notes that the messages of a partition below an offset are not handed out.
func (t *tracker) skip(id int32, to int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.partitions[id]; p != nil && p.next < to {
		t.dropped += to - max(0, p.next)
		p.next = to
	}
}

// again are at most so many deliveries that are due: they are handed out once more.
func (t *tracker) again(now time.Time, most int) []topic.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []topic.Message
	for len(out) < most && t.out.Len() > 0 {
		d := t.out.Front().Value.(*delivery)
		if d.due.After(now) {
			break
		}
		d.due = now.Add(t.wait)
		t.out.MoveToBack(d.element)
		m := message(d)
		m.Redelivered, m.Arrived = true, time.Time{}
		out = append(out, m)
	}
	return out
}

// nextDue is when the next delivery is due again; false when there is none.
func (t *tracker) nextDue() (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out.Len() == 0 {
		return time.Time{}, false
	}
	return t.out.Front().Value.(*delivery).due, true
}

// done notes that deliveries were acknowledged. It returns how many of them are of partitions that
// were taken away, and will come again.
func (t *tracker) done(deliveries []*delivery) (lost int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range deliveries {
		if d.from.lost {
			lost++
			continue
		}
		t.dropDelivery(d)
		p := d.from
		for len(p.pending) > 0 && p.pending[0].element == nil {
			p.pending[0] = nil
			p.pending = p.pending[1:]
		}
	}
	return lost
}

// finished is the offset up to which all messages of the partition are done; −1 when it is not
// known yet.
func (p *partition) finished() int64 {
	if len(p.pending) > 0 {
		return p.pending[0].offset
	}
	return p.next
}

// toCommit is what may be committed and is not; of these partitions, or of all when ids is nil.
func (t *tracker) toCommit(ids []int32) map[int32]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := map[int32]int64{}
	add := func(p *partition) {
		if f := p.finished(); f > p.committed {
			out[p.id] = f
		}
	}
	if ids == nil {
		for _, p := range t.partitions {
			add(p)
		}
		return out
	}
	for _, id := range ids {
		if p := t.partitions[id]; p != nil {
			add(p)
		}
	}
	return out
}

// committed notes what the broker has confirmed.
func (t *tracker) committed(offsets map[int32]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, offset := range offsets {
		if p := t.partitions[id]; p != nil {
			p.committed = max(p.committed, offset)
		}
	}
}

// positions are the offsets to be handed out next.
func (t *tracker) positions() (next map[int32]int64, unacked, dropped int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next = map[int32]int64{}
	for id, p := range t.partitions {
		next[id] = p.next
	}
	return next, int64(t.out.Len()), t.dropped
}

// message is a delivery for those who take it.
func message(d *delivery) topic.Message {
	m := topic.Message{Payload: d.record.Value, Handle: d}
	if arrived, ok := d.record.Context.(arrival); ok {
		m.Arrived = arrived.at
	}
	if d.record.Attrs.TimestampType() == logAppendTime {
		m.BrokerTime = d.record.Timestamp
	}
	return m
}
