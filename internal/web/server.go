package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

// The bounds of a client. Pages come at once; what is slower than this is no browser.
const (
	headerTime = 5 * time.Second
	idleTime   = 30 * time.Second
	// mostConnections are open at a time; a browser takes six.
	mostConnections = 128
	// EndTime is how long the answers that are under way may take when the server ends: a last event, a page.
	EndTime = 2 * time.Second
)

// Options say where a server listens.
type Options struct {
	Flag    string // that named the address, for messages
	Address string // as CheckAddress takes it
	Token   string // of whoever chose one; "": one is made where one is needed
}

// Server is where pages are served. It is used once.
type Server struct {
	port   server.Port
	given  string // the address, as it was
	local  bool
	token  string
	chosen bool // the token was, and is not shown
}

// Listen binds the address. Who comes before Serve waits in the kernel's queue.
func Listen(ctx context.Context, o Options) (*Server, error) {
	address, err := CheckAddress(o.Flag, o.Address)
	if err != nil {
		return nil, err
	}
	s := &Server{token: o.Token, chosen: o.Token != ""}
	if s.chosen {
		if err := checkToken(o.Token); err != nil {
			return nil, err
		}
	}
	s.given = address
	l, err := Bind(ctx, o.Flag, address)
	if err != nil {
		return nil, err
	}
	s.port.Listener = l
	s.local = server.OnLoopback(l)
	if !s.local && !s.chosen {
		s.token = rand.Text() // 128 bits of it are random
	}
	return s, nil
}

// URL is where the first page is, with the token where one was made: it is nowhere else to be had. Of one that was
// chosen it says where it is.
func (s *Server) URL() string {
	url := s.port.URL("http", "/")
	switch {
	case s.chosen:
		return url + "?token=$" + TokenVariable
	case s.token != "":
		return url + "?token=" + s.token
	}
	return url
}

// Guarded reports whether a token is asked for.
func (s *Server) Guarded() bool { return s.token != "" }

// Close gives up an address that is not served.
func (s *Server) Close() error { return s.port.Close() }

// Serve serves the pages until ctx is done. What is under way then may end within EndTime; ending, which may be nil, is
// called at the beginning of that.
func (s *Server) Serve(ctx context.Context, pages http.Handler, ending func()) error {
	_, port, err := net.SplitHostPort(s.port.Addr().String())
	if err != nil {
		return errors.Join(err, s.Close())
	}
	life := &server.HTTP{
		Handler: newGuard(pages, s.given, port, s.local, s.token), Log: slog.New(slog.DiscardHandler),
		Own: []string{s.given}, MaxConnections: mostConnections,
		HeaderTimeout: headerTime, IdleTimeout: idleTime, ShutdownTimeout: EndTime,
	}
	if ending != nil {
		life.Ending = func(context.Context) { ending() }
	}
	return life.Serve(ctx, s.port)
}
