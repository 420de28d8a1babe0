package redis

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// program is the path of the server. Debian's redis-tools has it under another name.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "redis-check-rdb"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		said, err := (&exec.Cmd{Path: path, Args: []string{"redis-server", "--version"}}).Output()
		_, version, _ := strings.Cut(string(said), " v=") // "Redis server v=7.0.15 sha=..."
		var major, minor int
		if _, scan := fmt.Sscanf(version, "%d.%d.", &major, &minor); err != nil || scan != nil {
			t.Fatalf("%s does not tell its version: %q, %v", path, said, err)
		}
		if major < 6 || major == 6 && minor < 2 {
			t.Skipf("%s is older than Redis 6.2, which the topic needs", path)
		}
		return path
	}
	t.Skip("there is no Redis server; run 'make setup'")
	return ""
}

// server is a Redis server of the test.
type server struct {
	address string
	cmd     *exec.Cmd
}

// start starts a server that keeps nothing, and waits until it is ready.
func start(t testing.TB, arguments ...string) *server {
	t.Helper()
	return startAt(t, program(t), peertest.Addresses(t, 1)[0], arguments...)
}

func startAt(t testing.TB, path, address string, arguments ...string) *server {
	t.Helper()
	host, port, _ := net.SplitHostPort(address)
	s := &server{address: address, cmd: exec.Command(path)}
	s.cmd.Args = append([]string{
		"redis-server", "--bind", host, "--save", "", "--appendonly", "no", "--dir", t.TempDir(),
	}, withTLS(arguments, port)...)
	peertest.Start(t, s.cmd, "(?i)ready to accept connections")
	return s
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
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: topictest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestTransport(t *testing.T) {
	s := start(t, "--proto-max-bulk-len", strconv.Itoa(1<<20))
	var topics atomic.Int64
	topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
		return mustOpen(t, s.at(t, fmt.Sprintf("stream=updates-%d&ack_wait=%s", topics.Add(1), ackTime)))
	})
}
