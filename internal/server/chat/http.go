package chat

import (
	"bufio"
	"net/http"
	"strings"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/server"
)

// handler is everything that the server answers over HTTP.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/chat-server"} {
		mux.HandleFunc(prefix+"/chat/{roomId}", s.chat)
		mux.HandleFunc("GET "+prefix+"/health", s.health)
	}
	mux.Handle("GET /metrics", s.responder.metrics.Handler())
	return mux
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	server.AnswerJSON(w, http.StatusOK, struct {
		Status    string `json:"status"`
		Timestamp string `json:"timestamp"`
	}{"UP", string(s.responder.clock.append(nil, time.Now()))})
}

// chat makes a WebSocket connection of a request that asks for one.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	if status, reason := checkHandshake(r); status != 0 {
		if status == http.StatusUpgradeRequired {
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Sec-WebSocket-Version", "13")
		}
		refuseHTTP(w, status, reason)
		return
	}
	if err := s.clients.Reserve(); err != nil {
		s.responder.metrics.refused.Inc()
		refuseHTTP(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if err := s.upgrade(w, r); err != nil {
		s.clients.Release()
		s.log.Debug("handshake failed", "remote", r.RemoteAddr, "error", err)
	}
}

// checkHandshake gives the status and reason for refusing a request, or 0 (RFC 6455, section
// 4.2.1). Any origin is welcome.
func checkHandshake(r *http.Request) (status int, reason string) {
	if !hasToken(r.Header, "Connection", "upgrade") || !hasToken(r.Header, "Upgrade", "websocket") {
		return http.StatusUpgradeRequired,
			"this is a WebSocket endpoint: connect with ws://, or use /health and /metrics over HTTP"
	}
	if r.Method != http.MethodGet {
		return http.StatusMethodNotAllowed, "a WebSocket handshake is a GET request"
	}
	if r.Header.Get("Sec-WebSocket-Version") != "13" {
		return http.StatusUpgradeRequired, "the WebSocket version must be 13"
	}
	if r.Header.Get("Sec-WebSocket-Key") == "" {
		return http.StatusBadRequest, "the handshake has no Sec-WebSocket-Key"
	}
	return 0, ""
}

// hasToken reports whether a comma-separated header holds a token, in any case.
func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// upgrade takes the connection from the HTTP server and starts its goroutine.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) error {
	raw, buffered, leave, err := s.web.Hijack(w)
	if err != nil {
		refuseHTTP(w, http.StatusInternalServerError, "the connection cannot be upgraded")
		return err
	}
	c := &conn{Conn: raw, left: leave, linger: s.linger, closeWrite: s.closeWrite}
	// The answer to the handshake has a time of its own, which the server's end must not wait for.
	if err := s.clients.Announce(c); err != nil {
		_ = raw.Close()
		leave()
		return err
	}
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Reader.Peek(n)
		c.early = append(c.early, early...)
	}
	if s.responder.sender != nil {
		c.out = newOutbox(c, s.responder.sender)
	}
	if hub := s.responder.hub; hub != nil {
		c.box = hub.join(r.PathValue("roomId"), c)
	}
	upgrader, compressed := s.upgraders.of(r)
	socket, err := upgrader.UpgradeFromConn(c, bufio.NewReaderSize(c, readBuffer), r)
	if err != nil {
		s.leave(c)
		c.finish()
		s.clients.Withdraw(c)
		return err
	}
	if compressed {
		c.compressing = socket
	}
	if c.box != nil {
		c.box.start()
	}
	s.responder.metrics.accepted.Inc()
	s.responder.metrics.open.Inc()
	s.clients.Start(c, func(late bool) { s.serveConn(c, socket, late) })
	return nil
}

func newUpgrader(cfg *Config, events gws.Event, subprotocols ...string) *gws.Upgrader {
	o := options(cfg)
	o.SubProtocols = subprotocols
	return gws.NewUpgrader(events, o)
}

func options(cfg *Config) *gws.ServerOption {
	return &gws.ServerOption{
		ReadMaxPayloadSize: cfg.MaxMessage,
		ReadBufferSize:     readBuffer,
		HandshakeTimeout:   cfg.HandshakeTimeout,
		ParallelGolimit:    1, // it makes a queue of this size, which is not used
		CheckUtf8Enabled:   true,
		Logger:             quiet{},
		NewSession:         func() gws.SessionStorage { return nil },
	}
}

// readBuffer is the size of a connection's read buffer: room for a few messages, since an
// idle connection keeps it. What is longer is read past it.
const readBuffer = 2 << 10

// quiet keeps the library from writing on the standard logger.
type quiet struct{}

func (quiet) Error(...any) {}

func refuseHTTP(w http.ResponseWriter, status int, reason string) {
	server.AnswerJSON(w, status, struct {
		Status string   `json:"status"`
		Errors []string `json:"errors"`
	}{"error", []string{reason}})
}
