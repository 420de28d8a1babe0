package known_test

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/topic/known"
)

// TestOpenTopicErrors: one line that names what is wrong, without secrets.
func TestOpenTopicErrors(t *testing.T) {
	for _, test := range []struct {
		url, want, hint string
		code            fault.Code
	}{
		{"mqtt://u:geheim@host/x", "mqtt:// is not a supported message service", "nats://, nats+js://, ",
			fault.Usage},
		{"kafak://host/x", "kafak:// is not", "did you mean kafka://? use a URL that begins with nats://, ", fault.Usage},
		{"host:4222", "it has no scheme", "nats://, nats+js://, ", fault.Usage},
		{"/topic", "it has no scheme", "nats://, nats+js://, ", fault.Usage},
		{"nats://u:geheim@host:x%/", "is not a valid URL", "nats://host:4222/subject", fault.Usage},
		{"nats://u:geheim@/x", "the URL has no host", "", fault.Usage},
		{"nats://u:geheim@127.0.0.1/a..b", `"a..b" is not a valid subject`, "", fault.Usage},
		{"nats+js://127.0.0.1/a?max_bytes=1g", `max_bytes="1g" is not a positive number of bytes`, "", fault.Usage},
		{"nats+js://geheim@127.0.0.1:1/x?stream=s", "connection refused", "start the broker", fault.RunFailed},
		{"redis://u:geheim@127.0.0.1/x", `"x" is not a database number`, "", fault.Usage},
		{"redis://:geheim@127.0.0.1:1", "connection refused", "start the broker", fault.RunFailed},
		{"nats://u:geheim@127.0.0.1:1/x", "connection refused", "start the broker", fault.RunFailed},
	} {
		opened, err := known.Open(t.Context(), test.url, time.Minute)
		if opened != nil || fault.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(fault.HintOf(err), test.hint) || strings.Contains(err.Error(), "geheim") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (hint %q), want %q (hint %q) and the code %d",
				test.url, err, fault.HintOf(err), test.want, test.hint, test.code)
		}
	}
}

func TestRedactTopicShowsWhichTopicItIs(t *testing.T) {
	for raw, want := range map[string]string{
		"nats+js://u:geheim@h:4222/s?max_bytes=100&stream=x&creds=geheim&key=geheim": "nats+js://h:4222/s?max_bytes=100&stream=x&creds=…&key=…",
		"nats+js://h/s?discard=old&cert=geheim":                                      "nats+js://h/s?discard=old&cert=…",
		"redis://:geheim@h/?stream=a&token=geheim&geheim":                            "redis://h/?stream=a&token=…&…",
		"awssnssqs://t?profile=geheim&region=eu-west-1":                              "awssnssqs://t?profile=…&region=eu-west-1",
		"mqtt://u:geheim@h/t?stream=geheim":                                          "mqtt://h/t?stream=…",
	} {
		if got := known.Redact(raw); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
