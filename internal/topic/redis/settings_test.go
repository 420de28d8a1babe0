package redis

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestParse(t *testing.T) {
	t.Setenv("REDISCLI_AUTH", "")
	defaults := settings{host: "h:6379", stream: defaultStream, ackWait: defaultAckWait, trim: true}
	topictest.Parse(t, parse, defaults, []topictest.Parsed[settings]{
		{URL: "redis://h", Want: func(*settings) {}},
		{URL: "rediss://u:p@[::1]:7/3?stream=s&ack_wait=2s&trim=none&ca=f", Want: func(s *settings) {
			s.host, s.user, s.password, s.database, s.secure = "[::1]:7", "u", "p", 3, true
			s.stream, s.ackWait, s.trim, s.files = "s", 2*time.Second, false, topic.Certificates{CA: "f"}
		}},
		{URL: "redis:///0", Err: "no host"},
		{URL: "redis://h/name", Err: `"name" is not a database number: set the stream with ?stream=`},
		{URL: "redis://h/-1", Err: "not a database number"},
		{URL: "redis://h?ack_wait=0", Err: "not a duration of at least 10ms"},
		{URL: "redis://h?trim=all", Err: "not acked or none"},
		{URL: "redis://h?stream=", Err: "not a key"},
		{URL: "redis://h?sream=x", Err: `has no option "sream"`},
		{URL: "redis://h?ca=f", Err: "write rediss://"},
		{URL: "rediss://h?cert=f", Err: "set together"},
		{URL: "redis://h?a=%zz", Err: "is invalid"},
		{URL: "http://h", Err: `the scheme "http"`},
	})
}
