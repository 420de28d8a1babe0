package plan

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"5s": 5 * time.Second, "50ms": 50 * time.Millisecond, "1m30s": 90 * time.Second,
		" 2s ": 2 * time.Second, "0": 0, "-1s": -time.Second,
		"PT5S": 5 * time.Second, "PT0.05S": 50 * time.Millisecond, "PT0,05S": 50 * time.Millisecond,
		"PT1M30S": 90 * time.Second, "pt1h": time.Hour, "P1DT2H": 26 * time.Hour, "P2W": 14 * 24 * time.Hour,
		"PT1.5M": 90 * time.Second,
	}
	for in, want := range good {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	bad := map[string]string{
		"":         "no duration given",
		"10":       "write 10s or 10ms",
		"fast":     "is not a duration",
		"P":        "names no time",
		"PT":       "nothing follows its T",
		"P1DT":     "nothing follows its T",
		"PT5":      "last number has no unit",
		"PTS":      "a number is missing",
		"PT1S2M":   "cannot stand there",
		"PT1S1S":   "cannot stand there",
		"P1Y":      "cannot stand there",
		"PT1.5M1S": "only its last number",
		"PT1.2.3S": "is not a number",
		"PT-5S":    "a number is missing",
		"P1TT1S":   "cannot stand there",
		"P999999W": "longer than 292 years",
	}
	for in, want := range bad {
		if got, err := ParseDuration(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseDuration(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"0": 0, "512": 512, "512b": 512, "128k": 128 << 10, "8MiB": 8 << 20, "8 mib": 8 << 20,
		"1g": 1 << 30, "1KB": 1000, "2MB": 2_000_000, "1.5k": 1536, "1t": 1 << 40,
	}
	for in, want := range good {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "k", "-1", "1x", "1kx", "1.2.3k", "0.3", "1.0001k", "9999999999g", "inf", "0x10"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q) = %d; want an error", in, got)
		}
	}
}

func TestParseShare(t *testing.T) {
	good := map[string]float64{"0": 0, "1": 1, "0.05": 0.05, "5%": 0.05, "100 %": 1, "0%": 0}
	for in, want := range good {
		if got, err := ParseShare(in); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("ParseShare(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	bad := map[string]string{"": "is not a share", "x": "is not a share", "-0.1": "from 0 to 1", "NaN": "from 0 to 1", "5": "write 5%", "101%": "from 0 to 1", "Inf": "from 0 to 1"}
	for in, want := range bad {
		if got, err := ParseShare(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseShare(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestParseStages(t *testing.T) {
	want := []Stage{{10 * time.Second, 2000}, {30 * time.Second, 2000}, {10 * time.Second, 0}}
	got, err := ParseStages("10s:2000, 30s:2000,PT10S:0")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := FormatStages(got); s != "10s:2000,30s:2000,10s:0" {
		t.Errorf("FormatStages = %q", s)
	}
	bad := map[string]string{
		"":               "no stage given",
		"10s":            "stage 1: \"10s\" lacks a colon",
		"10s:5,":         "stage 2: \"\" lacks a colon",
		"ten:5":          "\"ten\" is not a duration",
		"10s:fast":       "\"fast\" is not a rate",
		"0s:5":           "longer than nothing",
		"-1s:5":          "longer than nothing",
		"1s:-5":          "its rate is -5",
		"1s:NaN":         "its rate is NaN",
		"1s:1,1s:1e9":    "stage 2: its rate is 1e+09",
		"1s:1,1s:Inf":    "its rate is +Inf",
		"1s:1;1s:1,,2s:": "is not a rate",
	}
	for in, want := range bad {
		if got, err := ParseStages(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseStages(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

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
		"":                           "needs a colon",
		"secret-token":               "needs a colon",
		": v":                        "is not the name of a header",
		"Bad Name: v":                "is not the name of a header",
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

func TestRedactURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"ws://h:1/chat/{room}":                 "ws://h:1/chat/{room}",
		"wss://user:hunter2@h/chat":            "wss://h/chat",
		"ws://h/c?token=hunter2&room={room}&x": "ws://h/c?token=…&room={room}&…",
		"ws://user:hun/ter2@h/chat":            "ws://…",
		"user:hunter2@example.org":             "…",
		"localhost:8080/chat":                  "localhost:8080/chat",
		"?token=hunter2://x":                   "…",
		"ws://h:port:hunter2/":                 "ws://…",
	} {
		if got := RedactURL(in); got != want {
			t.Errorf("RedactURL(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"5s", "PT5S", "P1DT2H3M4.5S", "P", "PT", "-1s", "P2W"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		again, err := ParseDuration(d.String())
		if err != nil || again != d {
			t.Errorf("%q is %v, which reads back as %v, %v", s, d, again, err)
		}
		if strings.HasPrefix(strings.TrimSpace(s), "P") && d < 0 {
			t.Errorf("%q became negative: %v", s, d)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"512", "128m", "8MiB", "1.5k", "9e9g"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSize(s); err == nil && n < 0 {
			t.Errorf("%q became negative: %d", s, n)
		}
	})
}

func FuzzParseShare(f *testing.F) {
	for _, s := range []string{"0.05", "5%", "NaN", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseShare(s); err == nil && !(v >= 0 && v <= 1) {
			t.Errorf("%q is %v", s, v)
		}
	})
}

func FuzzParseStages(f *testing.F) {
	f.Add("10s:2000,30s:2000,10s:0")
	f.Add("PT1S:0.5")
	f.Fuzz(func(t *testing.T, s string) {
		stages, err := ParseStages(s)
		if err != nil {
			return
		}
		again, err := ParseStages(FormatStages(stages))
		if err != nil {
			t.Fatalf("%q reads as %v, which does not read back: %v", s, stages, err)
		}
		if diff := cmp.Diff(stages, again); diff != "" {
			t.Error(diff)
		}
	})
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
		if shown := RedactURL(raw); strings.Contains(shown, secret) {
			t.Errorf("RedactURL(%q) = %q", raw, shown)
		}
		if err := checkWebSocketURL(raw); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error shows the password: %v", raw, err)
		}
	})
}
