package ws

import (
	"io"
	"testing"
)

// TestTheEndOfAnOldConnectionIsNotThePresentOnes closes a connection that was replaced.
func TestTheEndOfAnOldConnectionIsNotThePresentOnes(t *testing.T) {
	w, err := New(Options{Protocol: chatProtocol(t), Rooms: 1}, "ws://localhost/", "tag")
	if err != nil {
		t.Fatal(err)
	}
	c := w.NewClient(0, 1).(sender).Client
	present, before := w.newTalk(c, c.values), w.newTalk(c, c.values)
	c.talk = present
	c.down.Store(nil)
	before.OnClose(nil, io.EOF)
	if c.Down() != nil || c.talk != present {
		t.Errorf("down: %v", c.Down())
	}
	present.OnClose(nil, io.EOF)
	if why := c.Down(); why == nil || why.Cause != "closed-by-peer:1006" {
		t.Errorf("down: %v", why)
	}
}
