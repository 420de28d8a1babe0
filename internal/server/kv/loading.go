package kv

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

// Loading is how far a server is with what it does before it receives.
type Loading struct {
	Batches int64 `json:"journal_batches"` // of the journal that were applied
	Files   int64 `json:"files"`           // of the data that were loaded
	Of      int64 `json:"files_found"`
	Rows    int64 `json:"rows"` // of them
}

// Loading may be called at any time.
func (s *Server) Loading() Loading {
	far := &s.loader.far
	return Loading{Batches: s.replayed.Load(), Files: far.files.Load(), Of: far.of.Load(), Rows: far.rows.Load()}
}

// String is what the server does, in a few words.
func (l Loading) String() string {
	switch {
	case l.Of > 0 && l.Files == l.Of:
		return "subscribing to the topic"
	case l.Of > 0:
		return fmt.Sprintf("loading the data: %d of %d files, %d rows", l.Files, l.Of, l.Rows)
	case l.Batches > 0:
		return fmt.Sprintf("reading the journal: %d batches", l.Batches)
	}
	return "starting"
}

// answer begins to answer requests, until stop is called or release.
func (s *Server) answer(ctx context.Context) {
	web := &server.HTTP{
		Handler: s.front(), Log: s.log, Own: []string{s.cfg.Listen}, HeaderTimeout: s.cfg.HeaderTimeout,
		ReadTimeout: s.cfg.HeaderTimeout + s.cfg.BodyTimeout, WriteTimeout: s.cfg.HeaderTimeout + 2*s.cfg.BodyTimeout,
		IdleTimeout: s.cfg.IdleTimeout, ShutdownTimeout: s.cfg.ShutdownTimeout,
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.answering.Go(func() { s.stopped <- web.Serve(ctx, s.port) })
}

// front answers for the whole server once that is ready, and until then says how far it is.
func (s *Server) front() http.Handler {
	whole, early := s.handler(), http.NewServeMux()
	early.HandleFunc("GET /health", s.getLoading)
	early.HandleFunc("GET /health/live", s.getLive)
	early.Handle("GET /metrics", s.metrics.Handler())
	early.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, "the server is not ready: %s", s.Loading())
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.ready.Load() {
			whole.ServeHTTP(w, r)
			return
		}
		early.ServeHTTP(w, r)
	})
}

// loadingHealth is the body of GET /health until the server is ready.
type loadingHealth struct {
	Status  string  `json:"status"` // "loading"
	Doing   string  `json:"doing"`
	Loading Loading `json:"loading"`
	Uptime  int64   `json:"uptime_ns"`
}

func (s *Server) getLoading(w http.ResponseWriter, _ *http.Request) {
	l := s.Loading()
	w.Header().Set("Retry-After", "1")
	answerJSON(w, http.StatusServiceUnavailable, loadingHealth{"loading", l.String(), l, int64(time.Since(s.started))})
}

// getLive says that the process is there, whatever else it cannot do: to start it again would not help.
func (s *Server) getLive(w http.ResponseWriter, _ *http.Request) {
	status := "ready"
	if !s.ready.Load() {
		status = "loading"
	}
	answerJSON(w, http.StatusOK, map[string]any{"status": status, "uptime_ns": int64(time.Since(s.started))})
}
