package blob

import "sync/atomic"

// Space counts bytes against a limit.
type Space struct {
	Limit int64 // 0: none
	used  atomic.Int64
}

// Take reserves n bytes, or says that they do not fit.
func (s *Space) Take(n int64) bool {
	if used := s.used.Add(n); s.Limit > 0 && used > s.Limit {
		s.used.Add(-n)
		return false
	}
	return true
}

// Note counts bytes that are there already, whether they fit or not.
func (s *Space) Note(n int64) { s.used.Add(n) }

// Used is how many bytes are taken.
func (s *Space) Used() int64 { return s.used.Load() }

// Give gives bytes back.
func (s *Space) Give(n int64) { s.used.Add(-n) }
