package prom

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/server"
)

// Path is where the metrics are.
const Path = "/metrics"

const (
	headerTimeout = 5 * time.Second
	answerTimeout = 10 * time.Second // also of a scraper that reads slowly
	idleTimeout   = 2 * time.Minute  // a scraper comes back within it and keeps its connection
	endTimeout    = time.Second
	atOnce        = 4 // scrapes at the same time
	connections   = 64
)

// Server shows the runs of a show.
type Server struct {
	over    atomic.Bool   // every run has ended
	scraped chan struct{} // the end was scraped
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// Serve answers at a listener, which it closes at the end. given is its address, as it was.
func Serve(ctx context.Context, l net.Listener, given string, show *onlook.Show) *Server {
	s := &Server{scraped: make(chan struct{}, 1)}
	registry := prometheus.NewRegistry()
	registry.MustRegister(&collector{show, helps()})
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: atOnce})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		over := s.over.Load() // before anything is read
		metrics.ServeHTTP(w, r)
		if over && r.Method == http.MethodGet {
			select {
			case s.scraped <- struct{}{}:
			default:
			}
		}
	})
	web := &server.HTTP{
		Handler: mux, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), HeaderTimeout: headerTimeout,
		Own: []string{given}, MaxConnections: connections,
		ReadTimeout: headerTimeout, WriteTimeout: answerTimeout, IdleTimeout: idleTimeout, ShutdownTimeout: endTimeout,
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.serving.Go(func() { _ = web.Serve(ctx, l) }) // a listener that fails leaves nobody to tell: the scraper sees it
	return s
}

// End stops answering, once a scraper has got what the runs came to at last, or sooner: when so much time has passed,
// or ctx ends.
func (s *Server) End(ctx context.Context, linger time.Duration) {
	s.over.Store(true)
	if linger > 0 {
		bound := time.NewTimer(linger)
		defer bound.Stop()
		select {
		case <-s.scraped:
		case <-bound.C:
		case <-ctx.Done():
		}
	}
	s.stop()
	s.serving.Wait()
}
