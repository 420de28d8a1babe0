package redact_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/redact"
)

func TestURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"ws://h:1/chat/{room}":                 "ws://h:1/chat/{room}",
		"wss://user:hunter2@h/chat":            "wss://h/chat",
		"ws://h/c?token=hunter2&room={room}&x": "ws://h/c?token=…&room={room}&…",
		"ws://user:hun/ter2@h/chat":            "ws://…",
		"user:hunter2@example.org":             "…",
		"localhost:8080/chat":                  "localhost:8080/chat",
		"?token=hunter2://x":                   "…",
		"file:/a?b=hunter2":                    "file:/a?b=…",
		"mem:/a":                               "mem:/a",
		"file:/a?hunter2@x":                    "…",
		"ws://h:port:hunter2/":                 "ws://…",
	} {
		if got := redact.URL(in); got != want {
			t.Errorf("redact.URL(%q) = %q, want %q", in, got, want)
		}
	}
}

// A URL that is shown without its user tells nobody how the server is reached.
func TestHasUser(t *testing.T) {
	for url, want := range map[string]bool{
		"wss://user:hunter2@h/chat": true, "wss://token@h": true, "ws://h/a@b": false, "ws://h?t=a@b": false, "ws://h": false,
		"file:/a@b": false, "file:///a@b": false, "://@": true, "": false,
	} {
		if got := redact.HasUser(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}
