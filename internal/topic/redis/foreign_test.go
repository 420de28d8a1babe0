package redis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// orders adds entries of another program to a stream, and returns them.
func orders(t *testing.T, client *redis.Client, from, n int) []redis.XMessage {
	t.Helper()
	var entries []redis.XMessage
	for i := range n {
		values := map[string]any{"order": fmt.Sprint(from + i), "m": fmt.Sprintf("not ours \x00\xff %d", from+i)}
		id, err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: "orders", Values: values}).Result()
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, redis.XMessage{ID: id, Values: values})
	}
	return entries
}

// acknowledgeAll has the subscription take so many messages.
func acknowledgeAll(t *testing.T, sub topic.Subscription, n int) {
	t.Helper()
	for n > 0 {
		_, messages := receive(t, sub)
		if err := sub.Ack(t.Context(), messages); err != nil {
			t.Fatal(err)
		}
		n -= len(messages)
	}
}

// Entries of another program survive a run; ours are removed except the last.
func TestForeignEntriesStay(t *testing.T) {
	const before, rounds, ours, between = 5000, 20, 100, 10
	s := start(t)
	client := s.client(t)
	want := orders(t, client, 0, before)
	opened := mustOpen(t, s.at(t, "stream=orders"))
	sub, err := opened.Subscribe(t.Context(), topic.SubscribeOptions{Name: "server", Batch: 100, Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	pub, err := opened.Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range rounds {
		for range ours {
			if err := pub.Publish(t.Context(), []byte("ours")); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, orders(t, client, before+n*between, between)...)
		acknowledgeAll(t, sub, ours+between)
	}
	if err := pub.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sub.Close(); err != nil { // with it the only group goes
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := client.XRange(t.Context(), "orders", "-", "+").Result()
	if err != nil {
		t.Fatal(err)
	}
	bytes := cmp.Transformer("bytes", func(m redis.XMessage) string { return fmt.Sprintf("%s %q", m.ID, m.Values) })
	if diff := cmp.Diff(want, got, bytes); diff != "" {
		t.Errorf("the stream has %d entries, want the %d of the other program: %.2000s", len(got), len(want), diff)
	}
}

// An ephemeral subscription leaves an existing group; a group in use by another program is refused.
func TestForeignGroupStays(t *testing.T) {
	s := start(t)
	client := s.client(t)
	orders(t, client, 0, 10)
	if err := client.XGroupCreate(t.Context(), "orders", "billing", "0").Err(); err != nil {
		t.Fatal(err)
	}
	opened := mustOpen(t, s.at(t, "stream=orders"))
	sub, err := opened.Subscribe(t.Context(), topic.SubscribeOptions{Name: "billing", Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := sub.Close(); err != nil {
		t.Fatal(err)
	}
	groups, err := client.XInfoGroups(t.Context(), "orders").Result()
	if err != nil || !slices.ContainsFunc(groups, func(g redis.XInfoGroup) bool { return g.Name == "billing" }) {
		t.Fatalf("the groups are %+v: %v, want billing, which was there before", groups, err)
	}
	args := &redis.XReadGroupArgs{Group: "billing", Consumer: "worker", Streams: []string{"orders", ">"}, Count: 3}
	if err := client.XReadGroup(t.Context(), args).Err(); err != nil {
		t.Fatal(err)
	}
	_, err = opened.Subscribe(t.Context(), topic.SubscribeOptions{Name: "billing"})
	mustBe(t, err, topic.CauseUnsupported, true)
	pending, err := client.XPending(t.Context(), "orders", "billing").Result()
	if err != nil || pending.Consumers["worker"] != 3 {
		t.Errorf("the other program has %+v of its messages: %v, want 3", pending, err)
	}
}
