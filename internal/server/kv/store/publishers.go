package store

import "github.com/plimsoll/plimsoll/internal/delta"

// Number is the number that stands for a publisher in the rows, for as long as it is kept.
func (s *Store) Number(p delta.Publisher) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.numbers[p]; ok {
		return n
	}
	var n uint32
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
		s.publishers[n] = p
	} else {
		n = uint32(len(s.publishers))
		s.publishers = append(s.publishers, p)
	}
	s.numbers[p] = n
	return n
}

// Publishers counts the publishers that have a number.
func (s *Store) Publishers() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.numbers)
}

// Forget frees the numbers of publishers that have no row any more and that keep does not name.
// It takes a pass over all rows. keep is asked while no number is given; a publisher for
// which it answers false must ask for its number again before its next row.
func (s *Store) Forget(keep func(delta.Publisher) bool) int {
	// Rows that come in during the pass are those of publishers that are kept.
	s.mu.RLock()
	used := make([]bool, len(s.publishers))
	s.mu.RUnlock()
	used[0] = true
	for i := range s.shards {
		s.shards[i].each(func(e entry) {
			if n := int(e.publisher()); n < len(used) {
				used[n] = true
			}
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.numbers)
	for p, n := range s.numbers {
		if int(n) < len(used) && !used[n] && !keep(p) {
			delete(s.numbers, p)
			s.free = append(s.free, n)
		}
	}
	return before - len(s.numbers)
}
