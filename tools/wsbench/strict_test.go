package main

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"
)

// TestStrictness says which of the readers take text that is not JSON (RFC 8259) for JSON. It
// fails if the one that was chosen does.
func TestStrictness(t *testing.T) {
	var p fastjson.Parser
	accepts := []struct {
		name string
		ok   func([]byte) bool
	}{
		{"encoding/json", stdjson.Valid},
		{"fastjson parser", func(b []byte) bool { _, err := p.ParseBytes(b); return err == nil }},
		{"fastjson validate", func(b []byte) bool { return fastjson.ValidateBytes(b) == nil }},
		{"gjson", gjson.ValidBytes},
		{"jsontext", func(b []byte) bool {
			d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true))
			if _, err := d.ReadValue(); err != nil {
				return false
			}
			_, err := d.ReadToken()
			return err == io.EOF
		}},
		{"scanner", func(b []byte) bool { return scanObject(b, func(_, _ []byte) {}) }},
	}
	for _, text := range []string{"{\"a\":\"\x00\"}", "{\"a\":\"\xff\"}", `{"a":"\x"}`, `{"a":"\ud800"}`, `{"a":01}`,
		`{"a":1e}`, `{"a":-}`, `{"a":+1}`, `{"a":NaN}`, `{"a":tru}`, `{"a":1,}`, `{"a":1}x`, `{"a":1}{}`, ""} {
		for _, a := range accepts {
			if a.ok([]byte(text)) {
				t.Logf("%-17s takes %q", a.name, text)
				if a.name == "jsontext" {
					t.Fail()
				}
			}
		}
	}
}
