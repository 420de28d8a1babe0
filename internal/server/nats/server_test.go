package nats

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func mustStart(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// dial connects with the library, which gives up after 2 s by itself.
func dial(url string) (*nats.Conn, error) { return nats.Connect(url, nats.Timeout(time.Minute)) }

// connect connects by the URL as it is announced.
func connect(t *testing.T, s *Server) *nats.Conn {
	t.Helper()
	nc, err := dial(strings.Replace(s.URL(), "nats+js:", "nats:", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func TestLoopbackAndToken(t *testing.T) {
	s := mustStart(t, Config{})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme != "nats" || u.Hostname() != "127.0.0.1" || u.Port() == "" || len(u.User.Username()) < 20 {
		t.Errorf("the URL is %s, want nats:// on 127.0.0.1 with a token", u)
	}
	nc := connect(t, s)
	if nc.MaxPayload() != DefaultMaxPayload {
		t.Errorf("the largest message has %d bytes, want %d", nc.MaxPayload(), DefaultMaxPayload)
	}
	for _, wrong := range []string{"nats://" + u.Host, "nats://someone@" + u.Host} {
		if other, err := dial(wrong); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("connecting as somebody else: %v, want %v", err, nats.ErrAuthorization)
			other.Close()
		}
	}
	if other := mustStart(t, Config{}); strings.Contains(other.URL(), u.User.Username()) {
		t.Error("two brokers have the same token")
	}
}

// TestJetStreamUsesNoFiles: the directory that JetStream wants is gone while the broker works, and the limit
// of its memory is kept.
func TestJetStreamUsesNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := mustStart(t, Config{JetStream: true, Memory: 100_000})
	js, err := jetstream.New(connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	config := jetstream.StreamConfig{
		Name: "s", Subjects: []string{"s"}, Storage: jetstream.MemoryStorage,
		Discard: jetstream.DiscardNew, MaxBytes: 100_000,
	}
	stream, err := js.CreateStream(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "c"})
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for err == nil && stored < 100 {
		if _, err = js.Publish(ctx, "s", make([]byte, 10_000)); err == nil {
			stored++
		}
	}
	if err == nil || stored < 5 || stored > 10 {
		t.Errorf("%d messages of 10 kB were stored in 100 kB, and the next one: %v", stored, err)
	}
	if m, err := consumer.Next(); err != nil || m.DoubleAck(ctx) != nil {
		t.Errorf("receiving: %v", err)
	}
	config.Name, config.Subjects, config.Storage = "f", []string{"f"}, jetstream.FileStorage
	if _, err := js.CreateStream(ctx, config); err == nil {
		t.Error("a stream in files was made")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the broker left %v in the directory for temporary files: %v", entries, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	t.Run("no directory", func(t *testing.T) {
		t.Setenv("TMPDIR", "/nonexistent")
		s, err := Start(t.Context(), Config{JetStream: true})
		if s != nil || fault.CodeOf(err) != fault.RunFailed ||
			!strings.Contains(err.Error(), "directory for JetStream") {
			t.Errorf("Start: %v", err)
		}
	})
	t.Run("sizes", func(t *testing.T) {
		for _, c := range []Config{{MaxPayload: 1 << 30}, {MaxPayload: -1}, {JetStream: true, Memory: -1}} {
			if s, err := Start(t.Context(), c); s != nil || fault.CodeOf(err) != fault.Usage {
				t.Errorf("Start(%+v): %v, want a usage error", c, err)
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s, err := Start(ctx, Config{}); s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("Start: %v, want %v", err, context.Canceled)
		}
	})
}
