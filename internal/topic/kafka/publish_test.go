package kafka

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// produced is what a broker read of the last request to publish.
type produced struct {
	acks  int16
	codec int // 1 gzip, 2 snappy, 3 lz4, 4 zstd
	bytes int
}

// watchProduce has a cluster tell what it reads.
func watchProduce(c *kfake.Cluster) *atomic.Pointer[produced] {
	last := new(atomic.Pointer[produced])
	c.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		in := req.(*kmsg.ProduceRequest)
		records := in.Topics[0].Partitions[0].Records
		// The attributes of a batch of version 2 stand behind its offset, length, epoch, version and checksum.
		last.Store(&produced{in.Acks, int(binary.BigEndian.Uint16(records[21:]) & 7), len(records)})
		return nil, nil, false
	})
	return last
}

// The broker receives the options of the URL, and Describe reports them.
func TestPublishingOptions(t *testing.T) {
	c := startFake(t)
	last := watchProduce(c)
	const size = 10_000
	payload := []byte(strings.Repeat("plimsoll ", size/9))
	for _, test := range []struct {
		options string
		want    produced
		says    string // of what a publish means
		note    string
	}{
		{"", produced{-1, 0, 0}, "acks=all", ""},
		{"&acks=all&compression=none&linger=0s", produced{-1, 0, 0}, "acks=all", ""},
		{"&acks=1", produced{1, 0, 0}, "acks=1", "lost if the leader fails"},
		{"&acks=0", produced{0, 0, 0}, "acks=0", "lost without an error"},
		{"&compression=gzip", produced{-1, 1, 0}, "acks=all", "compressed with gzip"},
		{"&compression=snappy&acks=0", produced{0, 2, 0}, "acks=0", "compressed with snappy"},
		{"&compression=lz4", produced{-1, 3, 0}, "acks=all", "compressed with lz4"},
		{"&compression=zstd&acks=1", produced{1, 4, 0}, "acks=1", "compressed with zstd"},
	} {
		made := mustOpen(t, "kafka://%s/t?partitions=1&replicas=1%s", brokers(c), test.options)
		p := mustPublisher(t, made)
		last.Store(nil)
		if err := p.Publish(within(t), payload); err != nil {
			t.Errorf("%s: %v", test.options, err)
			continue
		}
		until(t, func() bool { return last.Load() != nil }) // nobody waits for the broker with acks=0
		got := *last.Load()
		if got.acks != test.want.acks || got.codec != test.want.codec || (got.bytes < size/2) != (got.codec != 0) {
			t.Errorf("%s: the broker read %+v, want %+v", test.options, got, test.want)
		}
		d := made.Describe()
		if !strings.Contains(d.Acknowledged, test.says) || !strings.Contains(strings.Join(d.Notes, " "), test.note) ||
			d.AtLeastOnce != (test.want.acks != 0) {
			t.Errorf("%s: %+v", test.options, d)
		}
	}
}
