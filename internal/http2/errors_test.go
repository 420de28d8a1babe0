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

// TestRules checks the names of the rules, which documents contain, and that each rule is explained in a sentence.
func TestRules(t *testing.T) {
	want := []Rule{"no-http2", "bad-frame", "bad-frame-size", "bad-settings", "bad-compression", "bad-header", "bad-status",
		"bad-content-length", "bad-window", "head-too-long", "too-many-headers", "too-many-interim-answers",
		"too-many-control-frames", "unasked-push"}
	for _, rule := range want {
		if !strings.HasSuffix(rule.Means(), ".") {
			t.Errorf("%s means %q", rule, rule.Means())
		}
	}
	if !slices.Equal(Rules(), want) || Rule("bad").Means() != "" {
		t.Errorf("%q, want %q", Rules(), want)
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
		{broken(BadFrame, Cancel, "why", nil), "invalid HTTP/2 response: why", false}, {broken(BadFrame, Cancel, "why", []byte{}), "invalid HTTP/2 response: why", false},
		{broken(BadFrame, Cancel, "why", []byte("\x00")), `invalid HTTP/2 response: why: "\x00"`, false},
		{broken(BadFrame, Cancel, "why", []byte(x)), `invalid HTTP/2 response: why: "` + x + `"`, false},
		{broken(BadFrame, Cancel, "why", []byte(x+"y")), `invalid HTTP/2 response: why: "` + x + `"…`, false},
		{&Reset{Cancel}, "the server reset the stream: CANCEL", false}, {&Reset{RefusedStream}, "the server reset the stream: REFUSED_STREAM", true},
		{&GoAway{Code: NoError}, "the server accepts no more requests on this connection (GOAWAY): NO_ERROR", true},
		{&GoAway{Code: 0xff, Text: "late"}, "the server accepts no more requests on this connection (GOAWAY): 0xff: late", true},
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
