package ws

import (
	"github.com/gorilla/websocket"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// unowned is told, and does nothing about it.
type unowned struct{}

func (unowned) opened()                                             {}
func (unowned) answered(*talk, *wsproto.Rule, []byte, bool, []byte) {}
func (unowned) delivered(*talk, []byte)                             {}
func (unowned) unreadable(*talk, []byte)                            {}
func (unowned) lost(*talk, *op.Failure)                             {}

// TestServerThatSpeaksFirst: each step of an opening is taken once, also when what the first waits for comes before
// it has begun. Socket.IO takes a second login for a second user on the same connection.
func TestServerThatSpeaksFirst(t *testing.T) {
	logins := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for n := 0; ; n++ {
			if _, _, err := c.ReadMessage(); err != nil {
				logins <- n
				return
			}
			_ = c.WriteMessage(websocket.TextMessage, []byte("40{}"))
		}
	}))
	defer server.Close()
	p := ProtocolOf(t, `
protocol: 1
codec: socketio
open:
  - {expect: {type: "0"}}
  - {send: "40", expect: {type: "40"}}
messages:
  - {name: msg, send: '42${id}["msg"]'}
receive:
  - {when: {type: "43"}, answers: ack}
`)
	w, err := New(Options{Protocol: p, Label: "message", Rooms: 1}, strings.Replace(server.URL, "http", "ws", 1), "test")
	if err != nil {
		t.Fatal(err)
	}
	k := w.newTalk(unowned{}, template.Values{})
	if err := k.dial(t.Context(), readBuffer); err != nil {
		t.Fatal(err)
	}
	k.decoder.Begin([]byte("0{}"))
	if more, err := k.decoder.Next(&k.message); !more || err != nil {
		t.Fatal(more, err)
	}
	k.take() // what has been read before start is called
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.read()
	}()
	if why := k.start(t.Context()); why != nil {
		t.Fatal(why)
	}
	k.farewell()
	<-done
	if n := <-logins; n != 1 {
		t.Errorf("%d logins", n)
	}
}
