package redis

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is the path of the server. Debian's redis-tools has it under another name.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "redis-check-rdb"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Redis server; run 'make test' as root, or install redis-tools")
	return ""
}

// server is a Redis server of the test.
type server struct {
	address string
	cmd     *exec.Cmd
}

// start starts a server that keeps nothing, and waits until it answers.
func start(t testing.TB, arguments ...string) *server {
	t.Helper()
	path := program(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	return startAt(t, path, address, arguments...)
}

func startAt(t testing.TB, path, address string, arguments ...string) *server {
	t.Helper()
	_, port, _ := net.SplitHostPort(address)
	var output bytes.Buffer
	s := &server{address: address, cmd: exec.Command(path)}
	s.cmd.Args = append([]string{
		"redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir(),
	}, withTLS(arguments, port)...)
	s.cmd.Stdout, s.cmd.Stderr = &output, &output
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-ended
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = conn.Close()
			return s
		}
		select {
		case <-ended:
			t.Fatalf("the Redis server ended: %s", output.String())
		case <-ctx.Done():
			t.Fatalf("the Redis server does not answer: %v", err)
		default:
		}
	}
}

// at is the URL of a stream, with options.
func (s *server) at(t testing.TB, query string) *url.URL {
	t.Helper()
	u, err := url.Parse("redis://" + s.address + "/?" + query)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// client is a client of the library's own.
func (s *server) client(t testing.TB) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: s.address})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func mustOpen(t testing.TB, u *url.URL) topic.Topic {
	t.Helper()
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestTransport(t *testing.T) {
	s := start(t, "--proto-max-bulk-len", strconv.Itoa(1<<20))
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T) topic.Topic {
		return mustOpen(t, s.at(t, fmt.Sprintf("stream=updates-%d&ack_wait=1s", topics.Add(1))))
	})
}
