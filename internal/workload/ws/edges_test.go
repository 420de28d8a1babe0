package ws

import (
	"io"
	"testing"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/engine/op"
)

func TestStampsOfSeveralSeconds(t *testing.T) {
	var c stampCache
	zone := time.FixedZone("", 3600)
	for _, s := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 2, 3, 4, 59, 58, 999_999_999, zone), "2026-02-03T03:59:58.999999Z"},
		{time.Date(2026, 2, 3, 4, 59, 59, 0, zone), "2026-02-03T03:59:59.000000Z"},
		{time.Date(2026, 2, 3, 4, 59, 59, 120_000, zone), "2026-02-03T03:59:59.000120Z"},
		{time.Date(2026, 2, 3, 5, 0, 0, 1000, zone), "2026-02-03T04:00:00.000001Z"},
		{time.Date(2026, 2, 3, 4, 59, 59, 0, zone), "2026-02-03T03:59:59.000000Z"},
		{time.Unix(0, 0), "1970-01-01T00:00:00.000000Z"},
	} {
		if got := string(c.append(nil, s.at)); got != s.want {
			t.Errorf("%v is written as %s", s.at, got)
		}
	}
	var first stampCache // whose second is 0 before it has written any
	if got := string(first.append(nil, time.Unix(0, 5000))); got != "1970-01-01T00:00:00.000005Z" {
		t.Errorf("the first stamp is %s", got)
	}
}

// TestTheEndOfAnOldConnectionIsNotThePresentOnes closes a connection that was replaced.
func TestTheEndOfAnOldConnectionIsNotThePresentOnes(t *testing.T) {
	chat, err := New(Options{Mix: mix()}, "ws://localhost/", "tag")
	if err != nil {
		t.Fatal(err)
	}
	c := chat.NewClient(0, 1).(sender).Client
	present := new(gws.Conn)
	c.link = &link{ws: present}
	c.down.Store(nil)
	c.OnClose(new(gws.Conn), io.EOF)
	if c.Down() != nil || c.link.ws != present {
		t.Errorf("down: %v", c.Down())
	}
	c.OnClose(present, io.EOF)
	if why := c.Down(); why == nil || why.Cause != "closed-by-peer:1006" {
		t.Errorf("down: %v", why)
	}
}

// TestARefusalWithoutANameIsMatchedAgainAfterAReconnect gives up a message on one connection:
// what comes over the next cannot be its answer.
func TestARefusalWithoutANameIsMatchedAgainAfterAReconnect(t *testing.T) {
	tb := newTable(t, 1)
	nameless := reply{rejected: true}
	first := tb.send(0)
	tb.giveUp(0)
	tb.send(0)
	tb.p.settleReply(nameless, nil) // of this one, or of the one given up
	tb.counts(replyCounts{Unmatched: 1})
	tb.p.fail(&op.Failure{Cause: "reset"})
	tb.end(0)

	tb.p.renew(nil)
	tb.send(0)
	tb.p.settleReply(nameless, nil)
	if why := tb.end(0); why != rejected {
		t.Errorf("ended with %v", why)
	}
	// An answer to what an earlier connection left open says nothing about this one's.
	tb.send(0)
	tb.giveUp(0)
	tb.reply(first)
	tb.send(0)
	tb.p.settleReply(nameless, nil)
	tb.counts(replyCounts{Unmatched: 2, Late: 1})
	if tb.p.slots[0].attempt == nil {
		t.Error("the refusal was given to a message that may not be its own")
	}
}
