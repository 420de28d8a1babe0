package s3

import "sync/atomic"

// space counts bytes against a limit.
type space struct {
	limit int64 // 0: none
	used  atomic.Int64
}

// take reserves n bytes, or says that they do not fit.
func (s *space) take(n int64) bool {
	if used := s.used.Add(n); s.limit > 0 && used > s.limit {
		s.used.Add(-n)
		return false
	}
	return true
}

func (s *space) give(n int64) { s.used.Add(-n) }
