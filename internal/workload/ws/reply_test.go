package ws

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

const usual = `{"messageId":"abcd1234-123456-12.123456","status":"success","serverReceiveTime":"2026-11-21T20:00:00.123456Z","serverSendTime":"2026-11-21T20:00:00.123999Z","originalMessage":{"userId":"12345","username":"user12345","message":"Good morning all, the new build is running ten minutes late today.","roomId":"12","messageType":"TEXT","messageId":"abcd1234-123456-12.123456","timestamp":"2026-11-21T20:00:00.123456Z"}}`

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in       string
		id       string
		rejected bool
		ok       bool
	}{
		{usual, "abcd1234-123456-12.123456", false, true},
		{`{}`, "", false, true},
		{` { "status" : "error" , "errors":["a","b"] } `, "", true, true},
		{`{"status":"error","messageId":"x"}`, "x", true, true},
		{`{"messageId":"m"}`, "m", false, true},
		{`{"messageId":"q\"\u00e9"}`, `q"é`, false, true},
		{`{"messageId":7,"status":"success","originalMessage":{"messageId":"inner"}}`, "inner", false, true},
		{`{"originalMessage":{"a":{"messageId":"deep"},"messageId":"inner"},"messageId":"own"}`, "own", false, true},
		{`{"originalMessage":["messageId"],"status":"ok"}`, "", false, true},
		{`{"a":{"messageId":"not mine"},"status":"success"}`, "", false, true},
		{`{"messageId":"a","messageId":"b"}`, "a", false, true},
		{``, "", false, false},
		{`null`, "", false, false},
		{`"text"`, "", false, false},
		{`[1]`, "", false, false},
		{`{"messageId":"a","status":"success"`, "", false, false},
		{`{"messageId":"a","status":"success"} x`, "", false, false},
		{`{"messageId":"a","status":"success"}{}`, "", false, false},
		{`{"messageId":"a","status":"success","x":01}`, "", false, false},
		{"{\"messageId\":\"a\",\"status\":\"success\",\"x\":\"\xff\"}", "", false, false},
	} {
		r, err := newParser().parse([]byte(c.in))
		if string(r.id) != c.id || r.rejected != c.rejected || (err == nil) != c.ok {
			t.Errorf("%s: id %q, rejected %v, error %v", c.in, r.id, r.rejected, err)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	p, data := newParser(), []byte(usual)
	if n := testing.AllocsPerRun(1000, func() { _, _ = p.parse(data) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzParse holds the parser against encoding/json: both read it as an object or neither,
// and a parser that has read anything reads the next reply right.
func FuzzParse(f *testing.F) {
	f.Add([]byte(usual))
	f.Add([]byte(`{"originalMessage":{"messageId":"inner"},"status":"error"}`))
	f.Add([]byte(`{"\u006dessageId":"a"}`))
	f.Add([]byte(`not JSON`))
	p := newParser()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := p.parse(data)
		var object map[string]json.RawMessage
		plain := json.Unmarshal(data, &object)
		// encoding/json lets invalid UTF-8 and lone surrogates pass, which are no JSON.
		if err == nil && (plain != nil || object == nil) {
			t.Errorf("%q: read, and encoding/json says %v", data, plain)
		}
		if err != nil && plain == nil && object != nil && utf8.Valid(data) && !hasEscape(data) {
			t.Errorf("%q: %v, and encoding/json reads it", data, err)
		}
		if err != nil && (len(r.id) > 0 || r.rejected) {
			t.Errorf("%q: %v, with a result", data, err)
		}
		if r, err = p.parse([]byte(usual)); err != nil || string(r.id) != "abcd1234-123456-12.123456" {
			t.Errorf("after %q the usual reply reads as %q, %v", data, r.id, err)
		}
	})
}

func hasEscape(data []byte) bool {
	for _, b := range data {
		if b == '\\' {
			return true
		}
	}
	return false
}

func BenchmarkParse(b *testing.B) {
	p, data := newParser(), []byte(usual)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTheUsualReplyIsReadAsAnyOther holds the short way against the long one.
func TestTheUsualReplyIsReadAsAnyOther(t *testing.T) {
	p := newParser()
	taken := 0
	for _, text := range []string{
		`{"messageId":"a-1-2.3","status":"success"}`, `{"messageId":"a-1-2.3","status":"error","more":{"status":"ok"}}`,
		`{"messageId":"a","status":"err\u006fr"}`, `{"messageId":"a","status":"errors"}`, `{"messageId":"a","status":""}`,
		`{"messageId":"a\"b","status":"error"}`, `{"messageId":"\u0061","status":"error"}`, `{"messageId":"a\\","status":"error"}`,
		`{"messageId":"","status":"error"}`, `{"messageId":"","status":"error","messageId":"b"}`,
		`{"messageId":"a","status":"ok","status":"error","messageId":"b"}`, `{"messageId":"a","status":7}`,
		`{"messageId":"a"}`, `{"messageId":7,"status":"error"}`, `{"messageId": "a","status":"error"}`, `{}`,
	} {
		want, err := p.search([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		want.id = []byte(string(want.id))
		got, ok := quick([]byte(text))
		if ok {
			taken++
		}
		if ok && (string(got.id) != string(want.id) || got.rejected != want.rejected) {
			t.Errorf("%s: %q, rejected %v; the long way %q, %v", text, got.id, got.rejected, want.id, want.rejected)
		}
	}
	if taken != 6 {
		t.Errorf("%d replies are read the short way", taken)
	}
}
