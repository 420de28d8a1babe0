package s3

import "context"

// turns bound how many parts and ranges are under way at the same time, those of all files together, as the threads of
// Hadoop's client do. nil is no bound.
type turns chan struct{}

func newTurns(n int) turns {
	if n == 0 {
		return nil
	}
	return make(turns, n)
}

// take waits for a turn.
func (t turns) take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give ends a turn.
func (t turns) give() {
	if t != nil {
		<-t
	}
}

// partOf is the size of the parts of a file: all of it, where it is below the bound from which on files are cut.
func (s *settings) partOf(size int64) int64 {
	if size < s.whole {
		return max(s.partSize, size)
	}
	return s.partSize
}
