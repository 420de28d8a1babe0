package redis

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// pair is a publisher and a subscription of one topic.
type pair struct {
	pub topic.Publisher
	sub topic.Subscription
}

func newPair(t *testing.T, s *server, query string, o topic.SubscribeOptions) pair {
	t.Helper()
	opened := mustOpen(t, s.at(t, query))
	var p pair
	var err error
	if p.pub, err = opened.Publisher(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.sub, err = opened.Subscribe(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.sub.Close(), p.pub.Close() })
	return p
}

func (p pair) publish(t *testing.T, payloads ...string) {
	t.Helper()
	for _, payload := range payloads {
		if err := p.pub.Publish(t.Context(), []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
}

// receive receives once.
func receive(t *testing.T, sub topic.Subscription) ([]string, []topic.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := sub.Receive(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range r.Messages {
		got = append(got, string(m.Payload))
	}
	return got, r.Messages
}

func mustBe(t *testing.T, err error, cause string, final bool) {
	t.Helper()
	var known *topic.Error
	if !errors.As(err, &known) || known.Cause != cause || known.Final != final {
		t.Errorf("the error is %v with the cause %q (final: %t), want %q (%t)",
			err, topic.CauseOf(err), known != nil && known.Final, cause, final)
	}
}

// Entries that all groups acknowledged are removed; others stay.
func TestAcknowledgedEntriesAreRemoved(t *testing.T) {
	s := start(t)
	p := newPair(t, s, "", topic.SubscribeOptions{Name: "one", Batch: 10})
	slow := newPair(t, s, "trim=none", topic.SubscribeOptions{Name: "two", Batch: 3})
	p.publish(t, "a", "b", "c", "d", "e", "f")
	got, messages := receive(t, p.sub)
	if err := p.sub.Ack(t.Context(), messages); err != nil || len(got) != 6 {
		t.Fatalf("received %q: %v", got, err)
	}
	got, messages = receive(t, slow.sub)
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Fatal(diff)
	}
	// The first and the third, so that the second is the first that is not acknowledged.
	if err := slow.sub.Ack(t.Context(), []topic.Message{messages[0], messages[2]}); err != nil {
		t.Fatal(err)
	}
	until(t, s, "b", "c", "d", "e", "f")
	if err := slow.sub.Ack(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	got, messages = receive(t, slow.sub)
	if diff := cmp.Diff([]string{"d", "e", "f"}, got); diff != "" {
		t.Fatal(diff)
	}
	if err := slow.sub.Ack(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	until(t, s, "f") // the last one stays
}

// until waits until the stream has these messages, and fails if ever one of them is missing.
func until(t *testing.T, s *server, want ...string) {
	t.Helper()
	client := s.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		entries, err := client.XRange(ctx, defaultStream, "-", "+").Result()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Values[field].(string))
		}
		if !strings.HasSuffix(strings.Join(got, ""), strings.Join(want, "")) {
			t.Fatalf("the stream has %q, want %q in any case", got, want)
		}
		if len(got) == len(want) {
			return
		}
	}
}

// After the server restarts without data, calls fail with a cause and then continue with a new stream and group.
func TestRestart(t *testing.T) {
	s := start(t)
	var events topictest.Events
	p := newPair(t, s, "", topic.SubscribeOptions{Name: "one", Batch: 10, Tell: events.Tell})
	p.publish(t, "a")
	receive(t, p.sub)
	failed := make(chan error, 1)
	go func() {
		_, err := p.sub.Receive(t.Context())
		failed <- err
	}()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	switch err := <-failed; topic.CauseOf(err) {
	case topic.CauseClosed, topic.CauseRefused:
	default:
		t.Errorf("receiving while the server dies: %v", err)
	}
	mustFail(t, p.pub, topic.CauseClosed, topic.CauseRefused)
	startAt(t, program(t), s.address)
	// The pool may still have connections to the server that died, and attempts to connect to it;
	// each fails once.
	for {
		err := p.pub.Publish(t.Context(), []byte("b"))
		if err == nil {
			break
		}
		if cause := topic.CauseOf(err); cause != topic.CauseClosed && cause != topic.CauseRefused {
			t.Fatalf("publishing to the new server: %v", err)
		}
	}
	for {
		r, err := p.sub.Receive(t.Context())
		if err != nil {
			if cause := topic.CauseOf(err); cause != topic.CauseNotFound && cause != topic.CauseClosed &&
				cause != topic.CauseRefused {
				t.Fatalf("receiving from the new server: %v", err)
			}
			continue
		}
		if len(r.Messages) != 1 || string(r.Messages[0].Payload) != "b" {
			t.Errorf("received %v, want the message of the new stream", r.Messages)
		}
		break
	}
	events.MustBe(t, topic.EventRemade, topic.EventRestarted)
}

// mustFail publishes until it fails, which is with one of the causes.
func mustFail(t *testing.T, p topic.Publisher, causes ...string) {
	t.Helper()
	for range 1000 {
		if err := p.Publish(t.Context(), []byte("x")); err != nil {
			for _, c := range causes {
				if topic.CauseOf(err) == c {
					return
				}
			}
			t.Fatalf("publishing: %v, want one of the causes %q", err, causes)
		}
	}
	t.Fatal("publishing does not fail")
}

// A server without memory refuses publishing, loses nothing, and accepts messages again after acknowledgements.
func TestFullServerRefusesPublish(t *testing.T) {
	s := start(t, "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
	p := newPair(t, s, "", topic.SubscribeOptions{Name: "one", Batch: 10})
	payload := make([]byte, 100_000)
	published := 0
	for {
		err := p.pub.Publish(t.Context(), payload)
		if err != nil {
			mustBe(t, err, topic.CauseFull, false)
			if got := err.Error(); strings.Contains(got, "OOM") || !strings.Contains(got, "raise maxmemory") {
				t.Errorf("the error does not say once that the server is out of memory, and what to do: %q", got)
			}
			break
		}
		if published++; published > 1000 {
			t.Fatal("the server takes more than it has memory for")
		}
	}
	for received := 0; received < published; {
		_, messages := receive(t, p.sub)
		if err := p.sub.Ack(t.Context(), messages); err != nil {
			t.Fatal(err)
		}
		received += len(messages)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for p.pub.Publish(ctx, payload) != nil {
		if ctx.Err() != nil {
			t.Fatal("the server has no memory although all was acknowledged")
		}
	}
}

// Wrong credentials are refused, without showing them.
func TestCredentials(t *testing.T) {
	s := start(t, "--requirepass", "richtig")
	for _, test := range []struct {
		user, variable, cause string
	}{
		{user: ":geheim", cause: topic.CauseDenied},
		{user: "someone:geheim", cause: topic.CauseDenied},
		{cause: topic.CauseDenied},
		{user: ":richtig"},
		{user: "default:richtig", variable: "geheim"},
		{variable: "richtig"},
	} {
		t.Setenv("REDISCLI_AUTH", test.variable)
		u := s.at(t, "")
		if name, password, found := strings.Cut(test.user, ":"); found {
			u.User = url.UserPassword(name, password)
		}
		opened, err := Open(t.Context(), topic.Config{URL: u, Timeout: topictest.Patience})
		if test.cause == "" {
			if err != nil {
				t.Errorf("%q and %q: %v", test.user, test.variable, err)
			}
			continue
		}
		mustBe(t, err, test.cause, true)
		if opened != nil || strings.Contains(fmt.Sprint(err), "geheim") {
			t.Errorf("%q: %v", test.user, err)
		}
	}
}

// A key that is no stream is refused.
func TestOpenRejectsOtherKeyTypes(t *testing.T) {
	s := start(t)
	if err := s.client(t).Set(t.Context(), defaultStream, "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), topic.Config{URL: s.at(t, ""), Timeout: topictest.Patience})
	mustBe(t, err, topic.CauseUnsupported, true)
}

func TestOpenEndsWithItsContext(t *testing.T) {
	topictest.GivesUp(t, func(ctx context.Context, address string) error {
		_, err := Open(ctx, topic.Config{URL: &url.URL{Scheme: Plain, Host: address, RawQuery: "stream=t"}, Timeout: time.Hour})
		return err
	})
}
