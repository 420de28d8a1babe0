package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// with gives a valid message with one field changed; an empty value leaves the field out.
func with(field, value string) string {
	fields := []string{"userId", "username", "message", "timestamp", "messageType", "messageId"}
	values := map[string]string{"userId": "17", "username": `"user17"`, "message": `"hello"`,
		"timestamp": `"2025-01-31T12:00:00Z"`, "messageType": `"TEXT"`}
	values[field] = value
	var parts []string
	for _, f := range fields {
		if values[f] != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", f, values[f]))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// errorsOf are the errors that the reply to a message names.
func errorsOf(t *testing.T, text string) []string {
	t.Helper()
	var ds decoders
	m := ds.get().read([]byte(text))
	var r reply
	r.buf = make([]byte, headerRoom)
	r.refuse(&m, time.Unix(0, 0), &stamps{})
	var got struct {
		Errors []string `json:"errors"`
	}
	if m.valid() {
		return nil
	}
	if err := json.Unmarshal(r.payload(), &got); err != nil {
		t.Fatalf("%v in the reply %s", err, r.payload())
	}
	return got.Errors
}

func TestMessageValidation(t *testing.T) {
	userID := []string{rules[ruleUserID].broken}
	username := []string{rules[ruleUsername].broken}
	text := []string{rules[ruleMessage].broken}
	timestamp := []string{rules[ruleTimestamp].broken}
	kind := []string{rules[ruleMessageType].broken}
	id := []string{rules[ruleMessageID].broken}
	for _, test := range []struct {
		field, value string
		want         []string
	}{
		{"", "", nil},

		{"userId", "1", nil},
		{"userId", "100000", nil},
		{"userId", `"1"`, nil},
		{"userId", `"100000"`, nil},
		{"userId", `"007"`, nil},
		{"userId", `"\u0031"`, nil},
		{"userId", "0", userID},
		{"userId", "-0", userID},
		{"userId", "-1", userID},
		{"userId", "100001", userID},
		{"userId", "99999999999999999999999999", userID},
		{"userId", "1.0", userID},
		{"userId", "1e3", userID},
		{"userId", `""`, userID},
		{"userId", `"0"`, userID},
		{"userId", `"+1"`, userID},
		{"userId", `" 1"`, userID},
		{"userId", `"1.5"`, userID},
		{"userId", `"١"`, userID}, // a digit, but not one of ours
		{"userId", "true", userID},
		{"userId", "[1]", userID},
		{"userId", "{}", userID},
		{"userId", "", []string{"userId is missing"}},
		{"userId", "null", []string{"userId is missing"}},

		{"username", `"abc"`, nil},
		{"username", `"12345678901234567890"`, nil},
		{"username", `"az09AZ"`, nil},
		{"username", `"Zo\u0065"`, nil},
		{"username", `"Zoë42"`, username},
		{"username", `"Zo\u00eb"`, username},
		{"username", `"\u65e5\u672c\u8a9e"`, username},
		{"username", `"٠١٢"`, username},
		{"username", `"abc/"`, username},
		{"username", `"abc:"`, username},
		{"username", `"abc@"`, username},
		{"username", `"abc["`, username},
		{"username", "\"abc`\"", username},
		{"username", `"abc{"`, username},
		{"username", `"ab"`, username},
		{"username", `"123456789012345678901"`, username},
		{"username", `"日本"`, username},
		{"username", `"a b c"`, username},
		{"username", `"a_b_c"`, username},
		{"username", `"abc\n"`, username},
		{"username", `""`, username},
		{"username", "123", username},
		{"username", "", []string{"username is missing"}},
		{"username", "null", []string{"username is missing"}},

		{"message", `"x"`, nil},
		{"message", `" "`, nil},
		{"message", `"` + strings.Repeat("x", 500) + `"`, nil},
		{"message", `"` + strings.Repeat("😀", 500) + `"`, nil},
		{"message", `"` + strings.Repeat(`\ud83d\ude00`, 500) + `"`, nil},
		{"message", `"` + strings.Repeat("x", 501) + `"`, text},
		{"message", `"` + strings.Repeat("😀", 501) + `"`, text},
		{"message", `"` + strings.Repeat("x", 5000) + `"`, text},
		{"message", `""`, text},
		{"message", "1", text},
		{"message", "", []string{"message is missing"}},

		{"timestamp", `"2025-01-31T12:00:00.123456789Z"`, nil},
		{"timestamp", `"2025-01-31T12:00:00.1+05:30"`, nil},
		{"timestamp", `"2024-02-29T00:00:00-00:00"`, nil},
		{"timestamp", `"2025-02-29T00:00:00Z"`, timestamp},
		{"timestamp", `"2025-01-31T24:00:00Z"`, timestamp},
		{"timestamp", `"2025-01-31T12:00:00"`, timestamp},
		{"timestamp", `"2025-01-31 12:00:00Z"`, timestamp},
		{"timestamp", `"2025-01-31"`, timestamp},
		{"timestamp", `"now"`, timestamp},
		{"timestamp", `""`, timestamp},
		{"timestamp", "1738324800", timestamp},
		{"timestamp", "", []string{"timestamp is missing"}},

		{"messageType", `"text"`, nil},
		{"messageType", `"Join"`, nil},
		{"messageType", `"lEAVE"`, nil},
		{"messageType", `"TEXT "`, kind},
		{"messageType", `"QUIT"`, kind},
		{"messageType", `""`, kind},
		{"messageType", "1", kind},
		{"messageType", "", []string{"messageType is missing"}},

		{"messageId", `"x"`, nil},
		{"messageId", "17", nil},
		{"messageId", "-1.5e3", nil},
		{"messageId", "null", nil},
		{"messageId", "{}", id},
		{"messageId", "true", id},
	} {
		message := with(test.field, test.value)
		if diff := cmp.Diff(test.want, errorsOf(t, message)); diff != "" {
			t.Errorf("%s:\n%s", message, diff)
		}
	}
}

// FuzzRead holds the decoder against encoding/json and a slow reading of the rules.
func FuzzRead(f *testing.F) {
	for _, s := range []string{with("", ""), with("messageId", `"x"`), "{}", "[]", "", `{"userId":"1","userId":null}`,
		with("message", `"\ud83d\ude00\n"`), with("username",
			`"Zo\u00eb"`), `{"\u0075serId":1}`, `{"a":[{"b":1e9}]} `} {
		f.Add([]byte(s))
	}
	var ds decoders
	f.Fuzz(func(t *testing.T, data []byte) {
		d := ds.get()
		defer ds.put(d)
		m := d.read(data)
		checkReply(t, &m)
		if m.broken.has(ruleJSON) {
			if json.Valid(data) && utf8.Valid(data) && !bytes.Contains(data, []byte(`\`)) {
				t.Errorf("%q is JSON, but: %s", data, m.syntax)
			}
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
			if !m.broken.has(ruleObject) {
				t.Fatalf("%q is not an object", data)
			}
			return
		}
		if got, want := m.object, bytes.Trim(data, " \t\r\n"); !bytes.Equal(got, want) {
			t.Errorf("object %q, want %q", got, want)
		}
		if got, want := m.missing|m.broken, slowly(fields); got != want {
			t.Errorf("%q breaks %b, want %b", data, got, want)
		}
	})
}

// checkReply makes the reply to a message and checks that it is JSON and answers it.
func checkReply(t *testing.T, m *message) {
	t.Helper()
	r := reply{buf: make([]byte, headerRoom)}
	if m.valid() {
		r.echo(m, time.Unix(1, 0), &stamps{})
	} else {
		r.refuse(m, time.Unix(1, 0), &stamps{})
	}
	var got struct {
		MessageID       json.RawMessage `json:"messageId"`
		OriginalMessage json.RawMessage `json:"originalMessage"`
	}
	if err := json.Unmarshal(r.payload(), &got); err != nil {
		t.Fatalf("%v in the reply %q", err, r.payload())
	}
	if !bytes.Equal(got.MessageID, m.id) {
		t.Errorf("the reply is to %q, the message was %q", got.MessageID, m.id)
	}
	if m.valid() && !bytes.Equal(got.OriginalMessage, m.object) {
		t.Errorf("the reply returns %q of %q", got.OriginalMessage, m.object)
	}
	r.spoil()
	if json.Valid(r.payload()) {
		t.Errorf("the spoilt reply is JSON: %q", r.payload())
	}
}

var (
	slowDigits   = regexp.MustCompile(`^[0-9]+$`)
	slowUsername = regexp.MustCompile(`^[A-Za-z0-9]{3,20}$`)
	slowType     = regexp.MustCompile(`^(?i:text|join|leave)$`)
)

// slowly applies the rules as the documents say them.
func slowly(fields map[string]json.RawMessage) (broken ruleSet) {
	text := func(name string) (string, bool) {
		var s *string
		err := json.Unmarshal(fields[name], &s)
		if err != nil || s == nil {
			return "", false
		}
		return *s, true
	}
	fail := func(r rule) { broken = broken.with(r) }
	id, isText := text("userId")
	if !isText {
		id = string(fields["userId"])
	}
	if n, err := strconv.ParseInt(id, 10, 64); !slowDigits.MatchString(id) || err != nil || n < 1 || n > 100000 {
		fail(ruleUserID)
	}
	if s, ok := text("username"); !ok || !slowUsername.MatchString(s) {
		fail(ruleUsername)
	}
	if s, ok := text("message"); !ok || utf8.RuneCountInString(s) < 1 || utf8.RuneCountInString(s) > 500 {
		fail(ruleMessage)
	}
	if s, ok := text("messageType"); !ok || !slowType.MatchString(s) || strings.ContainsRune(s, 'ſ') {
		fail(ruleMessageType)
	}
	s, ok := text("timestamp")
	var stamp time.Time
	if quoted, _ := json.Marshal(s); !ok || json.Unmarshal(quoted, &stamp) != nil {
		fail(ruleTimestamp)
	}
	if raw := fields["messageId"]; raw != nil && string(raw) != "null" {
		var number json.Number
		if _, ok := text("messageId"); !ok && json.Unmarshal(raw, &number) != nil {
			fail(ruleMessageID)
		}
	}
	return broken
}

func BenchmarkRead(b *testing.B) {
	data := []byte(with("messageId", `"00000000-0000-002a-0000-00000000b1c7"`))
	var ds decoders
	b.ReportAllocs()
	for b.Loop() {
		d := ds.get()
		if m := d.read(data); !m.valid() {
			b.Fatal("invalid")
		}
		ds.put(d)
	}
}
