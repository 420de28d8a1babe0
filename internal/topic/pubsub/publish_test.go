package pubsub

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2/pstest"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// A request has at most the maximum number of messages; Close sends the rest.
func TestLingeringMessagesShareRequest(t *testing.T) {
	requests := &counting{}
	s := start(t, pstest.ServerReactorOption{FuncName: "Publish", Reactor: requests})
	made := mustOpen(t, "gcppubsub://test/mine?linger=10s")
	made.timeout = time.Hour // how long a request may take is not what is tested
	opened, err := made.Publisher(within(t))
	if err != nil {
		t.Fatal(err)
	}
	p := opened.(*publisher)
	var calls sync.WaitGroup
	publish := func(n int) {
		for i := range n {
			calls.Go(func() {
				if err := p.Publish(t.Context(), fmt.Appendf(nil, "message %d", i)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	publish(2 * fullCount)
	calls.Wait() // nobody has lingered for 10 s
	if n := requests.calls.Load(); n != 2 || len(s.Messages()) != 2*fullCount {
		t.Errorf("%d messages in %d requests", len(s.Messages()), n)
	}
	publish(3)
	for together := 0; together < 3; {
		p.mu.Lock()
		if p.next != nil {
			together = len(p.next.messages)
		}
		p.mu.Unlock()
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if n := requests.calls.Load(); n != 3 || len(s.Messages()) != 2*fullCount+3 {
		t.Errorf("%d messages in %d requests", len(s.Messages()), n)
	}
	if err := p.Publish(t.Context(), []byte("x")); topic.CauseOf(err) != topic.CauseOf(topic.Closed()) {
		t.Errorf("after the end: %v", err)
	}
}

// A proxy counts fewer bytes with compression=gzip.
func TestCompressionShrinksRequests(t *testing.T) {
	s := start(t)
	payload := []byte(strings.Repeat("plimsoll ", 100_000))
	for options, small := range map[string]bool{"": false, "?compression=none": false, "?compression=gzip": true} {
		var read atomic.Int64
		t.Setenv("PUBSUB_EMULATOR_HOST", counted(t, s.Addr, &read))
		made := mustOpen(t, "gcppubsub://test/mine%s", options)
		p, err := made.Publisher(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Publish(within(t), payload); err != nil {
			t.Error(err)
		}
		_ = p.Close()
		if n := read.Load(); (n < int64(len(payload))/10) != small {
			t.Errorf("%q: %d bytes for a message of %d", options, n, len(payload))
		}
		if said := strings.Contains(strings.Join(made.Describe().Notes, " "), "compressed with gzip"); said != small {
			t.Errorf("%q: %q", options, made.Describe().Notes)
		}
	}
}

// counted is the address of a proxy that counts what clients send to another.
func counted(t *testing.T, address string, read *atomic.Int64) string {
	t.Helper()
	return peertest.Between(t, address, func(server io.Writer, client io.Reader) error {
		_, _ = io.Copy(server, io.TeeReader(client, counter{read}))
		return nil
	})
}

// counter counts what is written to it.
type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}
