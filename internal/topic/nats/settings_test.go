package nats

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/topic"
)

func TestParse(t *testing.T) {
	core := settings{host: "h:4222", subject: defaultSubject, stream: "plimsoll-updates", replicas: 1, maxBytes: defaultMaxBytes, ackWait: defaultAckWait}
	for _, test := range []struct {
		url  string
		want func(*settings)
		err  string
	}{
		{url: "nats://h", want: func(*settings) {}},
		{url: "nats://h:7/a.b?tls=true&ca=f&cert=c&key=k", want: func(s *settings) {
			s.host, s.subject, s.stream, s.tls, s.files = "h:7", "a.b", "a-b", true, topic.Certificates{CA: "f", Cert: "c", Key: "k"}
		}},
		{url: "nats+js://[::1]/?stream=s&storage=memory&replicas=3&max_bytes=7&ack_wait=2s&creds=x", want: func(s *settings) {
			s.host, s.streams, s.stream, s.memory, s.replicas, s.maxBytes, s.ackWait, s.creds = "[::1]:4222", true, "s", true, 3, 7, 2*time.Second, "x"
		}},
		{url: "nats:///x", err: "no host"},
		{url: "nats://h/a..b", err: `"a..b" is not a subject`},
		{url: "nats://h/a.*", err: "is not a subject"},
		{url: "nats://h/a/b", err: "is not a subject"},
		{url: "nats://h/a%20b", err: "is not a subject"},
		{url: "nats://h/$JS.API.x", err: "one of the broker's own"},
		{url: "nats://h?stream=s", err: `nats:// knows no option "stream"`},
		{url: "nats://h?tls=maybe", err: "not true or false"},
		{url: "nats://h?cert=f", err: "go together"},
		{url: "nats+js://h?streem=s", err: `nats+js:// knows no option "streem"`},
		{url: "nats+js://h?stream=a.b", err: "not a stream's name"},
		{url: "nats+js://h?storage=tape", err: "not memory or file"},
		{url: "nats+js://h?replicas=6", err: "from 1 to 5"},
		{url: "nats+js://h?max_bytes=0", err: "above 0"},
		{url: "nats+js://h?ack_wait=1", err: "not a duration"},
		{url: "nats://h?a=%zz", err: "cannot be read"},
		{url: "http://h", err: `the scheme "http"`},
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(u)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %q", test.url, err, test.err)
			}
			continue
		}
		want := core
		test.want(&want)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", test.url, err, diff)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		pattern, subject string
		want             bool
	}{
		{"a.b", "a.b", true}, {"a.b", "a", false}, {"a", "a.b", false}, {"a.*", "a.b", true}, {"a.*", "a", false},
		{"a.*", "a.b.c", false}, {"a.>", "a.b.c", true}, {"a.>", "a", false}, {">", "a", true}, {"*.b", "a.b", true}, {"*.b", "a.c", false},
	} {
		if got := covers(test.pattern, test.subject); got != test.want {
			t.Errorf("covers(%s, %s) is %t", test.pattern, test.subject, got)
		}
	}
}
