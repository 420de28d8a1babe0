package redis

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// trimEvery is how often the stream is trimmed.
const trimEvery = 250 * time.Millisecond

// trim trims the stream until ctx is done. It is not done by Ack, whose time it would change.
func (s *subscription) trim(ctx context.Context) {
	ticker := time.NewTicker(trimEvery)
	defer ticker.Stop()
	last := ""
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		// What fails here fails for those who receive, too, and is told there.
		floor, err := s.acknowledged(ctx)
		if err != nil || floor == "" || floor == last {
			continue
		}
		if s.admin.XTrimMinIDApprox(ctx, s.topic.settings.stream, floor, 0).Err() == nil {
			last = floor
		}
	}
}

// acknowledged is a message before which all were acknowledged by each group; "" without groups.
//
// It may be out of date when it is used, which is harmless: it can only be too small. A group's
// last delivered message and its first unacknowledged one only grow, and a group that is made
// meanwhile begins at the end.
func (s *subscription) acknowledged(ctx context.Context) (string, error) {
	stream := s.topic.settings.stream
	groups, err := s.admin.XInfoGroups(ctx, stream).Result()
	if err != nil {
		return "", err
	}
	floor := ""
	for _, g := range groups {
		first := g.LastDeliveredID
		if g.Pending > 0 {
			pending, err := s.admin.XPending(ctx, stream, g.Name).Result()
			if err != nil {
				return "", err
			}
			if pending.Count > 0 {
				first = pending.Lower
			}
		}
		if floor == "" || before(first, floor) {
			floor = first
		}
	}
	return floor, nil
}

// before compares identifiers, which are two numbers.
func before(a, b string) bool {
	aMS, aN := split(a)
	bMS, bN := split(b)
	return aMS < bMS || aMS == bMS && aN < bN
}

func split(id string) (ms, n uint64) {
	first, second, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseUint(first, 10, 64)
	n, _ = strconv.ParseUint(second, 10, 64)
	return ms, n
}
