package match

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

// found is what stands at a pointer.
type found struct {
	Value string
	Kind  Kind
}

// walk finds what stands at a pointer in a plain way: it decodes one level after another.
func walk(body []byte, pointer string) found {
	names, err := Names(pointer)
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		var next json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(body))
		open, _ := dec.Token()
		for i := 0; next == nil && dec.More() && (open == json.Delim('{') || open == json.Delim('[')); i++ {
			key := any(strconv.Itoa(i))
			if open == json.Delim('{') {
				key, _ = dec.Token()
			}
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				panic(err)
			}
			if key == name {
				next = value
			}
		}
		if next == nil {
			return found{}
		}
		body = next
	}
	body = bytes.Trim(body, " \t\r\n")
	switch body[0] {
	case '"':
		var text string
		if err := json.Unmarshal(body, &text); err != nil {
			panic(err)
		}
		return found{text, String}
	case '{', '[':
		return found{string(body), Compound}
	case 't', 'f':
		return found{string(body), Bool}
	case 'n':
		return found{string(body), Null}
	}
	return found{string(body), Number}
}

// finder finds what stands at some pointers.
func finder(t testing.TB, pointers ...string) *Matcher {
	t.Helper()
	rule := Rule{}
	for _, p := range pointers {
		rule.Of = append(rule.Of, pointer(p))
	}
	return compile(t, rule)
}

// checkScan compares what a finder finds in a body with what others do.
func checkScan(t *testing.T, m *Matcher, body []byte, pointers ...string) {
	t.Helper()
	_, err := m.Match(&codec.Message{Body: body})
	valid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
	if valid != (err == nil) {
		t.Fatalf("%q: %v, and jsontext says %v", body, err, valid)
	}
	if err != nil {
		return
	}
	if !json.Valid(body) {
		t.Fatalf("%.200q: encoding/json finds it wrong", body)
	}
	for i, p := range pointers {
		value, kind := m.Value(i)
		if want, got := walk(body, p), (found{string(value), kind}); want != got {
			t.Fatalf("%s of %q: %+v instead of %+v", p, body, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, body := range []string{
		`{"a":1,"a":2}`, `{"a":{"b":[1,{"c":null}]},"":true}`, `["x",[0,-1.5e+3]]`, `"\ud83d\ude00\u00e9é\\"`, ` { } `, `[[],{}]`,
		`{"\u0061":"x","a":"y"}`, `{"a~/b":1}`, "\"\x7f\u2028\"", `[1,2,3,4,5,6,7,8,9,10,11]`, `nul`, `[1}`, "\"a\tb\"", "\"\xff\"", `01`,
		string(replyTo("0a1b2c3d-1-2.3", `{"messageId":"x"}`)),
	} {
		f.Add([]byte(body), "\n/a\n/a/b/1/c\n/0\n/1/1\n/\n/a~0~1b\n/10\n/messageId\n/originalMessage/messageId")
	}
	f.Fuzz(func(t *testing.T, body []byte, list string) {
		if len(body) > 4096 || strings.Count(list, "\n") > 32 {
			return
		}
		pointers := []string{""}
		for _, p := range strings.Split(list, "\n") {
			if _, err := Names(p); err == nil {
				pointers = append(pointers, p)
			}
		}
		checkScan(t, finder(t, pointers...), body, pointers...)
	})
}

// TestDepth takes and refuses the depths that encoding/json does, wherever nodes are.
func TestDepth(t *testing.T) {
	for _, p := range []string{
		"", "/0", "/a", "/a/0/a/0/a", "/0/0/0/0", strings.Repeat("/a", deepest+1), strings.Repeat("/0", deepest+1),
	} {
		m := finder(t, p)
		for _, depth := range []int{deepest, deepest + 1, deepest} {
			arrays := strings.Repeat("[", depth) + strings.Repeat("]", depth)
			objects := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
			mixed := strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`[`, depth%2) + strings.Repeat(`]`, depth%2) + strings.Repeat("]}", depth/2)
			for i, body := range []string{arrays, objects, mixed, `[1,{"a":` + arrays[1:len(arrays)-1] + `}]`} {
				_, err := m.Match(&codec.Message{Body: []byte(body)})
				if want := depth+i/3 <= deepest; want != (err == nil) || want != json.Valid([]byte(body)) {
					t.Errorf("body %d of depth %d, %.20s: %v", i, depth, p, err)
				}
			}
		}
	}
}

// TestEveryCut refuses every beginning of a body, and takes the whole.
func TestEveryCut(t *testing.T) {
	whole := `{"a":[1.5e3,-0,"x\u00e9\ud83d\ude00é 12345678",{"b":null,"c":[true,false,[],{}]}],"d":"\\"}`
	pointers := []string{"/a/3/c/0", "/a", "/d", "", "/a/2"}
	m := finder(t, pointers...)
	for i := range len(whole) + 1 {
		checkScan(t, m, []byte(whole[:i]), pointers...)
	}
}

// TestEveryByte puts every byte at every place of a body, and takes what jsontext takes.
func TestEveryByte(t *testing.T) {
	pointers := []string{"", "/ab/1", "/c", "/0/a"}
	leads, whole := finder(t, pointers...), finder(t, "")
	for _, text := range []string{
		`{"ab":[1.5e3,"é"],"c":"d\n\u00e9"}`, `[{"a":-10},true,null]`, `"12345678é1234567\\89"`, `[{"a":1 , "b":[ 2e-3,false,45]}]`,
		`{ "0" : { "a" : "x" , "b" : [ ] } , "ab" : { } }`,
	} {
		for i := range len(text) {
			for b := range 256 {
				body := []byte(text)
				body[i] = byte(b)
				checkScan(t, leads, body, pointers...)
				checkScan(t, whole, body, "")
			}
		}
	}
}
