package ws_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// echoing makes a client of a target that answers each message in order.
func echoing(t *testing.T, target string, dial ws.Dial) (workload.Client, *ws.Traffic) {
	t.Helper()
	p := ws.ProtocolOf(t, "protocol: 1\ncodec: text\nmessages: [{send: m}]\nreceive: [{answers: order}]\n")
	w, err := ws.New(ws.Options{Protocol: p, Label: "message", Rooms: 1, Dial: dial}, target, "tag")
	if err != nil {
		t.Fatal(err)
	}
	client := w.NewClient(0, 1)
	t.Cleanup(client.Close)
	return client, w
}

// once connects and sends one message; it returns how the connection was lost.
func once(t *testing.T, client workload.Client) (cause, what string) {
	t.Helper()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, time.Minute); why != nil {
		return why.Cause, fmt.Sprint(why.Err)
	}
	return "", ""
}

func TestLongMessages(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	whole := append([]byte("\x81\x7f\x00\x00\x00\x00\x00\x20\x00\x00"), long...)
	parts := append([]byte("\x01\x7f\x00\x00\x00\x00\x00\x20\x00\x00"), long...)
	parts = append(parts, "\x80\x01x"...)
	for name, c := range map[string]struct {
		limit  int
		answer []byte
		cause  string
	}{
		"the default takes 2 MiB":                {0, whole, ""},
		"the limit itself":                       {2 << 20, whole, ""},
		"one byte more than the limit":           {2<<20 - 1, whole, "message-too-big"},
		"fragments that sum up to one byte more": {2 << 20, parts, "message-too-big"},
	} {
		t.Run(name, func(t *testing.T) {
			client, w := echoing(t, raw(t, c.answer), ws.Dial{MaxMessage: c.limit})
			cause, what := once(t, client)
			if cause != c.cause || cause != "" && !strings.Contains(what, "--max-message 2") {
				t.Errorf("%q: %s", cause, what)
			}
			if lost := w.Losses(); (lost == nil) != (c.cause == "") {
				t.Errorf("%+v", lost)
			}
		})
	}
}

// TestCloseReasons: reports have what the server said, printable and without the secrets that were sent to it.
func TestCloseReasons(t *testing.T) {
	client, w := echoing(t, raw(t, append([]byte{0x88, 26, 0x03, 0xf0}, "\x1b[1mtoken hunter2 is bad"...)),
		ws.Dial{Headers: ws.Headers{"Authorization": {"Bearer hunter2"}}})
	for range 3 {
		if cause, what := once(t, client); cause != "closed-by-peer:1008" ||
			what != `the server closed the connection with code 1008 (policy violation): \x1b[1mtoken … is bad` {
			t.Fatalf("%s: %s", cause, what)
		}
	}
	want := rundoc.WSLoss{Cause: "closed-by-peer:1008", What: `\x1b[1mtoken … is bad`, Count: 3}
	if got := w.Losses(); len(got.Texts) != 1 || got.Texts[0] != want || got.More != 0 {
		t.Errorf("%+v", got)
	}
}

// TestCloseReasonsAreBounded: a server that gives each connection a reason of its own does not make a document grow.
func TestCloseReasonsAreBounded(t *testing.T) {
	var n atomic.Int64
	client, w := echoing(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		if _, err := in.ReadByte(); err == nil {
			fmt.Fprintf(conn, "\x88\x06\x03\xe8%04d", n.Add(1))
			_, _ = io.Copy(io.Discard, in)
		}
	}), ws.Dial{})
	for range 30 {
		once(t, client)
	}
	if got := w.Losses(); len(got.Texts) != 20 || got.More != 10 {
		t.Errorf("%+v", got)
	}
}

// TestBrokenRulesAreNamed: what is said of a server that breaks the protocol has no words of a library.
func TestBrokenRulesAreNamed(t *testing.T) {
	for frame, want := range map[string]string{
		"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff": "impossible length",
		"\x83\x00":          "an invalid WebSocket frame",
		"\xc1\x00":          "an invalid WebSocket frame",
		"\x81\x03a\xff\x00": "not UTF-8",
	} {
		client, w := echoing(t, raw(t, []byte(frame)), ws.Dial{})
		cause, what := once(t, client)
		if cause != "protocol" || !strings.Contains(what, want) || strings.Contains(what, "gws") {
			t.Errorf("%q: %s: %s", frame, cause, what)
		}
		if got := w.Losses(); got == nil || got.Texts[0].What != what {
			t.Errorf("%q: %+v", frame, got)
		}
	}
	client, _ := echoing(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		if _, err := http.ReadRequest(in); err == nil {
			_, _ = io.WriteString(conn, "")
		}
	}), ws.Dial{})
	if err := client.Connect(t.Context()); err == nil || strings.Contains(err.Error(), "gws") {
		t.Error(err)
	}
}
