package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// ServeUntil is the life of a server: it accepts until ctx is done or accepting fails, then it
// ends. end closes the listener, so that accept returns, and lets what is under way come to its
// end; when patience is done, which is after timeout, it cuts off what is left.
func ServeUntil(ctx context.Context, timeout time.Duration, accept func() error,
	end func(patience context.Context)) error {
	var accepting sync.WaitGroup
	defer accepting.Wait()
	failed := make(chan error, 1)
	accepting.Go(func() { failed <- accept() })
	var err error
	select {
	case <-ctx.Done():
	case cause := <-failed:
		err = fault.New(fault.RunFailed, "the server stopped accepting connections: %w", cause)
	}
	// ctx is done; the time for the end begins now.
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	end(patience)
	return err
}

// MaxHeader bounds the headers of a request: S3 takes 8 KiB, and presigned queries with tokens,
// keys of many escapes, and queries for hundreds of keys fit.
const MaxHeader = 64 << 10

// HTTP is a server on net/http: what bounds its clients, whom it answers, and how it ends. It is used once.
type HTTP struct {
	Handler http.Handler
	Log     *slog.Logger

	// Own are the names of the server, first of all its address as it was given. Where only this machine can reach that,
	// requests that mean another host are refused.
	Own []string
	// Origins are the origins whose pages may send requests, besides the server's own; AnyOrigin allows all.
	Origins        []string
	MaxConnections int // open at a time; 0: MostConnections

	HeaderTimeout   time.Duration // from accepting a connection to having its request's headers
	ReadTimeout     time.Duration // to having its body; 0: the handler bounds that
	WriteTimeout    time.Duration // to having written the answer; 0: the handler bounds that
	IdleTimeout     time.Duration // of a connection between two requests
	ShutdownTimeout time.Duration // for the requests in flight when the server is told to end

	TLS       *tls.Config     // nil: none
	Protocols *http.Protocols // nil: HTTP/1.1

	// Ending, if not nil, ends what has left net/http, while that lets its requests end. It returns
	// soon after patience is done.
	Ending func(patience context.Context)

	crowd       *Crowd
	local       bool           // only this machine can reach the address
	connections sync.WaitGroup // each is a goroutine
}

// Serve answers until ctx is done, lets the requests in flight end, and waits for all
// goroutines; what is left after ShutdownTimeout it cuts off.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	// The requests outlive ctx by the time for the end.
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	h.crowd, h.local = NewCrowd(h.MaxConnections), OnLoopback(l)
	web := &http.Server{
		Handler:           http.HandlerFunc(h.answer),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnContext:       h.enter,
		ConnState:         h.count,
		ReadHeaderTimeout: h.HeaderTimeout,
		ReadTimeout:       h.ReadTimeout,
		WriteTimeout:      h.WriteTimeout,
		IdleTimeout:       h.IdleTimeout,
		MaxHeaderBytes:    MaxHeader,
		TLSConfig:         h.TLS,
		Protocols:         h.Protocols,
		ErrorLog:          slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug),
	}
	accept := func() error { return web.Serve(l) }
	if h.TLS != nil {
		accept = func() error { return web.ServeTLS(l, "", "") }
	}
	err := ServeUntil(ctx, h.ShutdownTimeout, accept, func(patience context.Context) { h.end(patience, web) })
	// Connections before their requests: whom nobody waited for gets no answer that looks like one.
	_ = web.Close() // also what was accepted last of all, while the listener was closed
	cancel()
	h.connections.Wait()
	return err
}

// end lets the requests in flight end. Whoever has none is closed: net/http itself would wait five seconds for a new
// connection on which nothing comes, and for the rest of headers that come letter by letter.
func (h *HTTP) end(patience context.Context, web *http.Server) {
	var ending sync.WaitGroup
	defer ending.Wait()
	if h.Ending != nil {
		ending.Go(func() { h.Ending(patience) })
	}
	dismissing, over := context.WithCancel(patience)
	defer over()
	ending.Go(func() { Every(dismissing, grace/4, h.crowd.Dismiss) })
	if web.Shutdown(patience) != nil {
		h.Log.Warn("some requests did not complete before the shutdown timeout", "shutdown_timeout", h.ShutdownTimeout)
	}
}

// guestOf is the key of a connection's Guest in the context of its requests.
type guestOf struct{}

// enter takes a connection in. One without a place is closed, and its goroutine finds it so.
func (h *HTTP) enter(ctx context.Context, c net.Conn) context.Context {
	g, _ := h.crowd.Enter(c)
	return context.WithValue(ctx, guestOf{}, g)
}

// answer has a request answered that means this server.
func (h *HTTP) answer(w http.ResponseWriter, r *http.Request) {
	if g, is := r.Context().Value(guestOf{}).(*Guest); is {
		g.Begin()
		defer func() { g.End(time.Now()) }()
	}
	if h.local && Misdirected(r.Host, h.Own...) {
		const why = "this server accepts local requests only, and the request names another host: "
		http.Error(w, why+"use localhost", http.StatusMisdirectedRequest)
		return
	}
	if CrossOrigin(r, h.Origins...) {
		http.Error(w, "requests from pages of other origins are not allowed", http.StatusForbidden)
		return
	}
	h.Handler.ServeHTTP(w, r)
}

// count counts the connections.
func (h *HTTP) count(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		h.connections.Add(1)
	case http.StateClosed:
		h.crowd.Leave(c)
		h.connections.Done()
	case http.StateHijacked: // it keeps its place
		h.connections.Done()
	}
}

// Hijack takes the connection of a request out of net/http. It keeps its place among all connections, as one that is
// served, until leave is called, when it is closed.
func (h *HTTP) Hijack(w http.ResponseWriter) (conn net.Conn, buffered *bufio.ReadWriter, leave func(), err error) {
	conn, buffered, err = http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, nil, err
	}
	h.crowd.Stay(conn)
	return conn, buffered, func() { h.crowd.Leave(conn) }, nil
}

// Reset cuts the connection of a request off, so that the client sees a reset. The handler has
// nothing more to say after it.
func (h *HTTP) Reset(w http.ResponseWriter) {
	h.connections.Add(1) // one that is hijacked is no longer counted, and this goroutine goes on
	defer h.connections.Done()
	conn, _, leave, err := h.Hijack(w)
	if err != nil {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	defer leave()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// Every calls f again and again, after each period, until ctx is done.
func Every(ctx context.Context, period time.Duration, f func(now time.Time)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			f(now)
		}
	}
}
