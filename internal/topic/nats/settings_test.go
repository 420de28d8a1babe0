package nats

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestParse(t *testing.T) {
	core := settings{host: "h:4222", subject: defaultSubject, stream: "plimsoll-updates", replicas: 1,
		maxBytes: defaultMaxBytes, ackWait: defaultAckWait}
	topictest.Parse(t, parse, core, []topictest.Parsed[settings]{
		{URL: "nats://h", Want: func(*settings) {}},
		{URL: "nats://h:7/a.b?tls=true&ca=f&cert=c&key=k", Want: func(s *settings) {
			s.host, s.subject, s.stream, s.tls, s.files = "h:7", "a.b", "a-b", true,
				topic.Certificates{CA: "f", Cert: "c", Key: "k"}
		}},
		{URL: "nats+js://[::1]/?stream=s&storage=memory&replicas=3&max_bytes=7&ack_wait=2s&creds=x",
			Want: func(s *settings) {
				s.host, s.streams, s.stream, s.memory, s.replicas, s.maxBytes, s.ackWait, s.creds = "[::1]:4222", true,
					"s", true, 3, 7, 2*time.Second, "x"
			}},
		{URL: "nats+js://h?acks=0", Want: func(s *settings) { s.streams, s.blind = true, true }},
		{URL: "nats+js://h?acks=all", Want: func(s *settings) { s.streams = true }},
		{URL: "nats+js://h?acks=1", Err: `acks="1" is not all or 0`},
		{URL: "nats+js://h?linger=1ms", Err: `nats+js:// has no option "linger"`},
		{URL: "nats://h?acks=0", Err: `nats:// has no option "acks"`},
		{URL: "nats:///x", Err: "no host"},
		{URL: "nats://h/a..b", Err: `"a..b" is not a valid subject`},
		{URL: "nats://h/a.*", Err: "is not a valid subject"},
		{URL: "nats://h/a/b", Err: "is not a valid subject"},
		{URL: "nats://h/a%20b", Err: "is not a valid subject"},
		{URL: "nats://h/$JS.API.x", Err: "reserved for the broker"},
		{URL: "nats://h?stream=s", Err: `nats:// has no option "stream"`},
		{URL: "nats://h?tls=maybe", Err: "true or false"},
		{URL: "nats://h?cert=f", Err: "set together"},
		{URL: "nats+js://h?streem=s", Err: `nats+js:// has no option "streem"`},
		{URL: "nats+js://h?stream=a.b", Err: "not a stream name"},
		{URL: "nats+js://h?storage=tape", Err: "not memory or file"},
		{URL: "nats+js://h?replicas=6", Err: "between 1 and 5"},
		{URL: "nats+js://h?max_bytes=0", Err: "a positive number"},
		{URL: "nats+js://h?ack_wait=1", Err: "not a duration"},
		{URL: "nats://h?a=%zz", Err: "is invalid"},
		{URL: "http://h", Err: `the scheme "http"`},
	})
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		pattern, subject string
		want             bool
	}{
		{"a.b", "a.b", true}, {"a.b", "a", false}, {"a", "a.b", false}, {"a.*", "a.b", true}, {"a.*", "a", false},
		{"a.*", "a.b.c", false}, {"a.>", "a.b.c", true}, {"a.>", "a", false}, {">", "a", true}, {"*.b", "a.b", true},
		{"*.b", "a.c", false},
	} {
		if got := covers(test.pattern, test.subject); got != test.want {
			t.Errorf("covers(%s, %s) is %t", test.pattern, test.subject, got)
		}
	}
}
