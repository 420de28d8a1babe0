package chat

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// TestEveryMessageComesBack: what a client sends comes back as it was, text or binary, whole or in fragments.
func TestEveryMessageComesBack(t *testing.T) {
	for name, fragment := range map[string]int{"whole": 0, "in fragments": 3} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c *Config) { c.Echo, c.Fragment = true, fragment })
			c := dial(t, s)
			for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
				for _, text := range []string{"", "no chat", "ünder", strings.Repeat("long ", 5000)} {
					if err := c.WriteMessage(kind, []byte(text)); err != nil {
						t.Fatal(err)
					}
					got, data, err := c.ReadMessage()
					if err != nil || got != kind || string(data) != text {
						t.Fatalf("%q came back as %d, %.40q: %v", text, got, data, err)
					}
				}
			}
			if got := metric(t, s, `plimsoll_chat_messages_total{outcome="ok",type="any"}`); got != 8 {
				t.Errorf("%v messages are counted", got)
			}
		})
	}
	c := Default()
	c.Echo, c.ErrorRate = true, 0.5
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "--echo") {
		t.Errorf("--echo with --error-rate: %v", err)
	}
}

// TestTextIsUTF8: text that is none ends its connection with 1007, and what is binary may be anything.
func TestTextIsUTF8(t *testing.T) {
	s := serve(t, func(c *Config) { c.Echo = true })
	for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
		c := dial(t, s)
		if err := c.WriteMessage(kind, []byte("a\xff")); err != nil {
			t.Fatal(err)
		}
		_, data, err := c.ReadMessage()
		if kind == websocket.BinaryMessage {
			if err != nil || !bytes.Equal(data, []byte("a\xff")) {
				t.Errorf("binary: %q, %v", data, err)
			}
		} else if !websocket.IsCloseError(err, websocket.CloseInvalidFramePayloadData) {
			t.Errorf("text: %q, %v", data, err)
		}
	}
}

// TestGarbageRepliesAreTextMessages: half an answer is no JSON, and still text.
func TestGarbageRepliesAreTextMessages(t *testing.T) {
	s := serve(t, func(c *Config) { c.Echo, c.GarbageRate = true, 1 })
	c := dial(t, s)
	for n := range 20 {
		send(t, c, strings.Repeat("€", n))
		if got := receive(t, c); string(got) != strings.Repeat("€", n/2) {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}
