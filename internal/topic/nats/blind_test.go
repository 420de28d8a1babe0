package nats

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// With acks=0, a publisher does not learn what the stream refuses.
func TestAcksZeroHidesRefusals(t *testing.T) {
	b := start(t, broker.Config{JetStream: true})
	for _, acks := range []string{"all", "0"} {
		made := mustOpen(t, at(t, b, "sub-"+acks, "acks="+acks, "max_bytes=4096", "storage=memory"))
		subscription, err := made.Subscribe(t.Context(), topic.SubscribeOptions{Name: "test", Listeners: 1, Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, err := made.Publisher(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for range 10 {
			if p.Publish(t.Context(), make([]byte, 1000)) != nil {
				refused++
			}
		}
		stored := storedIn(t, b, "sub-"+acks)
		for stored == 0 { // the broker may have read a message that the stream has not stored yet
			stored = storedIn(t, b, "sub-"+acks)
		}
		d := made.Describe()
		if blind := acks == "0"; stored < 1 || stored > 4 || blind && refused != 0 || !blind && refused != 10-stored ||
			d.AtLeastOnce == blind || strings.Contains(d.Acknowledged, "acks=0") != blind {
			t.Errorf("acks=%s: of 10 messages %d were refused, and the stream has %d; %+v", acks, refused, stored, d)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := subscription.Close(); err != nil {
			t.Error(err)
		}
	}
}

// storedIn is how many messages a stream has, as the broker says.
func storedIn(t *testing.T, b *broker.Server, stream string) int {
	t.Helper()
	conn, err := nats.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	found, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return int(found.CachedInfo().State.Msgs)
}
