package nats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// run runs a broker with these options, on a port that it chooses unless they have one.
func run(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.NoSigs, o.NoLog, o.AuthTimeout = true, true, topictest.Patience.Seconds()
	if o.Port == 0 {
		o.Host, o.Port = "127.0.0.1", server.RANDOM_PORT
	}
	if o.JetStream && o.StoreDir == "" {
		o.StoreDir = t.TempDir()
	}
	b, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Start()
	if !b.ReadyForConnections(topictest.Patience) {
		t.Fatal("the broker does not start")
	}
	t.Cleanup(func() { end(b) })
	return b
}

func end(b *server.Server) {
	b.Shutdown()
	b.WaitForShutdown()
}

// place is where a broker listens that ends, and starts again at the same address.
func place(t *testing.T) (host string, port int) {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", peertest.Addresses(t, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	return a.IP.String(), a.Port
}

// address is a URL of a broker.
func address(t *testing.T, scheme, user string, b *server.Server, query string) *url.URL {
	t.Helper()
	if user != "" {
		user += "@"
	}
	u, err := url.Parse(fmt.Sprintf("%s://%s%s/updates?%s", scheme, user, b.Addr(), query))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func open(t *testing.T, u *url.URL) (topic.Topic, error) {
	t.Helper()
	return Open(t.Context(), topic.Config{URL: u, Timeout: topictest.Patience})
}

// pair is a publisher and a subscription of one topic.
type pair struct {
	pub topic.Publisher
	sub topic.Subscription
}

func newPair(t *testing.T, u *url.URL, o topic.SubscribeOptions) pair {
	t.Helper()
	opened := mustOpen(t, u)
	var p pair
	var err error
	if p.sub, err = opened.Subscribe(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if p.pub, err = opened.Publisher(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.sub.Close(), p.pub.Close() })
	return p
}

func (p pair) publish(t *testing.T, payload string) {
	t.Helper()
	if err := p.pub.Publish(t.Context(), []byte(payload)); err != nil {
		t.Fatal(err)
	}
}

// receive receives one message and returns it.
func (p pair) receive(t *testing.T) topic.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := p.sub.Receive(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) != 1 {
		t.Fatalf("%d messages were received, want 1", len(r.Messages))
	}
	return r.Messages[0]
}

func mustBe(t *testing.T, err error, cause string, final bool) {
	t.Helper()
	var known *topic.Error
	if !errors.As(err, &known) || known.Cause != cause || known.Final != final {
		t.Errorf("the error is %v with the cause %q (final: %t), want %q (%t)",
			err, topic.CauseOf(err), known != nil && known.Final, cause, final)
	}
}

// waiting receives in the background; the error of it can be read once.
func (p pair) waiting(t *testing.T) <-chan error {
	failed := make(chan error, 1)
	go func() {
		_, err := p.sub.Receive(t.Context())
		failed <- err
	}()
	return failed
}

// A restart of the broker is reported; listeners and publishers continue, and stored messages survive.
func TestRestart(t *testing.T) {
	for _, scheme := range []string{Core, JetStream} {
		t.Run(scheme, func(t *testing.T) {
			host, port := place(t)
			options := func() *server.Options {
				return &server.Options{JetStream: scheme == JetStream, Host: host, Port: port}
			}
			o := options()
			b := run(t, o)
			var events topictest.Events
			p := newPair(t, address(t, scheme, "", b, ""),
				topic.SubscribeOptions{Name: "server", Batch: 10, Tell: events.Tell})
			p.publish(t, "a")
			if m := p.receive(t); p.sub.Ack(t.Context(), []topic.Message{m}) != nil {
				t.Fatal("no acknowledgement")
			}
			failed := p.waiting(t)
			end(b)
			// JetStream ends before the connections do, and says so. The listener may come when all
			// have ended.
			err := <-failed
			if cause := topic.CauseOf(err); cause != topic.CauseClosed && cause != topic.CauseRefused &&
				(scheme == Core || cause != topic.CauseNotFound) {
				t.Errorf("receiving while the broker ends: %v", err)
			}
			err = p.pub.Publish(t.Context(), []byte("x"))
			for topic.CauseOf(err) == topic.CauseClosed { // the connection's end has not been seen yet
				err = p.pub.Publish(t.Context(), []byte("x"))
			}
			mustBe(t, err, topic.CauseRefused, false)
			if _, err := p.sub.Receive(t.Context()); topic.CauseOf(err) != topic.CauseRefused {
				t.Errorf("receiving without a broker: %v", err)
			}
			again := options()
			again.StoreDir = o.StoreDir
			run(t, again)
			if scheme == Core {
				failed = p.waiting(t) // it must be there before the message is
				for waits(p.sub) == 0 {
					if err := t.Context().Err(); err != nil {
						t.Fatal(err)
					}
				}
				p.publish(t, "b")
				if err := <-failed; err != nil {
					t.Errorf("receiving from the new broker: %v", err)
				}
				events.MustBe(t, topic.EventRestarted)
				return
			}
			p.publish(t, "b")
			if m := p.receive(t); string(m.Payload) != "b" {
				t.Errorf("%q was received from the new broker, want b", m.Payload)
			}
			events.MustBe(t, topic.EventRestarted) // its stream is there again
		})
	}
}

// waits is 1 when the subscription is connected.
func waits(s topic.Subscription) int {
	n := 0
	s.(*coreSubscription).link.peek(func(c *coreSession) {
		if !c.dead() {
			n = 1
		}
	})
	return n
}

// TestLostStream: a broker that comes back without the stream gets a new one.
// TestDeletedConsumer: somebody deletes the consumer while a listener waits.
// TestForeignConsumer: a consumer that somebody made with limits of its own holds nothing back
// that was received, and does not make listeners ask in vain.
// TestRequestsPending: a listener whose request the broker refuses, because others asked for what
// there is, waits in their line instead of asking again and again.
// manager is JetStream of a broker, on a connection of its own.
// fake speaks to each connection as it is told, and waits for all at the end.
func fake(t *testing.T, speak func(net.Conn, *bufio.Reader)) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer c.Close()
				speak(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		group.Wait()
	})
	return &url.URL{Scheme: Core, Host: l.Addr().String(), Path: "/updates"}
}

const greeting = `INFO {"server_id":"x","version":"2.15.2","proto":1,"max_payload":1000,"headers":true}` + "\r\n"

// A connection that breaks between a message and its PONG is a failure.
func TestNoFalseAcknowledgement(t *testing.T) {
	u := fake(t, func(c net.Conn, r *bufio.Reader) {
		_, _ = fmt.Fprint(c, greeting)
		for {
			line, err := r.ReadString('\n')
			switch {
			case err != nil, strings.HasPrefix(line, "PUB"):
				return
			case strings.HasPrefix(line, "PING"):
				_, _ = fmt.Fprint(c, "PONG\r\n")
			}
		}
	})
	p, err := mustOpen(t, u).Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 5 {
		mustBe(t, p.Publish(t.Context(), []byte("x")), topic.CauseClosed, false)
	}
}

// A server that is no broker is reported as such.
func TestOpenRejectsOtherServers(t *testing.T) {
	for _, text := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", "INFO {\r\n", "\r\n\r\n",
		"-ERR 'maximum connections exceeded'\r\n"} {
		u := fake(t, func(c net.Conn, _ *bufio.Reader) { _, _ = fmt.Fprint(c, text) })
		_, err := open(t, u)
		if cause := topic.CauseOf(err); cause != topic.CauseProtocol && cause != topic.CauseClosed &&
			cause != topic.CauseThrottled {
			t.Errorf("%q: %v with the cause %s", text, err, cause)
		}
	}
}

// Messages that a core NATS subscription has no room for are counted.
func TestBacklogCountsDropped(t *testing.T) {
	b := run(t, &server.Options{})
	p := newPair(t, address(t, Core, "", b, ""), topic.SubscribeOptions{Name: "server", Batch: 10})
	q := p.sub.(*coreSubscription).queue
	q.mu.Lock()
	q.maxMessages = 3
	q.mu.Unlock()
	for range 10 {
		p.publish(t, "a")
	}
	for {
		l, err := p.sub.Backlog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if l == (topic.Backlog{Messages: 3, Dropped: 7}) {
			return
		}
		if l.Messages > 20 || l.Dropped > 7 { // what is on its way into the queue may be counted twice
			t.Fatalf("the backlog is %+v, want 3 messages and 7 dropped", l)
		}
	}
}

// TestGiveBack: a message that was sent to a listener which had given up is given back when the
// subscription ends, so that the next one need not wait for it.
// TestStreams: streams that are there already.
