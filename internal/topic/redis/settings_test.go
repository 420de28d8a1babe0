package redis

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

func addForeign() *redis.XAddArgs {
	return &redis.XAddArgs{Stream: defaultStream, Values: []any{"temperature", "21"}}
}

func TestParse(t *testing.T) {
	t.Setenv("REDISCLI_AUTH", "")
	for _, test := range []struct {
		url  string
		want settings
		err  string
	}{
		{url: "redis://h", want: settings{host: "h:6379", stream: defaultStream, ackWait: defaultAckWait, trim: true}},
		{
			url: "rediss://u:p@[::1]:7/3?stream=s&ack_wait=2s&trim=none&ca=f",
			want: settings{
				host: "[::1]:7", user: "u", password: "p", database: 3, secure: true,
				stream: "s", ackWait: 2 * time.Second, files: topic.Certificates{CA: "f"},
			},
		},
		{url: "redis:///0", err: "no host"},
		{url: "redis://h/name", err: `"name" is not the number of a database: name the stream with ?stream=`},
		{url: "redis://h/-1", err: "not the number"},
		{url: "redis://h?ack_wait=0", err: "not a duration of at least 10ms"},
		{url: "redis://h?trim=all", err: "not acked or none"},
		{url: "redis://h?stream=", err: "not a key"},
		{url: "redis://h?sream=x", err: `knows no option "sream"`},
		{url: "redis://h?ca=f", err: "write rediss://"},
		{url: "rediss://h?cert=f", err: "go together"},
		{url: "redis://h?a=%zz", err: "cannot be read"},
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
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(settings{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", test.url, err, diff)
		}
	}
}

func TestBefore(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"9-0", "10-0", true}, {"10-0", "9-0", false}, {"5-9", "5-10", true}, {"5-10", "5-9", false}, {"5-1", "5-1", false}, {"0-0", "1-0", true},
	} {
		if got := before(test.a, test.b); got != test.want {
			t.Errorf("before(%s, %s) is %t", test.a, test.b, got)
		}
	}
}
