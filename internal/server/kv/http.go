package kv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// handler answers requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/getvalues", s.bounded(s.getValues))
	mux.HandleFunc("PUT /v2/getvalues", s.bounded(s.getPartitions))
	mux.HandleFunc("GET /v1/clock", s.getClock)
	mux.HandleFunc("GET /v1/info", s.getInfo)
	mux.HandleFunc("GET /v1/runs/{run}", s.getRun)
	mux.HandleFunc("PUT /v1/runs/{run}", s.putRun)
	mux.HandleFunc("GET /v1/runs/{run}/moments", s.getMoments)
	mux.HandleFunc("GET /health", s.getHealth)
	mux.HandleFunc("GET /health/live", s.getLive)
	mux.HandleFunc("GET /stats", s.getStats)
	mux.Handle("GET /metrics", s.metrics.Handler())
	return mux
}

// maxReads bounds the reads of values that are being answered: each may take the memory of its answer.
const maxReads = 1000

// bounded answers 503 when so many are being answered already.
func (s *Server) bounded(read http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.reads.Enter() {
			w.Header().Set("Retry-After", "1")
			fail(w, http.StatusServiceUnavailable, "%d reads are in progress: try again later",
				maxReads)
			return
		}
		defer s.reads.Leave()
		read(w, r)
	}
}

// problem is the body of an answer that is an error.
type problem struct {
	Error string `json:"error"`
}

func fail(w http.ResponseWriter, status int, format string, args ...any) {
	answerJSON(w, status, problem{fmt.Sprintf(format, args...)})
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)                 // URLs stay readable
	if err := e.Encode(body); err != nil { // what is answered are plain types
		status = http.StatusInternalServerError
		text.WriteString(`{"error":"cannot encode the response"}`)
	}
	send(w, status, text.Bytes())
}

func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func (s *Server) getClock(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, http.StatusOK, kvapi.Clock{ID: s.clock.ID(), MonotonicNS: s.clock.Now()})
}

func (s *Server) getInfo(w http.ResponseWriter, _ *http.Request) {
	info := kvapi.Info{
		Instance: s.instance, Version: s.source.Version, Topic: s.source.URL, OwnBroker: s.source.OwnBroker,
		Transport: s.about.Transport, Client: s.about.Client,
		Durable: s.about.Durable, AtLeast: s.about.AtLeastOnce, Listeners: s.cfg.Listeners, Batch: s.cfg.Batch,
		Journal: s.journal != nil, Notes: append(append([]string(nil), s.about.Notes...), s.notes...),
	}
	if p := inPart(s.registry.all()); p.Updates > 0 {
		info.Notes = append(info.Notes,
			fmt.Sprintf("%d updates of %d rejected batches were applied; the batches were not redelivered.", p.Updates,
				p.Batches))
	}
	answerJSON(w, http.StatusOK, info)
}

// runOf reads the run of a path, a number of 64 bits.
func runOf(w http.ResponseWriter, r *http.Request) (uint64, bool) {
	id, err := strconv.ParseUint(r.PathValue("run"), 10, 64)
	if err != nil {
		fail(w, http.StatusBadRequest, "%.40q is not a valid run: use an unsigned 64-bit number", r.PathValue("run"))
		return 0, false
	}
	return id, true
}

func (s *Server) getRun(w http.ResponseWriter, r *http.Request) {
	id, ok := runOf(w, r)
	if !ok {
		return
	}
	run, publishers, times := s.registry.find(id)
	answered := kvapi.Run{Instance: s.instance, Publishers: []kvapi.Received{}, LastNS: -1, Watched: true,
		Others: s.registry.others(run)}
	var known time.Time
	if run != nil {
		known = run.known
		answered.LastNS, answered.Refused = s.ago(run.applied.Load()), run.refused.Load()
		if why := run.refusal.Load(); why != nil {
			answered.Refusal, answered.Full = *why, s.full.Load()
		}
	}
	for _, p := range publishers {
		received, rows := p.received()
		answered.Publishers = append(answered.Publishers, received)
		answered.Rows.Applied += rows.Applied
		answered.Rows.Stale += rows.Stale
		answered.Rows.Duplicate += rows.Duplicate
	}
	answered.Partial = inPart(publishers)
	b := s.backlog.ask(r.Context(), s.sub)
	answered.Backlog, answered.Unacked, answered.Dropped = b.Messages, b.Unacked, b.Dropped
	answered.Events = s.events.since(known)
	s.broken.mu.Lock()
	answered.Unreadable, answered.Example = s.broken.count, s.broken.example
	s.broken.mu.Unlock()
	if trouble := s.trouble.Load(); trouble != nil {
		answered.Trouble = *trouble
	}
	query := r.URL.Query()
	if times != nil && query.Get("times") == "1" {
		answered.Times = times.sum()
	}
	if query.Get("state") == "1" {
		select {
		case s.passes <- struct{}{}:
			sum := s.store.State(id)
			<-s.passes
			answered.State = &kvapi.State{Live: sum.Live, Tombstones: sum.Tombstones, Digest: sum.Digest}
		case <-r.Context().Done():
			return
		}
	}
	answerJSON(w, http.StatusOK, answered)
}

// ago is the time since a batch was applied, or −1 when there was none.
func (s *Server) ago(last int64) int64 {
	if last == 0 {
		return -1
	}
	return max(0, s.clock.Now()-last)
}

// maxRegistration bounds the body of a registration.
const maxRegistration = 4 << 10

func (s *Server) putRun(w http.ResponseWriter, r *http.Request) {
	id, ok := runOf(w, r)
	if !ok {
		return
	}
	var g kvapi.Registration
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRegistration))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		fail(w, bodyStatus(err), "not a valid registration: %v", err)
		return
	}
	if g.BoundNS < 0 {
		fail(w, http.StatusBadRequest, "bound_ns, the error bound of the offset, must not be negative")
		return
	}
	s.registry.register(id, g)
	w.WriteHeader(http.StatusNoContent)
}

// bodyStatus is the status for a body that could not be read.
func bodyStatus(err error) int {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// health is the body of GET /health.
type health struct {
	Status    string   `json:"status"` // "ok" or "failing"
	Problems  []string `json:"problems,omitempty"`
	Receiving bool     `json:"receiving"`       // a receive call has gone on for a while, or the last one succeeded
	Backlog   int64    `json:"backlog"`         // messages that wait at the broker; −1 when not known
	Unacked   int64    `json:"unacked"`         // delivered and not acknowledged; −1 when not known
	Dropped   int64    `json:"dropped"`         // thrown away by client or broker, as far as is known
	LastNS    int64    `json:"last_ns"`         // since the last batch was applied; −1 before the first
	Missing   int64    `json:"missing_ns"`      // since a batch was seen to be missing that still is; 0: none is
	Live      int64    `json:"keys"`            //
	Dead      int64    `json:"tombstones"`      // keys that are deleted and remembered
	Memory    int64    `json:"memory_bytes"`    // of keys, values and their index
	Limit     int64    `json:"memory_limit"`    //
	Uptime    int64    `json:"uptime_ns"`       //
	Notes     []string `json:"notes,omitempty"` // what was recovered
	// Data is what was loaded of files; absent without any.
	Data *loadedData `json:"data,omitempty"`
}

func (s *Server) getHealth(w http.ResponseWriter, r *http.Request) {
	h := health{Status: "ok", LastNS: s.ago(s.lastApplied.Load()), Memory: s.store.Memory(), Limit: s.cfg.Memory,
		Notes: s.notes, Uptime: int64(time.Since(s.started))}
	h.Live, h.Dead = s.store.Size()
	if since := s.registry.missingSince(time.Time{}); !since.IsZero() {
		h.Missing = int64(time.Since(since))
	}
	if h.Data = s.loader.state(); h.Data != nil {
		h.Problems = append(h.Problems, h.Data.problems...)
	}
	status := http.StatusOK
	var problem string
	if problem, h.Receiving = s.receiving(); !h.Receiving {
		status = http.StatusServiceUnavailable
	}
	if trouble := s.trouble.Load(); trouble != nil {
		status = http.StatusServiceUnavailable
		h.Problems = slices.Insert(h.Problems, 0,
			"received batches cannot be stored, so they are not acknowledged: "+*trouble)
	}
	if problem != "" {
		h.Problems = slices.Insert(h.Problems, 0, problem)
	}
	b := s.backlog.ask(r.Context(), s.sub)
	h.Backlog, h.Unacked, h.Dropped = b.Messages, b.Unacked, b.Dropped
	if b.err != "" && !strings.HasSuffix(problem, ": "+b.err) { // which says it
		h.Problems = append(h.Problems, "the broker's backlog is unknown: "+b.err)
	}
	if status != http.StatusOK {
		h.Status = "failing"
	}
	answerJSON(w, status, h)
}

// receiving says whether any listener can receive, and how many cannot, and why.
func (s *Server) receiving() (problem string, ok bool) {
	failing, why := 0, ""
	for _, l := range s.receivers {
		if w := l.cannot(); w != "" {
			failing, why = failing+1, w
		}
	}
	switch failing {
	case 0:
		return "", true
	case len(s.receivers):
		return "no listener can receive: " + why, false
	}
	return fmt.Sprintf("%d of %d listeners cannot receive: %s", failing, len(s.receivers), why), true
}

// stats is the body of GET /stats.
type stats struct {
	Instance   string       `json:"instance"`
	Batches    int64        `json:"batches"` // with times, so without those of the warm-up
	Unreadable int64        `json:"unreadable"`
	Example    string       `json:"example,omitempty"`
	Times      *kvapi.Times `json:"times"`
}

// getStats answers the exact percentiles of all runs since the start.
func (s *Server) getStats(w http.ResponseWriter, _ *http.Request) {
	body := stats{Instance: s.instance, Times: s.all.sum()}
	for _, second := range body.Times.Series {
		body.Batches += second.Batches
	}
	body.Times.Series = nil
	for name, stage := range body.Times.Stages {
		stage.Summary.HDR = "" // it is in the run's own times
		body.Times.Stages[name] = stage
	}
	s.broken.mu.Lock()
	body.Unreadable, body.Example = s.broken.count, s.broken.example
	s.broken.mu.Unlock()
	answerJSON(w, http.StatusOK, body)
}
