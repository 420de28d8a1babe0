package kv

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// moments are when the batches of a run were applied, of which a run with several servers asks, to hold them
// against each other. A batch takes a dozen bytes.
type moments struct {
	mu      sync.Mutex
	chunks  [][]byte
	last    kvapi.Moment
	count   int
	leftOut int64
}

// momentsChunk is what is allocated at once: what is there is never copied.
const (
	momentsChunk = 16 << 10
	momentRoom   = 64 // more than one takes
)

// add enters a batch.
func (m *moments) add(at kvapi.Moment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count >= kvapi.MaxMoments {
		m.leftOut++
		return
	}
	n := len(m.chunks) - 1
	if n < 0 || cap(m.chunks[n])-len(m.chunks[n]) < momentRoom {
		m.chunks = append(m.chunks, make([]byte, 0, momentsChunk))
		n++
	}
	m.chunks[n] = kvapi.AppendMoment(m.chunks[n], m.last, at)
	m.last = at
	m.count++
}

// written is what there is; it is not changed any more.
func (m *moments) written() (chunks [][]byte, leftOut int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append(chunks, m.chunks...), m.leftOut
}

// getMoments answers GET /v1/runs/RUN/moments.
func (s *Server) getMoments(w http.ResponseWriter, r *http.Request) {
	id, ok := runOf(w, r)
	if !ok {
		return
	}
	kept := s.registry.momentsOf(id)
	if kept == nil {
		fail(w, http.StatusNotFound, "the apply times of run %d's batches are not recorded", id)
		return
	}
	chunks, leftOut := kept.written()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "no-store")
	h.Set(kvapi.LeftOut, strconv.FormatInt(leftOut, 10))
	for _, c := range chunks {
		if _, err := w.Write(c); err != nil {
			return // a client that has gone needs no answer
		}
	}
}
