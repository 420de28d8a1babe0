package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server with these settings until the test ends, and gives its address.
func serve(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout = 10 * time.Second
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
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
	for _, text := range []string{"not JSON", `{"messageId":"m-2","userId":0}`, "[]", "", "\xff"} {
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
	s := serve(t, nil)
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

func TestMessagesThatAreTooLong(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxMessage = 200 })
	c := dial(t, s)
	send(t, c, valid+strings.Repeat(" ", 200-len(valid)))
	if got := name(receive(t, c)); got != "m-1" {
		t.Errorf("reply to %q", got)
	}
	send(t, c, valid+strings.Repeat(" ", 201-len(valid)))
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}

	// Far more than fits into the socket's buffers: the close frame has to get through.
	c = dial(t, s)
	send(t, c, strings.Repeat(" ", 16<<20))
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}

	// A message may also grow too long by fragments.
	c = dial(t, s)
	w, err := c.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		_, _ = w.Write(make([]byte, 4096)) // the writer's buffer: each makes a frame
	}
	_ = w.Close()
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}
}

func TestFragmentedMessages(t *testing.T) {
	s := serve(t, nil)
	d := websocket.Dialer{WriteBufferSize: 16} // a frame holds no more
	c, _, err := d.Dial(s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w, err := c.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(valid) {
		_, _ = w.Write([]byte{valid[i]})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := name(receive(t, c)); got != "m-1" {
		t.Errorf("reply to %q", got)
	}
}

func TestMaxConnections(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxConnections = 2 })
	first := dial(t, s)
	dial(t, s)
	_, resp, err := websocket.DefaultDialer.Dial(s.URL(), nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("the third got %v, %v", resp, err)
	}
	body, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(body), "too many connections") {
		t.Errorf("body %s", body)
	}
	_ = first.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Time{})
	if got := closeCode(t, first); got != websocket.CloseNormalClosure {
		t.Errorf("close code %d", got)
	}
	_ = first.Close()
	for { // the server takes note of the end in its own time
		c, _, err := websocket.DefaultDialer.Dial(s.URL(), nil)
		if err == nil {
			_ = c.Close()
			break
		}
	}
}

func TestShutdownClosesClientsWith1001(t *testing.T) {
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.Delay = time.Hour // answers that never come due must not hold it up
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	clients := make([]*websocket.Conn, 20)
	for i := range clients {
		clients[i] = dial(t, s)
		send(t, clients[i], valid)
	}
	cancel()
	for i, c := range clients {
		if got := closeCode(t, c); got != websocket.CloseGoingAway {
			t.Errorf("client %d: close code %d", i, got)
		}
		_ = c.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, _, err := websocket.DefaultDialer.Dial(s.URL(), nil); err == nil {
		t.Error("the port is still open")
	}
}

func TestShutdownIsBounded(t *testing.T) {
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout = 20 * time.Millisecond
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	mute, _ := rawDial(t, s, nil) // never reads, and floods until the server can write no more
	_ = mute.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	go func() {
		frame := masked(ws.OpText, valid)
		for {
			if _, err := mute.Write(frame); err != nil {
				cancel()
				return
			}
		}
	}()
	dial(t, s) // never closes
	raw, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close() // never says anything
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestIdleClientsArePingedAndClosed(t *testing.T) {
	s := serve(t, func(c *Config) { c.IdleTimeout = 50 * time.Millisecond })
	c := dial(t, s)
	pings := 0
	c.SetPingHandler(func(string) error { pings++; return nil }) // no pong
	if got := closeCode(t, c); got != websocket.CloseGoingAway {
		t.Errorf("close code %d", got)
	}
	if pings != 1 {
		t.Errorf("%d pings", pings)
	}
}

func TestClientsThatAnswerPingsStay(t *testing.T) {
	s := serve(t, func(c *Config) { c.IdleTimeout = time.Second })
	c := dial(t, s)
	pong, pings := c.PingHandler(), 0
	c.SetPingHandler(func(data string) error {
		if pings++; pings == 3 { // the third comes 1.5 idle times after the start
			return c.Close()
		}
		return pong(data)
	})
	_, _, err := c.ReadMessage()
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ended with %v, after %d pings", err, pings)
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

// rawDial makes a handshake by hand and sends more bytes right behind it.
func rawDial(t *testing.T, s *Server, behind []byte) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	request := "GET /chat/1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := c.Write(append([]byte(request), behind...)); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %v, %v", resp, err)
	}
	return c, r
}

func masked(op ws.OpCode, payload string) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(op, true, []byte(payload))))
}

func TestMessagesMayComeWithTheHandshake(t *testing.T) {
	s := serve(t, nil)
	var behind []byte
	for range 20 { // more than one read buffer
		behind = append(behind, masked(ws.OpText, valid)...)
	}
	_, r := rawDial(t, s, behind)
	for range 20 {
		f, err := ws.ReadFrame(r)
		if err != nil || name(f.Payload) != "m-1" {
			t.Fatalf("%v: %s", err, f.Payload)
		}
	}
}

func TestHostileFramesCostTheirConnectionOnly(t *testing.T) {
	s := serve(t, nil)
	for _, test := range []struct {
		name  string
		frame []byte
		code  ws.StatusCode // 0: the connection just ends
	}{
		{"length of 2^64-1", []byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 0},
		{"length of 2^63", []byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 0},
		{"length of 2^63-1", []byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 1009},
		{"no mask", []byte{0x81, 0x02, '{', '}'}, 1002},
		{"reserved bit", []byte{0xc1, 0x80, 1, 2, 3, 4}, 1002},
		{"unknown opcode", []byte{0x8f, 0x80, 1, 2, 3, 4}, 1002},
		{"continuation of nothing", []byte{0x80, 0x80, 1, 2, 3, 4}, 1002},
		{"long ping", masked(ws.OpPing, strings.Repeat("x", 126)), 1002},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, r := rawDial(t, s, test.frame)
			f, err := ws.ReadFrame(r)
			switch {
			case test.code == 0 && errors.Is(err, io.EOF):
			case test.code == 0:
				t.Errorf("got %v, %v", f, err)
			case err != nil || f.Header.OpCode != ws.OpClose:
				t.Errorf("got %v, %v", f, err)
			default:
				if code, reason := ws.ParseCloseFrameData(f.Payload); code != test.code {
					t.Errorf("close code %d (%s), want %d", code, reason, test.code)
				}
			}
		})
	}
	c := dial(t, s)
	send(t, c, valid)
	receive(t, c)
}

func TestSlowHandshakesAreCutOff(t *testing.T) {
	s := serve(t, func(c *Config) { c.HandshakeTimeout = 30 * time.Millisecond })
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET /chat/1 HTTP/1.1\r\nHost:")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Error(err)
	}
}

func TestListenSaysWhatIsWrong(t *testing.T) {
	s := serve(t, nil)
	cfg := Default()
	cfg.Listen = s.listener.Addr().String()
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

func TestURLOfAllAddresses(t *testing.T) {
	s := serve(t, func(c *Config) { c.Listen = ":0" })
	if !strings.HasPrefix(s.URL(), "ws://127.0.0.1:") {
		t.Errorf("URL %s", s.URL())
	}
	dial(t, s)
}

// metric is a counter's value as /metrics shows it.
func metric(t *testing.T, s *Server, name string) int {
	t.Helper()
	_, body, _ := web(t, s, "GET", "/metrics")
	for line := range strings.SplitSeq(body, "\n") {
		if value, found := strings.CutPrefix(line, name+" "); found {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
	}
	t.Fatalf("no %s in\n%s", name, body)
	return 0
}

func TestMetricsCount(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxConnections = 1 })
	c := dial(t, s)
	if _, _, err := websocket.DefaultDialer.Dial(s.URL(), nil); err == nil {
		t.Fatal("no limit")
	}
	sent, got := 0, 0
	for _, text := range []string{valid, valid, strings.Replace(valid, "TEXT", "join", 1),
		strings.Replace(valid, "17,", "0,", 1), `{"messageType":"LEAVE"}`, "{", "[]"} {
		sent += len(text)
		send(t, c, text)
		got += len(receive(t, c))
	}
	for name, want := range map[string]int{
		"plimsoll_chat_connections_open":                                  1,
		`plimsoll_chat_connections_total{outcome="accepted"}`:             1,
		`plimsoll_chat_connections_total{outcome="refused"}`:              1,
		`plimsoll_chat_messages_total{outcome="ok",type="text"}`:          2,
		`plimsoll_chat_messages_total{outcome="ok",type="join"}`:          1,
		`plimsoll_chat_messages_total{outcome="rejected",type="text"}`:    1,
		`plimsoll_chat_messages_total{outcome="rejected",type="leave"}`:   1,
		`plimsoll_chat_messages_total{outcome="rejected",type="invalid"}`: 2,
		`plimsoll_chat_validation_errors_total{rule="userId"}`:            2,
		`plimsoll_chat_validation_errors_total{rule="username"}`:          1,
		`plimsoll_chat_validation_errors_total{rule="json"}`:              1,
		`plimsoll_chat_validation_errors_total{rule="object"}`:            1,
		`plimsoll_chat_validation_errors_total{rule="frame"}`:             0,
		`plimsoll_chat_bytes_total{direction="received"}`:                 sent,
		`plimsoll_chat_faults_injected_total{kind="drop"}`:                0,
	} {
		if value := metric(t, s, name); value != want {
			t.Errorf("%s %d, want %d", name, value, want)
		}
	}
	for metric(t, s, `plimsoll_chat_bytes_total{direction="sent"}`) != got {
		// The last reply is counted after it has left; so is the time that it took.
	}
	for metric(t, s, "plimsoll_chat_processing_seconds_count") != 7 {
	}
}

// TestDropsAreSeenAsTheyAreCounted is what a client that reports closed-by-peer:1006 relies on.
func TestDropsAreSeenAsTheyAreCounted(t *testing.T) {
	s := serve(t, func(c *Config) { c.DropRate = 0.1 })
	seen, answered := 0, 0
	for answered < 200 {
		c := dial(t, s)
		for answered < 200 {
			send(t, c, valid)
			if _, _, err := c.ReadMessage(); err != nil {
				if closed := (*websocket.CloseError)(nil); !errors.As(err, &closed) || closed.Code != 1006 {
					t.Fatalf("a drop shows as %v", err)
				}
				seen++
				break
			}
			answered++
		}
		_ = c.Close()
	}
	want := 0
	for n := range uint64(seen + answered) {
		if s.cfg.decide(n).fault == drop {
			want++
		}
	}
	counted := metric(t, s, `plimsoll_chat_faults_injected_total{kind="drop"}`)
	if seen == 0 || seen != counted || seen != want {
		t.Errorf("%d drops were seen, %d counted, the seed says %d", seen, counted, want)
	}
}

// TestDropWithUnreadMessages drops while more messages are on the way: the client must see
// the stream's end, not a reset.
func TestDropWithUnreadMessages(t *testing.T) {
	s := serve(t, func(c *Config) { c.DropRate = 1 })
	for range 20 {
		c := dial(t, s)
		for range 50 {
			if err := c.WriteMessage(websocket.TextMessage, []byte(valid)); err != nil {
				t.Fatal(err)
			}
		}
		if got := closeCode(t, c); got != websocket.CloseAbnormalClosure {
			t.Errorf("close code %d", got)
		}
		_ = c.Close()
	}
}

func TestFragmentsAndDelayOverTheNetwork(t *testing.T) {
	s := serve(t, func(c *Config) { c.Fragment, c.Delay, c.Jitter = 7, time.Millisecond, 2*time.Millisecond })
	c := dial(t, s)
	for i := range 100 {
		send(t, c, strings.Replace(valid, "m-1", strconv.Itoa(i), 1))
	}
	for i := range 100 {
		if got := name(receive(t, c)); got != strconv.Itoa(i) {
			t.Fatalf("reply to %q, want %d", got, i)
		}
	}
}

// BenchmarkAnswer is the handling of one message but for the system calls.
func BenchmarkAnswer(b *testing.B) {
	s := &session{metrics: newMetrics()}
	c := &conn{Conn: discard{}}
	data := []byte(with("messageId", `"00000000-0000-002a-0000-00000000b1c7"`))
	b.ReportAllocs()
	for b.Loop() {
		s.answer(c, true, data)
	}
}

type discard struct{ net.Conn }

func (discard) Write(p []byte) (int, error) { return len(p), nil }
