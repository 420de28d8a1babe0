package http

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// handler is everything that the server answers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answers := range map[string]answers{
		"/": s.plain, "/status/{status}": s.plain, "/delay/{delay}": s.plain, "/size/{size}": s.plain,
		"/chunked/{size}": s.chunked, "/gzip/{size}": s.gzip, "/echo": s.echo, "/redirect/{times}": s.redirect,
		"POST /login": s.login, "POST /token": s.token, "GET /me": s.me, "GET /cart": s.me, "POST /cart": s.addToCart,
	} {
		mux.HandleFunc(pattern, s.admit(answers))
	}
	mux.HandleFunc("GET /health", s.health) // neither counted nor held up, as those below
	mux.HandleFunc("GET /counts", s.counts)
	mux.Handle("GET /metrics", s.metrics.Handler())
	return mux
}

// answers answers a request whose wish was read, and waited for.
type answers func(w http.ResponseWriter, r *http.Request, asked wish)

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	server.AnswerJSON(w, http.StatusOK, map[string]string{"status": "UP"})
}

// wish is how a request wants to be answered: by its path and its query, else by the settings.
type wish struct {
	delay  time.Duration
	status int
	size   int64
}

// wishOf reads it; the error is for the client.
func (s *Server) wishOf(r *http.Request, number uint64) (w wish, err error) {
	f := &s.cfg.Faults
	w = wish{delay: f.Delay, status: f.Status, size: f.Size}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return w, err
	}
	asked := func(name string) string {
		if v := r.PathValue(name); v != "" {
			return v
		}
		return query.Get(name)
	}
	if v := asked("delay"); v != "" {
		if w.delay, err = time.ParseDuration(v); err != nil {
			return w, errors.New("delay is not a duration such as 20ms")
		}
	}
	if v := asked("status"); v != "" {
		if w.status, err = strconv.Atoi(v); err != nil || w.status < 200 || w.status > 599 {
			return w, errors.New("status is not a number from 200 to 599")
		}
	}
	if v := asked("size"); v != "" {
		if w.size, err = setting.ParseSize(v); err != nil || w.size < 0 || w.size > largest {
			return w, errors.New("size is not a size such as 10KiB")
		}
	}
	if f.Jitter > 0 {
		w.delay += time.Duration(server.Draws(f.Seed).Draw(number, drawJitter) * float64(f.Jitter))
	}
	return w, nil
}

// The independent draws of a request.
const (
	drawKind = iota
	drawJitter
)

// admit counts a request, and has it wait, fail or be answered.
func (s *Server) admit(next answers) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		number := s.number.Add(1) - 1
		s.metrics.plain.Requests.Add(1)
		s.metrics.requests.WithLabelValues(r.Proto, method(r.Method)).Inc()
		moves := &moves{control: http.NewResponseController(w), idle: s.cfg.IdleTimeout, written: now}
		answer := &answer{ResponseWriter: w, metrics: s.metrics, moves: moves}
		defer answer.count()
		if r.ContentLength != 0 {
			moves.reads(now)
			r.Body = &body{ReadCloser: http.MaxBytesReader(w, r.Body, s.cfg.MaxBody), metrics: s.metrics, moves: moves}
		}
		if !s.admitted.Enter() {
			refuse(answer, http.StatusServiceUnavailable, "too many concurrent requests")
			return
		}
		defer s.admitted.Leave()
		asked, err := s.wishOf(r, number)
		if err != nil {
			refuse(answer, http.StatusBadRequest, err.Error())
			return
		}
		until := now.Add(asked.delay)
		if stall := s.stalled(now); stall.After(now) {
			s.metrics.plain.Stalled.Add(1)
			until = stall.Add(asked.delay)
		}
		moves.waits(now, until)
		if !s.wait(r, until) {
			return
		}
		f := &s.cfg.Faults
		switch server.Pick(server.Draws(f.Seed).Draw(number, drawKind), f.ErrorRate, f.DropRate) {
		case faultError:
			s.metrics.plain.Errors.Add(1)
			s.metrics.faults.WithLabelValues("error").Inc()
			refuse(answer, http.StatusServiceUnavailable, "injected error (--error-rate)")
		case faultDrop:
			s.metrics.plain.Drops.Add(1)
			s.metrics.faults.WithLabelValues("drop").Inc()
			answer.dropped = true
			s.web.Reset(w)
		default:
			next(answer, r, asked)
		}
	}
}

// method bounds what a client can make a label of.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

// answer counts what is answered.
type answer struct {
	http.ResponseWriter
	metrics *metrics
	moves   *moves
	status  int
	bytes   int64
	dropped bool
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.moves.writes(time.Now())
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap lets net/http find what the writer below can do.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) count() {
	if a.dropped {
		return
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	m := a.metrics
	m.answers.WithLabelValues(strconv.Itoa(a.status)).Inc()
	m.sent.Add(float64(a.bytes))
	m.plain.Sent.Add(a.bytes)
	m.plain.statuses[a.status].Add(1)
}

// body counts what is received.
type body struct {
	io.ReadCloser
	metrics *metrics
	moves   *moves
}

func (b *body) Read(p []byte) (int, error) {
	b.moves.reads(time.Now())
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF { // from here on reading tells that the client has left, whenever that is
		_ = b.moves.control.SetReadDeadline(time.Time{})
	}
	b.metrics.received.Add(float64(n))
	b.metrics.plain.Received.Add(int64(n))
	return n, err
}

func refuse(w http.ResponseWriter, status int, why string) {
	server.AnswerJSON(w, status, map[string]string{"error": why})
}

// counts are those of the server, as JSON.
func (s *Server) counts(w http.ResponseWriter, _ *http.Request) {
	c := &s.metrics.plain
	statuses := map[string]int64{}
	for status := range c.statuses {
		if n := c.statuses[status].Load(); n > 0 {
			statuses[strconv.Itoa(status)] = n
		}
	}
	server.AnswerJSON(w, http.StatusOK, map[string]any{
		"requests": c.Requests.Load(), "statuses": statuses, "errors": c.Errors.Load(), "drops": c.Drops.Load(),
		"stalled": c.Stalled.Load(), "connections": c.Connections.Load(),
		"received_bytes": c.Received.Load(), "sent_bytes": c.Sent.Load(),
	})
}
