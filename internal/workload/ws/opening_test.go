package ws_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// speaker is the server of a protocol: it says what there is to say when it is opened, and to each message.
type speaker struct {
	hello  []string
	answer func(message string) []string

	mu    sync.Mutex
	more  sync.Cond // of mu: heard has grown
	heard []string
	paths []string
}

func (s *speaker) serve(t *testing.T) string {
	s.more.L = &s.mu
	return scripted(t, func(conn net.Conn, in *bufio.Reader) {
		request, err := in.Peek(1)
		if err != nil || len(request) == 0 {
			return
		}
		line, _ := in.Peek(in.Buffered())
		s.mu.Lock()
		s.paths = append(s.paths, string(line))
		s.mu.Unlock()
		shake(conn, in)
		say := func(list []string) {
			for _, text := range list {
				_, _ = conn.Write(append([]byte{0x81, byte(len(text))}, text...)) // of up to 125 bytes
			}
		}
		say(s.hello)
		for {
			code, text, err := frame(in)
			if err != nil {
				return
			}
			if code == 8 {
				text = "closed"
			}
			s.mu.Lock()
			s.heard = append(s.heard, text)
			s.more.Broadcast()
			s.mu.Unlock()
			if code == 8 {
				return
			}
			say(s.answer(text))
		}
	})
}

// await waits until what the server has heard satisfies enough, and returns it.
func (s *speaker) await(enough func(heard string) bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !enough(strings.Join(s.heard, "\n")) {
		s.more.Wait()
	}
	return strings.Join(s.heard, "\n")
}

// speaking makes a client of a file's protocol.
func speaking(t *testing.T, file, target string) (workload.Client, *ws.Traffic) {
	t.Helper()
	w, err := ws.New(ws.Options{Protocol: ws.ProtocolOf(t, file), Label: "message", Rooms: 3}, target, "tagtagta")
	if err != nil {
		t.Fatal(err)
	}
	return w.NewClient(4, 1), w
}

const polite = `
protocol: 1
path: /live?room=${room}
headers: {X-Client: "c${client}"}
codec: json
open:
  - {expect: {/type: hello}, keep: {session: /session}}
  - {send: '{"type":"login","session":"${session}"}'}
  - {send: '{"type":"join","room":${room}}', expect: {/type: joined}, refused: {/type: no}}
messages:
  - {name: say, send: '{"type":"say","id":${id},"session":"${session}","room":${room}}'}
receive:
  - {when: {/type: ping}, reply: '{"type":"pong"}'}
  - {when: {/type: said}, answers: /id, refused: {/error: "*"}}
  - {when: {/type: news}, delivery: /id}
  - {when: {/type: idle}, ignore: true}
close: [{send: '{"type":"bye"}'}]
`

// TestOpeningFollowsTheFile: what is sent, what is kept, and what is said at the end.
func TestOpeningFollowsTheFile(t *testing.T) {
	s := &speaker{
		hello: []string{`{"type":"idle"}`, `{"type":"hello","session":"a\"b"}`},
		answer: func(message string) []string {
			switch {
			case strings.Contains(message, "join"):
				return []string{`{"type":"ping"}`, `{"type":"joined"}`}
			case strings.Contains(message, "say"):
				return []string{`{"type":"news","id":"of somebody"}`, `{"type":"mist"}`, `{"type":"said","id":1}`, `{"type":"ping"}`}
			}
			return nil
		},
	}
	client, w := speaking(t, polite, s.serve(t))
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, time.Minute); why != nil {
		t.Error(why)
	}
	s.await(func(heard string) bool { return strings.Contains(heard, "say") && strings.Count(heard, "pong") == 2 })
	client.Close()
	got := s.await(func(heard string) bool { return strings.HasSuffix(heard, "closed") })
	want := `{"type":"login","session":"a\"b"}
{"type":"join","room":2}
{"type":"pong"}
{"type":"say","id":1,"session":"a\"b","room":2}
{"type":"pong"}
{"type":"bye"}
closed`
	if got != want {
		t.Errorf("it heard\n%s\nwant\n%s", got, want)
	}
	if path := s.paths[0]; !strings.HasPrefix(path, "GET /live?room=2 ") || !strings.Contains(path, "X-Client: c4\r\n") {
		t.Errorf("%s", path)
	}
	r := w.Replies()
	if w.Heartbeats() != 2 || w.Deliveries() != 1 || r.Unmatched.Load() != 1 || r.Example() != `{"type":"mist"}` {
		t.Errorf("%d heartbeats, %d deliveries, %d unmatched, such as %q", w.Heartbeats(), w.Deliveries(), r.Unmatched.Load(),
			r.Example())
	}
}

// TestFailedOpeningNamesItsStep says which step it was, and what the server said.
func TestFailedOpeningNamesItsStep(t *testing.T) {
	joins := func(answer string) func(string) []string {
		return func(message string) []string {
			if strings.Contains(message, "join") {
				return []string{answer}
			}
			return nil
		}
	}
	hello := []string{`{"type":"hello","session":"x"}`}
	for name, c := range map[string]*struct {
		s          speaker
		cause, why string
	}{
		"nothing comes": {speaker{answer: joins("")}, "open-timeout", "ms; no message arrived"},
		"something else comes": {speaker{hello: hello, answer: joins(`{"type":"wait"}`)}, "open-timeout",
			`ms; the last message was {"type":"wait"}`},
		"it is refused": {speaker{hello: hello, answer: joins(`{"type":"no","why":"full"}`)}, "open-refused",
			`step 3 of open: the server refused: {"type":"no","why":"full"}`},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := speaking(t, polite, c.s.serve(t))
			defer client.Close()
			// The message must have come when the time is over, so a busy machine gets more time. A refusal does not
			// wait for its end.
			timeout := 100 * time.Millisecond
			if c.cause == "open-refused" {
				timeout = runtest.Patience
			}
			for ; ; timeout *= 4 {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				err := client.Connect(ctx)
				cancel()
				var why *op.Failure
				if errors.As(err, &why) && why.Cause == c.cause && strings.Contains(why.Error(), c.why) {
					break
				}
				if timeout >= runtest.Patience {
					t.Fatalf("%v, want %s: %s", err, c.cause, c.why)
				}
			}
			if client.Down() == nil {
				t.Error("it is up")
			}
		})
	}
}

// TestServerClosesDuringOpening is a loss like another.
func TestServerClosesDuringOpening(t *testing.T) {
	client, _ := speaking(t, polite, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		_, _ = io.WriteString(conn, "\x88\x02\x03\xf3")
	}))
	defer client.Close()
	var why *op.Failure
	if err := client.Connect(t.Context()); !errors.As(err, &why) || why.Cause != "closed-by-peer:1011" {
		t.Errorf("%v", err)
	}
}

// TestHeartbeatsAreSent again and again, without a message of theirs.
func TestHeartbeatsAreSent(t *testing.T) {
	s := &speaker{answer: func(string) []string { return nil }}
	client, w := speaking(t, `
protocol: 1
codec: text
messages: [{name: m, send: "m"}]
receive: [{answers: order}]
every: [{after: 10ms, send: "alive ${room}"}]
`, s.serve(t))
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.await(func(heard string) bool { return strings.Count(heard, "alive 2") >= 4 }) // the third is counted before the fourth is sent
	client.Close()
	if w.Beats() < 3 {
		t.Errorf("%d beats", w.Beats())
	}
}

// TestTimeoutWithoutNamesEndsTheConnection: nobody can tell whose the next answer is. The client reports the connection
// as lost before the attempt has ended, so that the next attempt is not sent on it.
func TestTimeoutWithoutNamesEndsTheConnection(t *testing.T) {
	s := &speaker{answer: func(string) []string { return nil }}
	client, _ := speaking(t, "protocol: 1\ncodec: text\nmessages: [{name: m, send: \"m\"}]\nreceive: [{answers: order}]\n", s.serve(t))
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if why := perform(t, client, 0, time.Millisecond); why == nil || why.Cause != "timeout" {
			t.Fatalf("the attempt ended with %v", why)
		}
		if why := client.Down(); why == nil || why.Cause != "cut-off" {
			t.Fatalf("after the timeout the connection is down because of %v", why)
		}
		if err := client.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostBeforeAnythingWasSent: the attempt continues on a new connection, and is no failure of the service.
func TestLostBeforeAnythingWasSent(t *testing.T) {
	s := &speaker{answer: func(string) []string { return nil }}
	client, _ := speaking(t, "protocol: 1\ncodec: text\nmessages: [{name: m, send: \"m\"}]\nreceive: [{answers: order}]\n", s.serve(t))
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	client.Cut(op.ErrTimeout)
	if why := perform(t, client, 0, time.Minute); why == nil || why.Cause != "cut-off" || !why.GoesOn {
		t.Errorf("%+v", why)
	}
}
