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

// TestRules: each has a name that documents show, and a sentence of its own.
func TestRules(t *testing.T) {
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

// headOf decodes fields, as pairs.
func headOf(t *testing.T, limits Limits, pairs ...string) (*Head, *Error, *Error) {
	t.Helper()
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	var d decoder
	d.of = hpack.NewDecoder(tableSize, d.add)
	d.of.SetMaxStringLength(limits.Head)
	h := new(Head)
	h.reset()
	tooLong, err := d.decode(h, b.Bytes(), limits)
	return h, tooLong, err
}

// TestFieldsOfAHead: the letters of names, the order of values, and the bounds of the whole.
func TestFieldsOfAHead(t *testing.T) {
	h, _, _ := headOf(t, DefaultLimits(), "az-09", "1", "b", "2", "az-09", "3", "a{", "4", "a`", "5")
	for _, c := range []struct {
		name  string
		n     int
		value string
		found bool
	}{
		{"AZ-09", 0, "1", true}, {"az-09", 1, "3", true}, {"Az-09", 2, "", false}, {"B", 0, "2", true}, {"a", 0, "", false}, {"a[", 0, "", false},
		{"a@", 0, "", false}, {"A{", 0, "4", true}, {"A`", 0, "5", true}, {"b", 1, "", false},
	} {
		if v, found := h.Value(c.name, c.n); string(v) != c.value || found != c.found {
			t.Errorf("%s, %d: %q, %v", c.name, c.n, v, found)
		}
	}
	if l := DefaultLimits(); l != (Limits{Head: 65536, Fields: 1000}) {
		t.Errorf("%+v", l)
	}
	for _, c := range []struct {
		limits Limits
		rule   Rule
		bad    bool
	}{
		{Limits{Head: 68, Fields: 2}, "", false}, {Limits{Head: 67, Fields: 2}, HeadTooLong, false}, {Limits{Head: 68, Fields: 1}, TooManyHeaders, false},
		{Limits{Head: 1, Fields: 2}, HeadTooLong, false},
	} {
		h, tooLong, err := headOf(t, c.limits, "a", "b", "c", "d") // of 34 bytes each, as they are counted
		if (tooLong != nil) != (c.rule != "") || tooLong != nil && (tooLong.Rule != c.rule || tooLong.code != Cancel) || err != nil {
			t.Errorf("%+v: %v, %v", c.limits, tooLong, err)
		}
		if c.rule == "" && (len(h.fields) != 2 || h.size != 68) {
			t.Errorf("%+v: %+v", c.limits, h)
		}
	}
	if _, tooLong, err := headOf(t, Limits{Head: 3, Fields: 2}, "a", "four"); err == nil || err.Rule != HeadTooLong || err.code != EnhanceYourCalm || tooLong != nil {
		t.Errorf("%v, %v", tooLong, err)
	}
}

// TestWhatAHeadMayBe: each field of it, with the rule that it breaks.
func TestWhatAHeadMayBe(t *testing.T) {
	for _, c := range []struct {
		pairs  []string
		pseudo bool
		rule   Rule
		status int
		why    string
	}{
		{[]string{":status", "204"}, true, "", 204, ""}, {[]string{":status", "987", "a", "b"}, true, "", 987, ""}, {[]string{"a", "b"}, false, "", 0, ""},
		{nil, false, "", 0, ""}, {nil, true, BadStatus, 0, "no status"}, {[]string{"a", ""}, true, BadStatus, 0, "no status"},
		{[]string{":status", "099"}, true, BadStatus, 0, "three digits"}, {[]string{":status", "1000"}, true, BadStatus, 0, "three digits"},
		{[]string{":status", "20"}, true, BadStatus, 0, "three digits"}, {[]string{":status", "2:0"}, true, BadStatus, 0, "three digits"},
		{[]string{":status", "20/"}, true, BadStatus, 0, "three digits"}, {[]string{":status", ":00"}, true, BadStatus, 0, "three digits"},
		{[]string{":status", "200"}, false, BadHeader, 0, "where it may be"}, {[]string{":statu", "200"}, true, BadHeader, 0, "where it may be"},
		{[]string{"a", "b", ":status", "200"}, true, BadHeader, 0, "where it may be"}, {[]string{":", ""}, false, BadHeader, 0, "where it may be"},
		{[]string{"", "b"}, false, BadHeader, 0, "the name of a header is none"}, {[]string{"A", "b"}, false, BadHeader, 0, "the name of a header is none"},
		{[]string{"a", "\x1f"}, false, BadHeader, 0, "a character that it must not have"}, {[]string{"a", "\x7f"}, false, BadHeader, 0, "a character that it must not have"},
		{[]string{"a", "\t \x80~"}, false, "", 0, ""},
		{[]string{"connection", ""}, false, BadHeader, 0, "about the connection"}, {[]string{"keep-alive", ""}, false, BadHeader, 0, "about the connection"},
		{[]string{"proxy-connection", ""}, false, BadHeader, 0, "about the connection"}, {[]string{"upgrade", ""}, false, BadHeader, 0, "about the connection"},
		{[]string{"transfer-encoding", ""}, false, BadHeader, 0, "about the connection"}, {[]string{"te", "trailers"}, false, "", 0, ""},
	} {
		h, _, _ := headOf(t, DefaultLimits(), c.pairs...)
		err := h.check(c.pseudo)
		if (err != nil) != (c.rule != "") || err != nil && (err.Rule != c.rule || err.code != ProtocolError || !strings.Contains(err.Why, c.why)) ||
			err == nil && h.Status != c.status {
			t.Errorf("%q: %v, status %d; want %s", c.pairs, err, h.Status, c.rule)
		}
	}
	const names = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		if b := []byte{'a', byte(c)}; isName(b) != strings.Contains(names, string(b[1:])) {
			t.Errorf("%q is a name: %v", b, isName(b))
		}
		if b := []byte{byte(c)}; isValue(b) != (c >= ' ' && c != 0x7f || c == '\t') || digits(b) != (c >= '0' && c <= '9') {
			t.Errorf("%q is a value: %v, of digits: %v", b, isValue(b), digits(b))
		}
	}
	if digits(nil) || isName(nil) || !isValue(nil) {
		t.Error("what nothing is")
	}
	for _, c := range []struct {
		values string
		want   int64
		why    string
	}{
		{"", -1, ""}, {"0", 0, ""}, {"9223372036854775807", 1<<63 - 1, ""}, {"007,7", 7, ""}, {"7,7,7", 7, ""}, {"0,0", 0, ""},
		{"7,8", 0, "several lengths"}, {"0,7", 0, "several lengths"}, {"7,7,8", 0, "several lengths"}, {"+7", 0, "no number"}, {"7a", 0, "no number"},
		{"-0", 0, "no number"}, {"9223372036854775808", 0, "no number"}, {"7,x", 0, "no number"},
	} {
		pairs := []string{":status", "200"}
		for v := range strings.SplitSeq(c.values, ",") {
			if c.values != "" {
				pairs = append(pairs, "content-length", v)
			}
		}
		h, _, _ := headOf(t, DefaultLimits(), pairs...)
		if err := h.readLength(); (err != nil) != (c.why != "") || err != nil && (err.Rule != BadLength || err.code != ProtocolError || !strings.Contains(err.Why, c.why)) ||
			err == nil && h.Length != c.want {
			t.Errorf("%s: %d, %v", c.values, h.Length, err)
		}
	}
}

// TestAnswersByTheirStatus: which are final, and how many others may come before.
func TestAnswersByTheirStatus(t *testing.T) {
	for _, c := range []struct {
		status   string
		ends     bool
		interims int // before it
		rule     Rule
		code     Code
		final    bool
	}{
		{"100", false, 0, "", 0, false}, {"199", false, 99, "", 0, false}, {"103", false, 100, TooManyInterims, EnhanceYourCalm, false},
		{"101", false, 0, BadStatus, ProtocolError, false}, {"101", true, 0, BadStatus, ProtocolError, false}, {"103", true, 0, BadFrame, ProtocolError, false},
		{"200", false, 100, "", 0, true}, {"200", true, 0, "", 0, true}, {"999", true, 0, "", 0, true}, {"", true, 0, BadStatus, ProtocolError, false},
	} {
		s := NewStream(quiet{})
		pairs := []string{":status", c.status}
		if c.status == "" {
			pairs = nil
		}
		h, _, _ := headOf(t, DefaultLimits(), pairs...)
		s.head, s.interims = *h, c.interims
		err := s.answer(c.ends)
		if (err != nil) != (c.rule != "") || err != nil && (err.Rule != c.rule || err.code != c.code) || s.final != c.final {
			t.Errorf("%+v: %v, final %v", c, err, s.final)
		}
	}
	h, _, _ := headOf(t, DefaultLimits(), "a", "b")
	if err := h.trailers(false); err == nil || err.Rule != BadFrame || err.code != ProtocolError {
		t.Errorf("within a body: %v", err)
	}
	if err := h.trailers(true); err != nil {
		t.Errorf("behind it: %v", err)
	}
}

// TestSecretsOfRequests: nobody on the way may keep them.
func TestSecretsOfRequests(t *testing.T) {
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
