package selector

import (
	"testing"
)

// A value of JSON is the same as what is written by what it is, not by how.
func TestEqualValues(t *testing.T) {
	const body = `{"s":"a","quoted":"\"a\"","number":"1","n":1,"f":1.0,"t":true,"z":null,"l":[1,2],"o":{"a":1,"b":[2]},"e":""}`
	a := &Answer{Status: 200, Body: []byte(body), Size: int64(len(body))}
	for text, want := range map[string]bool{
		"s = a": true, `s = "a"`: true, "s = b": false, `s = "b"`: false, `quoted = "a"`: true, `quoted = "\"a\""`: true,
		"number = 1": true, `number = "1"`: true, "number = 2": false, `n = "1"`: false, "n = 1": true, "n = 1.0": true,
		"f = 1": true, "f = 10e-1": true, "n = 2": false, "n = true": false, "t = true": true, "t = false": false,
		`t = "true"`: false, "z = null": true, "z = 0": false, `z = "null"`: false, "l = [1, 2]": true, "l = [2, 1]": false,
		"l = [1,2,3]": false, `o = {"b":[2],"a":1}`: true, `o = {"a":1}`: false, `o = "a"`: false, `e = ""`: true,
		"l = 1": false, `n = [1]`: false, "n = 1x": false,
	} {
		c, err := ParseCheck("json " + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(a); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// What other tools write is answered with what it is called here, and what nobody writes with nothing.
func TestSuggestions(t *testing.T) {
	for _, c := range []struct{ word, rest, want string }{
		{"200", "", "status 200"}, {"2xx", "", "status 2xx"}, {"200", "OK", ""}, {"code", "", "status 200"},
		{"status_code", "200", "status 200"}, {"status-code", "", "status 200"}, {"body", "x", "text PART"},
		{"contains", "x", "text PART"}, {"includes", "x", "text PART"}, {"matches", "x", "regexp PATTERN"},
		{"regex", "x", "regexp PATTERN"}, {"jsonpath", "x", "json PATH"}, {"", "", ""}, {"quite", "", ""}, {"quite", "another", ""},
	} {
		if got := checkMeant(c.word, c.rest); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.word, c.rest, got, c.want)
		}
	}
}

// An answer without headers, or without a body of JSON, has neither a header nor a cookie nor a value.
func TestMissingValues(t *testing.T) {
	for _, text := range []string{"header Via", "cookie session", "json a", "regexp a"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := s.Find(&Answer{Status: 200}); got != nil || found {
			t.Errorf("%s: %q, %v", text, got, found)
		}
	}
}
