package bandwidth

import "time"

// A run by time has two phases, or one: all streams upload, then all download, and each begins one file after the
// other without waiting for the others, until the phase's time is over. What was begun by then is ended, so that
// every file that counts is a complete one.
//
// The rate is that of the time in between, in which all streams were busy: the first moments are left out, and what
// is moved when some streams have nothing left to do. When that time begins and ends depends on nothing that is
// measured. Otherwise the end of a fast file would choose it, and make the rate too high.

// rampShare is the share of a phase's time that does not count: connections are made and opened up in it.
const rampShare = 10

// steady is a phase by time.
type steady struct {
	length   time.Duration // 0: the phase ends with its files
	from, to time.Duration // what counts, since the start of the window
	inside   float64       // bytes that complete files moved in that time
	through  int           // streams that were busy until its end
}

// phaseLength is how long the streams of a plan begin uploads, and how long they begin downloads.
func phaseLength(p *Plan) time.Duration {
	if p.Only != "" {
		return p.Duration
	}
	return p.Duration / 2
}

// begin notes when the phase began.
func (s *steady) begin(at time.Duration) { s.from, s.to = at+s.length/rampShare, at+s.length }

// over reports whether no file begins any more.
func (s *steady) over(at time.Duration) bool { return s.length == 0 || at >= s.to }

// progress is how far a file is.
type progress struct {
	at     time.Duration // since the start of the window
	moved  int64         // bytes until then
	inside float64       // of them in the time that counts
}

// progressed notes how many bytes of a file were moved until a moment. Those since the moment before count by the
// share of the time between the two that counts. A file that is not further, since what was written waits in
// a queue, is as far as it was.
func (s *steady) progressed(p *progress, at time.Duration, moved int64) {
	if moved <= p.moved {
		return
	}
	from, to := max(p.at, s.from), min(at, s.to)
	switch {
	case at > p.at && to > from:
		p.inside += float64(moved-p.moved) * float64(to-from) / float64(at-p.at)
	case at == p.at && at > s.from && at <= s.to:
		p.inside += float64(moved - p.moved)
	}
	p.at, p.moved = at, moved
}

// Steady is the part of a transfer in which all its streams were busy.
type Steady struct {
	From, Duration time.Duration // From: since the transfer's start
	Bytes          int64         // that were moved in it, of complete files
}

// part is that part of a transfer that began at the moment start; nil when there is none, since the streams ended
// with their files, or before the time was over.
func (s *steady) part(start time.Duration, streams int) *Steady {
	if s.length == 0 || s.through < streams || s.to <= s.from {
		return nil
	}
	return &Steady{From: max(0, s.from-start), Duration: s.to - s.from, Bytes: int64(s.inside)}
}

// goesOn reports whether a stream that has ended a file at this moment begins another one in the same phase.
func (b *Bandwidth) goesOn(t *transfer, at time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case t.steady.length == 0 || b.failed:
		return false
	case t.steady.over(at):
		t.steady.through++
		return false
	}
	return true
}

// noteRounds notes how often a stream has written and read its file.
func (b *Bandwidth) noteRounds(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rounds = min(b.rounds, n)
}
