package template

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ofMessages(t testing.TB) *Known {
	t.Helper()
	known := &Known{Of: OfMessage, Columns: names.Columns, Kept: names.Kept, Env: names.Env}
	for _, d := range [][2]string{{"user", "${int 1 100000}"}, {"word", "${pick a|\"b\"} ${seq}"}, {"channel", "room:${room}"}} {
		draw, err := NewDraw(d[0], d[1], known)
		if err != nil {
			t.Fatal(err)
		}
		known.Draws = append(known.Draws, draw)
	}
	return known
}

func valuesOfMessages() *Values {
	v := values()
	v.Room, v.ID, v.Mark, v.Stamps = 12, 345, []byte("0a1b2c3d-41-3.345"), &Stamps{}
	return v
}

func TestMessagePlaceholders(t *testing.T) {
	known := ofMessages(t)
	for _, c := range []struct {
		at         Place
		text, want string
	}{
		{JSON, `42${id}["m",{"id":"${mark}","n":${id 16},"r":"${room}","m":${mark}}]`, ""},
		{JSON, `42${id}["m",{"id":"${mark}","r":"${room}","n":${room},"m":${mark}}]`,
			`42345["m",{"id":"0a1b2c3d-41-3.345","r":"12","n":12,"m":"0a1b2c3d-41-3.345"}]`},
		{JSON, `{"a":"${channel}","b":${channel}}`, `{"a":"room:12","b":"room:12"}`},
		{Raw, "${now rfc3339_us} ${now}", "2026-03-04T04:06:07.089000Z 2026-03-04T04:06:07.089Z"},
		{STOMP, "SEND\r\ndestination:/t/${csv.user}\nx:${token}\n\n{\"a\":\"${token}\",\"b\":${csv.city}}",
			"SEND\r\ndestination:/t/ann/é \"x\"\nx:a&b=c\\r\\nX\\c y\n\n{\"a\":\"a&b=c\\r\\nX: y\",\"b\":12}"},
		{STOMP, "CONNECT\nlogin:${token}\n\n", "CONNECT\nlogin:a&b=c  X: y\n\n"},
		{STOMP, "\nSEND\na:\"b\n\n ${token}{\"${token}\"}", "\nSEND\na:\"b\n\n a&b=c\r\nX: y{\"a&b=c\r\nX: y\"}"},
		{STOMP, "SEND\n${cart}\n\n\n[${csv.user}]", "SEND\n9\n\n\n[\"ann/é \\\"x\\\"\"]"},
		{STOMP, "SEND\n${cart}\nb:${token}\n\n", "SEND\n9\nb:a&b=c\\r\\nX\\c y\n\n"},
		{STOMP, "SEND\na:\"b\n\n \t\r\n{\"x\":\"${token}\",\"y\":${csv.user}}",
			"SEND\na:\"b\n\n \t\r\n{\"x\":\"a&b=c\\r\\nX: y\",\"y\":\"ann/é \\\"x\\\"\"}"},
		{STOMP, "\r\n\nCONNECT\r\nlogin:${token}\n\n", "\r\n\nCONNECT\r\nlogin:a&b=c  X: y\n\n"},
		{STOMP, "S\na:${token}\n\n!{\"${token}\"}", "S\na:a&b=c\\r\\nX\\c y\n\n!{\"a&b=c\r\nX: y\"}"},
		{STOMP, "SEND\n\n[\"a\",\n\n\"${token}\",{\n\n${token}", "SEND\n\n[\"a\",\n\n\"a&b=c\\r\\nX: y\",{\n\n\"a&b=c\\r\\nX: y\""},
		{JSON, "${id 53}", "345"}, {JSON, "${id 8}", "345"},
		{STOMP, "SEND\na:${env.KEY}\n\n", "SEND\na:s3 cret\n\n"},
	} {
		got, err := Compile(c.text, c.at, known)
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "different numbers of bits") {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := string(got.Append(nil, valuesOfMessages())); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	v := &Values{Kept: [][]byte{[]byte("a\x00:\\")}}
	for text, want := range map[string]string{"SEND\na:${token}\n\n": "SEND\na:a \\c\\\\\n\n", "SEND\n\n${token}": "SEND\n\na :\\"} {
		c, err := Compile(text, STOMP, known)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.Append(nil, v)); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	known := ofMessages(t)
	for _, c := range []struct{ text, head, tail string }{
		{`["${user}","${uuid}","${mark}","${int 1 9999}","${now}"]`, "", ""},
		{"a", "a", ""},
		{"", "", ""},
		{"${seq}b", "41b", ""},
		{"${id}a", "", "345a"},
		{"a${csv.city}b${now unix}c", "a12b", "1772597167c"},
		{"a${now rfc3339_us}c", "a", "2026-03-04T04:06:07.089000Zc"},
		{"a${now}", "a", "2026-03-04T04:06:07.089Z"},
		{"a${cart}", "a", "9"}, // what the connection keeps is another on the next one
		{"a${room}${channel}${client}${id}b${seq}", "a12room:123", "345b41"},
	} {
		whole, err := Compile(c.text, Raw, known)
		if err != nil {
			t.Fatal(err)
		}
		head, tail := whole.Split()
		v := valuesOfMessages()
		first := string(head.Append(nil, v))
		second := string(tail.Append(nil, v))
		if all := string(whole.Append(nil, v)); first+second != all {
			t.Errorf("%q: %q and %q, the whole is %q", c.text, first, second, all)
		}
		if c.head+c.tail != "" && (first != c.head || second != c.tail) {
			t.Errorf("%q is split into %q and %q", c.text, first, second)
		}
		v.ID, v.Mark, v.Now, v.Kept = 9, []byte("another"), time.Unix(0, 0), nil
		if again := string(head.Append(nil, v)); again != first {
			t.Errorf("%q: the head %q of another attempt is %q", c.text, first, again)
		}
	}
}

func TestMessageProperties(t *testing.T) {
	known := ofMessages(t)
	for text, want := range map[string]string{
		"": "0 false false false", "${id}": "0 true false false", "${id 16}${id 16}": "16 true false false",
		"${mark}": "0 false true false", "${room}": "0 false false true", "${channel}": "0 false false true",
	} {
		c, err := Compile(text, Raw, known)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.IDBits(), c.UsesID(), c.UsesMark(), c.UsesRoom()); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestUnknownPlaceholdersAreRefused(t *testing.T) {
	for _, c := range []struct {
		of         Of
		text, want string
	}{
		{OfRequest, "${room}", `unknown placeholder "room"; known placeholders: token, cart, id, seq, client, now, uuid, ` +
			"int, pick, text, csv.NAME, env.NAME"},
		{OfMessage, "${rom}", `unknown placeholder "rom"; did you mean room? Known placeholders: token, cart, id, seq, client, ` +
			"now, uuid, int, pick, text, csv.NAME, env.NAME, mark, room"},
		{OfMessage, "${id 7}", "id takes a number of bits from 8 to 53; for example ${id 16} for a number from 1 to " +
			"65535, or ${id} for an unlimited one"},
		{OfMessage, "${id 54}", ""},
		{OfMessage, "${id x}", ""},
		{OfMessage, "${id 8 8}", ""},
		{OfMessage, "${mark 8}", "mark takes no arguments; write ${mark}"},
		{OfMessage, "${id 8}${id 9}", "${id} is used with different numbers of bits in one message; use the same number " +
			"of bits everywhere"},
		{OfConnection, "${id}", "this placeholder can be used only in messages; write a constant here"},
		{OfConnection, "${mark}", ""},
		{OfConnection, "${seq}", ""},
		{OfConnection, "${x}", `unknown placeholder "x"; known placeholders: token, cart, client, now, uuid, int, pick, text, ` +
			"csv.NAME, env.NAME, room"},
		{OfDraw, "${id}", "${seq} and ${id} cannot be used here: they differ between attempts; write it in the message " +
			"itself"},
		{OfDraw, "${now}", "${now} cannot be used here: it differs between attempts; write ${now} in the message itself"},
		{OfDraw, "${token}", `unknown placeholder "token"; known placeholders: seq, client, uuid, int, pick, text, csv.NAME, ` +
			"env.NAME, room"},
	} {
		known := &Known{Of: c.of, Columns: names.Columns, Kept: names.Kept}
		_, err := Compile(c.text, Raw, known)
		if c.of == OfDraw {
			_, err = NewDraw("x", c.text, known)
		}
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := wrong.Why + "; " + wrong.Hint; c.want != "" && got != c.want {
			t.Errorf("%q: %s", c.text, cmp.Diff(c.want, got))
		}
	}
}

// TestNewDraw: where it stands, how long it is at least, and that of the table.
func TestNewDraw(t *testing.T) {
	known := &Known{Of: OfMessage, Columns: names.Columns}
	for _, d := range [][2]string{{"a", "${csv.user}"}, {"b", "xy${text 5}"}, {"c", ""}, {"d", "z"}} {
		draw, err := NewDraw(d[0], d[1], known)
		if err != nil || draw.Columns() != (d[0] == "a") {
			t.Fatalf("%s: %v, a column: %v", d[0], err, draw.Columns())
		}
		known.Draws = append(known.Draws, draw)
	}
	for text, want := range map[string]struct {
		uses    string
		least   int
		columns bool
	}{
		"": {"", 0, false}, "${a}": {"a", 0, true}, "-${b}-${text 3}": {"b", 12, false}, "${c}${d}": {"cd", 1, false}, "abc": {"", 3, false},
	} {
		c, err := Compile(text, Raw, known)
		if err != nil {
			t.Fatal(err)
		}
		uses := ""
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if c.UsesDraw(name) {
				uses += name
			}
		}
		if uses != want.uses || c.Least() != want.least || c.Columns() != want.columns {
			t.Errorf("%q uses %q, has %d bytes, a column: %v; want %v", text, uses, c.Least(), c.Columns(), want)
		}
		if got := len(c.Append(nil, &Values{})); got < want.least {
			t.Errorf("%q has %d bytes", text, got)
		}
	}
}

// TestStampsAgreeWithTimeFormat: in every year that has four digits, and in those that have not.
func TestStampsAgreeWithTimeFormat(t *testing.T) {
	var kept Stamps
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.FixedZone("", -7200)), time.Unix(-1, 1),
		time.Date(9999, 12, 31, 23, 59, 59, 5e8, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<40, 0),
		time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(7000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1_800_000_000, 123_456_789),
	} {
		for digits, form := range map[int]string{3: "2006-01-02T15:04:05.000Z", 6: "2006-01-02T15:04:05.000000Z"} {
			want := at.UTC().Format(form)
			if got := string((*Stamps)(nil).append(nil, at, digits)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			for range 2 {
				if got := string(kept.append(nil, at, digits)); got != want {
					t.Errorf("%s of those kept, want %s", got, want)
				}
				at, want = at.Add(time.Nanosecond), at.Add(time.Nanosecond).UTC().Format(form)
			}
		}
	}
}

const message = `{"userId":"${user}","username":"user${user}","message":"${pick a|b|c|d}","roomId":"${room}",` +
	`"messageType":"TEXT","messageId":"${mark}","timestamp":"${now rfc3339_us}"}`

func TestMessageDoesNotAllocate(t *testing.T) {
	c, err := Compile(message, JSON, ofMessages(t))
	if err != nil {
		t.Fatal(err)
	}
	head, tail := c.Split()
	v, b := valuesOfMessages(), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { v.Index++; b = tail.Append(head.Append(b[:0], v), v) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMessage(b *testing.B) {
	c, err := Compile(message, JSON, ofMessages(b))
	if err != nil {
		b.Fatal(err)
	}
	head, tail := c.Split()
	v, buf := valuesOfMessages(), make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		v.Index++
		v.Now = v.Now.Add(time.Microsecond)
		buf = tail.Append(head.Append(buf[:0], v), v)
	}
}
