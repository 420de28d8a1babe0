package redis

import (
	"context"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// process is which process the server is; "" when it does not tell.
func (s *subscription) process(ctx context.Context) string {
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	info, err := s.admin.Info(within, "server").Result()
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(info, "\r\nrun_id:")
	id, _, _ := strings.Cut(rest, "\r\n")
	return id
}

// compare tells whether the server is another process than before; if it is not, and the connection was lost, of that.
func (s *subscription) compare(ctx context.Context, lost bool) {
	now := s.process(ctx)
	if now == "" {
		now = *s.server.Load() // nobody knows
	}
	if before := *s.server.Swap(&now); before != "" && before != now {
		s.options.Report(topic.EventRestarted, "the Redis server is a different process: it was restarted")
		return
	}
	if lost {
		s.options.Report(topic.EventReconnected, "the connection to the Redis server was lost and restored")
	}
}

// others tells of servers that receive by this group: of consumers that did something since this subscription began.
// The server tells how long ago that was, in whole milliseconds of when it answers, which is later than the question.
func (s *subscription) others(ctx context.Context) {
	since := time.Since(s.began)
	consumers, err := s.admin.XInfoConsumers(ctx, s.topic.settings.stream, s.options.Name).Result()
	if err != nil {
		return
	}
	other := 0
	for _, c := range consumers {
		if !strings.HasPrefix(c.Name, consumerPrefix+s.id+"-") && c.Idle < since-2*time.Millisecond {
			other++
		}
	}
	if other > 0 {
		s.options.Report(topic.EventShared, "consumers of other servers also receive from the group %s: %d",
			s.options.Name, other)
	}
}
