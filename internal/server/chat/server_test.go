package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serve runs a server with these settings until the test ends, and gives its address.
func serve(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	return serveTelling(t, change, t.Output())
}

// serveTelling has the server say what it says to a writer.
func serveTelling(t *testing.T, change func(*Config), log io.Writer) *Server {
	t.Helper()
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout, cfg.HandshakeTimeout = time.Minute, time.Minute
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.takeTime()
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// takeTime lets a client take its time to send all that is thrown away, and the server to write what it
// says at the end.
func (s *Server) takeTime() { s.linger, s.closeWrite = time.Minute, time.Minute }

// dial connects a foreign client.
func dial(t *testing.T, s *Server) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial(s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c *websocket.Conn) []byte {
	t.Helper()
	_, data, err := c.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// closeCode reads to the end of a connection and gives the close frame's code; 1006 is the
// end of the stream without one. A reset, which the server has to avoid, fails the test.
func closeCode(t *testing.T, c *websocket.Conn) int {
	t.Helper()
	for {
		_, _, err := c.ReadMessage()
		if closed := (*websocket.CloseError)(nil); errors.As(err, &closed) {
			return closed.Code
		}
		if err != nil {
			t.Fatalf("the connection ended with %v", err)
		}
	}
}

const valid = `{"messageId":"m-1","userId":17,"username":"user17","message":"hello","timestamp":"2025-01-31T12:00:00Z","messageType":"TEXT"}`

func TestEcho(t *testing.T) {
	s := serve(t, nil)
	for _, path := range []string{"/chat/1", "/chat/a%2fb", "/chat-server/chat/room-7"} {
		c, _, err := websocket.DefaultDialer.Dial(strings.TrimSuffix(s.URL(), "/chat/1")+path, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		defer c.Close()
		before := time.Now().Add(-time.Microsecond) // the server's times are cut to microseconds
		send(t, c, " "+valid+"\n")
		var got struct {
			MessageID       string          `json:"messageId"`
			Status          string          `json:"status"`
			ServerReceive   string          `json:"serverReceiveTime"`
			ServerSend      string          `json:"serverSendTime"`
			OriginalMessage json.RawMessage `json:"originalMessage"`
		}
		unmarshal(t, receive(t, c), &got)
		if got.MessageID != "m-1" || got.Status != "success" || string(got.OriginalMessage) != valid {
			t.Errorf("%s: %+v", path, got)
		}
		received, sent := parseTime(t, got.ServerReceive), parseTime(t, got.ServerSend)
		if received.Before(before) || sent.Before(received) || time.Now().Before(sent) {
			t.Errorf("received %v and sent %v, after %v", received, sent, before)
		}
	}
}

func unmarshal(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

func parseTime(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05.000000Z", s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

type errorReply struct {
	MessageID     string    `json:"messageId"`
	Status        string    `json:"status"`
	Errors        []string  `json:"errors"`
	ServerReceive time.Time `json:"serverReceiveTime"`
	ServerSend    time.Time `json:"serverSendTime"`
}

func TestErrorsLeaveTheConnectionOpen(t *testing.T) {
	s := serve(t, nil)
	c := dial(t, s)
	for _, text := range []string{"not JSON", `{"messageId":"m-2","userId":0}`, "[]", ""} {
		send(t, c, text)
		var got errorReply
		unmarshal(t, receive(t, c), &got)
		if got.Status != "error" || len(got.Errors) == 0 || got.ServerReceive.IsZero() || got.ServerSend.IsZero() {
			t.Errorf("%q: %+v", text, got)
		}
		if strings.Contains(text, "m-2") != (got.MessageID == "m-2") {
			t.Errorf("%q: the reply is to %q", text, got.MessageID)
		}
	}
	if err := c.WriteMessage(websocket.BinaryMessage, []byte(valid)); err != nil {
		t.Fatal(err)
	}
	var got errorReply
	unmarshal(t, receive(t, c), &got)
	if diff := cmp.Diff([]string{rules[ruleFrame].broken}, got.Errors); diff != "" {
		t.Error(diff)
	}
	send(t, c, valid)
	if got := name(receive(t, c)); got != "m-1" {
		t.Errorf("after the errors: %q", got)
	}
}

// web makes a request over plain HTTP and gives the status, the body and the headers.
func web(t *testing.T, s *Server, method, path string, headers ...string) (int, string, http.Header) {
	t.Helper()
	base := "http" + strings.TrimSuffix(strings.TrimPrefix(s.URL(), "ws"), "/chat/1")
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func TestHTTP(t *testing.T) {
	s := serve(t, nil)
	upgrade := []string{"Connection", "keep-alive, Upgrade", "Upgrade", "websocket"}
	for _, test := range []struct {
		method, path string
		headers      []string
		status       int
		body         string
	}{
		{"GET", "/health", nil, 200, `{"status":"UP","timestamp":"20`},
		{"GET", "/chat-server/health", nil, 200, `{"status":"UP","timestamp":"20`},
		{"POST", "/health", nil, 405, ""},
		{"GET", "/", nil, 404, ""},
		{"GET", "/chat", nil, 404, ""},
		{"GET", "/chat/", nil, 404, ""},
		{"GET", "/chat/1/2", nil, 404, ""},
		{"GET", "/chat/1", nil, 426, "connect with ws://"},
		{"POST", "/chat-server/chat/1", nil, 426, "connect with ws://"},
		{"POST", "/chat/1", upgrade, 405, "GET"},
		{"GET", "/chat/1", upgrade, 426, "the WebSocket version must be 13"},
		{"GET", "/chat/1", append(upgrade, "Sec-WebSocket-Version", "13"), 400, "no Sec-WebSocket-Key"},
		{"GET", "/metrics", nil, 200, "plimsoll_chat_connections_open 0"},
	} {
		status, body, header := web(t, s, test.method, test.path, test.headers...)
		if status != test.status || !strings.Contains(body, test.body) {
			t.Errorf("%s %s: %d %s, want %d with %q", test.method, test.path, status, body, test.status, test.body)
		}
		if status == 426 && (header.Get("Upgrade") != "websocket" || header.Get("Sec-WebSocket-Version") != "13") {
			t.Errorf("%s %s: headers %v", test.method, test.path, header)
		}
	}
}

func TestSubprotocolAndOrigin(t *testing.T) {
	s := serve(t, func(c *Config) { c.Origins = []string{"https://example.org"} })
	if c, r, err := websocket.DefaultDialer.Dial(s.URL(), http.Header{"Origin": {"https://evil.example"}}); err == nil ||
		r == nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin connects: %v, %v", c, err)
	}
	d := websocket.Dialer{Subprotocols: []string{"chat.v2", "chat.v1"}}
	c, _, err := d.Dial(s.URL(), http.Header{"Origin": {"https://example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.Subprotocol(); got != "chat.v2" {
		t.Errorf("subprotocol %q", got)
	}
	send(t, c, valid)
	if got := name(receive(t, c)); got != "m-1" {
		t.Errorf("reply to %q", got)
	}
}

func TestClientsPingsAreAnswered(t *testing.T) {
	s := serve(t, nil)
	c := dial(t, s)
	var got string
	c.SetPongHandler(func(data string) error { got = data; return nil })
	if err := c.WriteControl(websocket.PingMessage, []byte("hi"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	send(t, c, valid)
	receive(t, c)
	if got != "hi" {
		t.Errorf("pong %q", got)
	}
}

func TestListenSaysWhatIsWrong(t *testing.T) {
	s := serve(t, nil)
	cfg := Default()
	cfg.Listen = s.port.Addr().String()
	second, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot listen on "+cfg.Listen) {
		t.Errorf("error %v", err)
	}
	if second.URL() != "" {
		t.Errorf("URL %q", second.URL())
	}
}

// BenchmarkAnswer is the handling of one message but for the system calls.
func BenchmarkAnswer(b *testing.B) {
	s := &responder{metrics: newMetrics()}
	c := &conn{Conn: discard{}}
	data := []byte(with("messageId", `"00000000-0000-002a-0000-00000000b1c7"`))
	b.ReportAllocs()
	for b.Loop() {
		s.answer(c, true, data)
	}
}

type discard struct{ net.Conn }

func (discard) Write(p []byte) (int, error) { return len(p), nil }
