package ws

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/redact"
)

func TestHeadersAdd(t *testing.T) {
	h := Headers{}
	for _, line := range []string{"authorization: Bearer abc:def", "X-Trace:1", "X-Trace: 2 "} {
		if err := h.Add(line); err != nil {
			t.Errorf("Add(%q): %v", line, err)
		}
	}
	want := Headers{"Authorization": {"Bearer abc:def"}, "X-Trace": {"1", "2"}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	bad := map[string]string{
		"":                           "must have the form 'Name: value'",
		"secret-token":               "must have the form 'Name: value'",
		": v":                        "is not a valid header name",
		"Bad Name: v":                "is not a valid header name",
		"X: a\r\nY: b":               "control character",
		"Sec-WebSocket-Key: abc":     "set by the handshake",
		"host: example.org":          "set by the handshake",
		"origin: https://a":          "use --origin",
		"Sec-WebSocket-Protocol: v1": "use --subprotocol",
	}
	for in, want := range bad {
		err := h.Add(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Add(%q) = %v; want an error with %q", in, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret-token") {
			t.Errorf("Add(%q) shows the value: %v", in, err)
		}
	}
}

func TestHeadersJSONHidesValues(t *testing.T) {
	text, err := json.Marshal(Headers{"Authorization": {"secret"}})
	if err != nil || string(text) != `{"Authorization":"…"}` {
		t.Errorf("%s, %v", text, err)
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add("Name: value")
	f.Add(":")
	f.Fuzz(func(t *testing.T, line string) {
		h := Headers{}
		if h.Add(line) != nil {
			return
		}
		for name, values := range h {
			if !isToken(name) || strings.ContainsAny(values[0], "\r\n\x00") {
				t.Errorf("%q was let through as %q: %q", line, name, values)
			}
		}
	})
}

// A URL that is refused must not be shown with its password, and one that is accepted must
// not show it when it is redacted.
func FuzzURL(f *testing.F) {
	f.Add("ws", "h:1", "/chat/{room}")
	f.Add("wss", "h:port", "")
	f.Add("http", "", "?{x}#f")
	f.Fuzz(func(t *testing.T, scheme, host, rest string) {
		const secret = "hunter2secret"
		if strings.ContainsAny(scheme+host, "/?#@") || strings.Contains(scheme+host+rest, "@") {
			return
		}
		raw := scheme + "://user:" + secret + "@" + host + rest
		if shown := redact.URL(raw); strings.Contains(shown, secret) {
			t.Errorf("redact.URL(%q) = %q", raw, shown)
		}
		if err := CheckURL(raw); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error shows the password: %v", raw, err)
		}
	})
}
