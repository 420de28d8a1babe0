package http

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines keeps the deadlines that are set.
type deadlines struct {
	http.ResponseWriter
	read, write time.Time
	set         int
}

func (d *deadlines) SetReadDeadline(t time.Time) error  { d.read, d.set = t, d.set+1; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.write, d.set = t, d.set+1; return nil }

// The time begins anew while a client goes on, but not with each move, and behind an answer that was to be late.
func TestIdleDeadlinesAreExtended(t *testing.T) {
	begun := time.Unix(1000, 0)
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	d := &deadlines{ResponseWriter: httptest.NewRecorder()}
	m := &moves{control: http.NewResponseController(d), idle: 80 * time.Second, written: begun}
	for _, step := range []struct {
		move        func(time.Time)
		at          int
		read, write int // seconds
		set         int
	}{
		{m.writes, 9, 0, 0, 0}, {m.writes, 10, 0, 90, 1}, {m.writes, 19, 0, 90, 1},
		{m.reads, 20, 100, 90, 2}, {m.reads, 29, 100, 90, 2}, {m.reads, 30, 110, 90, 3},
		{func(now time.Time) { m.waits(now, now.Add(9*time.Second)) }, 31, 110, 90, 3},
		{func(now time.Time) { m.waits(now, now.Add(1000*time.Second)) }, 32, 1112, 1112, 5},
		{m.writes, 1040, 1112, 1112, 5}, {m.writes, 1050, 1112, 1130, 6},
	} {
		step.move(at(step.at))
		if of := func(t time.Time) int { return max(0, int(t.Sub(begun)/time.Second)) }; of(d.read) != step.read ||
			of(d.write) != step.write || d.set != step.set {
			t.Errorf("at %d: to %d and %d, set %d times; want %+v", step.at, of(d.read), of(d.write), d.set, step)
		}
	}
}
