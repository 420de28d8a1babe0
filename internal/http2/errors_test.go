package http2

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestEveryRuleHasAMeaning: each has a name that documents show, and a sentence of its own.
func TestEveryRuleHasAMeaning(t *testing.T) {
	want := []struct {
		rule  Rule
		means string
	}{
		{"no-http2", "A server of HTTP/2 begins with its settings."}, {"bad-frame", "Frames come in an order"},
		{"bad-frame-size", "A frame is as long as"}, {"bad-settings", "A setting has a value"}, {"bad-compression", "Headers are compressed"},
		{"bad-header", "A header is a name"}, {"bad-status", "An answer has one status"}, {"bad-content-length", "Content-Length is one number"},
		{"bad-window", "A window grows by 1"}, {"head-too-long", "The headers of an answer have at most the size"},
		{"too-many-headers", "An answer has at most the number"}, {"too-many-interim-answers", "Few interim answers"},
		{"too-many-control-frames", "Frames that carry nothing"}, {"unasked-push", "A server pushes nothing"},
	}
	var all []Rule
	for _, w := range want {
		all = append(all, w.rule)
		if got := w.rule.Means(); !strings.HasPrefix(got, w.means) {
			t.Errorf("%s means %q", w.rule, got)
		}
	}
	if !slices.Equal(Rules(), all) || Rule("bad").Means() != "" {
		t.Errorf("%q, want %q", Rules(), all)
	}
}

// TestErrors: what each says, and whether the request may be sent again.
func TestErrors(t *testing.T) {
	x, cause := strings.Repeat("x", 60), errors.New("lost")
	for _, c := range []struct {
		err   error
		says  string
		again bool
	}{
		{broken(BadFrame, Cancel, "why", nil), "the answer is no HTTP/2: why", false}, {broken(BadFrame, Cancel, "why", []byte{}), "the answer is no HTTP/2: why", false},
		{broken(BadFrame, Cancel, "why", []byte("\x00")), `the answer is no HTTP/2: why: "\x00"`, false},
		{broken(BadFrame, Cancel, "why", []byte(x)), `the answer is no HTTP/2: why: "` + x + `"`, false},
		{broken(BadFrame, Cancel, "why", []byte(x+"y")), `the answer is no HTTP/2: why: "` + x + `"…`, false},
		{&Reset{Cancel}, "the server reset the stream: CANCEL", false}, {&Reset{RefusedStream}, "the server reset the stream: REFUSED_STREAM", true},
		{&GoAway{Code: NoError}, "the server takes no more requests on this connection: NO_ERROR", true},
		{&GoAway{Code: 0xff, Text: "late"}, "the server takes no more requests on this connection: 0xff: late", true},
		{&Reset{0x100}, "the server reset the stream: UNKNOWN", false}, {&Reset{0x80}, "the server reset the stream: 0x80", false},
		{unsent(cause), "lost", true}, {fmt.Errorf("so: %w", unsent(cause)), "so: lost", true}, {cause, "lost", false}, {ErrUnanswered, ErrUnanswered.Error(), false},
	} {
		if c.err.Error() != c.says || Unprocessed(c.err) != c.again {
			t.Errorf("%q, again %v; want %q, %v", c.err, Unprocessed(c.err), c.says, c.again)
		}
	}
	if !errors.Is(unsent(cause), cause) {
		t.Error("what was not sent has no cause")
	}
	for code, want := range map[Code]xhttp2.ErrCode{NoError: 0, ProtocolError: 1, FlowControlError: 3, FrameSizeError: 6, RefusedStream: 7, Cancel: 8,
		CompressionError: 9, EnhanceYourCalm: 11} {
		if xhttp2.ErrCode(code) != want {
			t.Errorf("%v is %d", code, code)
		}
	}
}

// TestSecretFieldsAreNeverIndexed: nobody on the way may keep them.
func TestSecretFieldsAreNeverIndexed(t *testing.T) {
	for name, want := range map[string]bool{"authorization": true, "cookie": true, "proxy-authorization": true, "accept": false, "x-authorization": false} {
		var got hpack.HeaderField
		d := hpack.NewDecoder(tableSize, func(f hpack.HeaderField) { got = f })
		if _, err := d.Write(AppendField(nil, name, "v")); err != nil || got.Name != name || got.Value != "v" || got.Sensitive != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for length, want := range map[int]int{0: 0, 126: 0, 127: 1, 254: 1, 255: 2, 127 + 127<<7 + 127: 2, 127 + 1<<14: 3} {
		b := append([]byte{'p', 0}, bytes.Repeat([]byte{'v'}, length)...)
		b, moved := EndValue(b, 2)
		if moved != want || len(b) != 2+length+want || b[0] != 'p' || strings.Trim(string(b[2+moved:]), "v") != "" {
			t.Errorf("%d bytes are moved by %d, want %d", length, moved, want)
		}
	}
}
