package ws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
	server "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// echoes runs a server that sends back whatever comes, until the test ends.
func echoes(t *testing.T) string {
	t.Helper()
	return serveWith(t, func(c *server.Config) { c.Echo = true })
}

// checked is what a check of a file with a server that sends all back found and told.
func checked(t *testing.T, file string, wait time.Duration, env map[string]string) (ws.Checked, string, error) {
	t.Helper()
	p, err := wsproto.Load("test.yaml", []byte("protocol: 1\ncodec: json\n"+file), wsproto.Options{
		Env: func(name string) (string, bool) {
			value, is := env[name]
			return value, is
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ws.New(ws.Options{Protocol: p, Label: "message", Rooms: 1}, echoes(t), "0a1b2c3d")
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	found, err := w.Check(t.Context(), wait, func(s ws.Shown) {
		way := "← "
		if s.Sent {
			way = "→ "
		}
		fmt.Fprintf(&told, "%s%s | %s | %s\n", way, s.Text, s.What, strings.Join(s.Why, "; "))
	})
	return found, told.String(), err
}

// Each message is shown as it was sent and received, with what takes it, and why nothing else does.
func TestCheck(t *testing.T) {
	const soon, never = runtest.Patience, 50 * time.Millisecond // never: a busy machine gets more
	for name, c := range map[string]struct {
		file  string
		wait  time.Duration
		found ws.Checked
		told  []string // in this order
	}{
		"answered": {`
messages: [{name: a, send: '{"op":"a","id":${id}}'}, {name: b, send: '{"op":"b","id":${id}}'}]
receive: [{when: {/op: x, /id: 7}, ignore: true}, {when: {/op: "*"}, answers: /id}]`, soon,
			ws.Checked{Sent: 2, Answered: 2}, []string{
				`→ {"op":"a","id":1} | message a | `,
				`← {"op":"a","id":1} | matched by rule 2: {when: {/op: '*'}, answers: /id} | rule 1: /op is a, not x`,
				"reply to the message", `→ {"op":"b","id":2} | message b`, "reply to the message"}},
		"answered by its mark": {`
messages: [{name: a, send: '{"id":"${mark}"}'}]
receive: [{answers: /id}]`, soon, ws.Checked{Sent: 1, Answered: 1}, []string{`{"id":"0a1b2c3d-0-0.1"}`, "reply to the message"}},
		"in order": {`
messages: [{name: a, send: '{}'}]
receive: [{answers: order}]`, soon, ws.Checked{Sent: 1, Answered: 1}, []string{"matched by rule 1: {answers: order}", "reply"}},
		"refused": {`
messages: [{name: a, send: '{"id":${id},"error":"no money"}'}]
receive: [{answers: /id, refused: {/error: "*"}}]`, soon, ws.Checked{Sent: 1, Refused: 1}, []string{"no money", "  refusal"}},
		"no rule": {`
messages: [{name: a, send: '{"op":"a","id":${id},"note":null}'}]
receive: [{when: {/kind: x}, answers: /id}, {when: {/op: null}, answers: /id}, {when: {/op: a, /note: "*", /id: 2}, answers: /id}]`,
			never, ws.Checked{Sent: 1, Untaken: 1}, []string{"no rule matches | rule 1: there is no /kind; " +
				"rule 2: /op is present: a; rule 3: /id is 1, not 2", "no reply to message a within "}},
		"another's": {`
messages: [{name: a, send: '{"id":${id},"of":0}'}]
receive: [{answers: /of}]`, never, ws.Checked{Sent: 1}, []string{"reply, but 0 matches no waiting message",
			"no reply to message a within "}},
		"none of the codec": {`
messages: [{name: a, send: 'no JSON ${id}'}]
receive: [{when: {/a: b}, answers: /id}]`, never, ws.Checked{Sent: 1}, []string{"no JSON 1 | not a valid message of codec json: "}},
		"a heartbeat": {`
open: [{send: '{"ping":1}'}]
messages: [{name: a, send: '{"id":${id}}'}]
receive: [{when: {/ping: "*"}, reply: '{"pong":1}'}, {when: {/pong: "*"}, ignore: true}, {answers: /id}]`, soon,
			ws.Checked{Sent: 1, Answered: 1}, []string{`→ {"ping":1}`, "matched by rule 1", `→ {"pong":1}`}},
		"deliveries alone": {`
messages: [{name: a, send: '{"id":"${mark}"}'}]
receive: [{delivery: /id}]`, soon, ws.Checked{Sent: 1, Delivered: 1}, []string{"delivery of the message"}},
		"the opening": {`
open: [{send: '{"login":"me"}', expect: {/login: "*"}, refused: {/error: "*"}, keep: {who: /login}}]
messages: [{name: a, send: '{"id":${id},"who":"${who}"}'}]
receive: [{answers: /id}]`, soon, ws.Checked{Sent: 1, Answered: 1}, []string{`→ {"login":"me"}`,
			`← {"login":"me"} | expected by step 1 of open`, `→ {"id":1,"who":"me"} | message a`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for wait := c.wait; ; wait *= 4 {
				found, told, err := checked(t, c.file, wait, nil)
				if err == nil && found == c.found && inOrder(told, c.told) {
					return
				}
				if wait >= runtest.Patience {
					t.Fatalf("%v, found %+v, want %+v; want %q in\n%s", err, found, c.found, c.told, told)
				}
			}
		})
	}
}

// inOrder reports whether text contains all parts, one after the other.
func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		_, behind, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = behind
	}
	return true
}

// What a server waits for and does not get is said with the step of the opening, and with what came last.
func TestCheckOfAnOpeningThatFails(t *testing.T) {
	for file, want := range map[string]string{
		`open: [{send: '{"a":1}', expect: {/a: 1}}, {send: '{"b":2}', expect: {/c: "*"}}]`: `; the last message was {"b":2}`,
		`open: [{send: '{"error":"who are you"}', expect: {/c: "*"}, refused: {/error: "*"}}]`: `step 1 of open: the server ` +
			`refused: {"error":"who are you"}`,
	} {
		for wait := 100 * time.Millisecond; ; wait *= 4 {
			_, told, err := checked(t, file+"\nmessages: [{send: '{}'}]\nreceive: [{answers: order}]", wait, nil)
			if err != nil && strings.Contains(err.Error(), want) {
				break
			}
			if wait >= runtest.Patience {
				t.Fatalf("%v, want %s\n%s", err, want, told)
			}
		}
	}
}

// Nothing of the environment, and nothing that was kept from an answer, is shown, however it is written.
func TestCheckShowsNoSecrets(t *testing.T) {
	const secret = `hunter2 "of" mine`
	_, told, err := checked(t, `
open: [{send: '{"token":"${env.TOKEN}"}', expect: {/token: "*"}, keep: {session: /token}}]
messages: [{name: a, send: '{"id":${id},"session":"${session}","again":"${env.TOKEN}"}'}]
receive: [{when: {/session: x}, ignore: true}, {answers: /id}]`, time.Minute, map[string]string{"TOKEN": secret})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(told, "hunter2") || strings.Contains(told, "mine") || strings.Count(told, `"session":"…"`) != 2 {
		t.Error(told)
	}
	// One that is too short to be looked for hides all.
	_, told, err = checked(t, `
messages: [{name: a, send: '{"id":${id},"pin":"${env.PIN}"}'}]
receive: [{answers: /id}]`, time.Minute, map[string]string{"PIN": "417"})
	if err != nil || strings.Contains(told, "417") || !strings.Contains(told, "not shown") {
		t.Errorf("%v\n%s", err, told)
	}
}
