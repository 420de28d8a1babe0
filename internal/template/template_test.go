package template

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

var names = &Known{
	Columns: []string{"user", "city"}, Kept: []string{"token", "cart"},
	Env: func(name string) (string, bool) {
		v, ok := map[string]string{"KEY": "s3 cret", "BASE": "http://localhost:8080"}[name]
		return v, ok
	},
}

func values() *Values {
	return &Values{
		Seed: 7, Index: 41, Client: 3, Now: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.FixedZone("", 3600)),
		Row: []string{"ann/é \"x\"", "12"}, Kept: [][]byte{[]byte("a&b=c\r\nX: y"), []byte("9")},
	}
}

func render(t *testing.T, text string, at Place, v *Values) string {
	t.Helper()
	c, err := Compile(text, at, names)
	if err != nil {
		t.Fatal(err)
	}
	return string(c.Append([]byte("before:"), v))[len("before:"):]
}

func TestValuesAreEscapedForTheirPlace(t *testing.T) {
	for _, c := range []struct {
		at         Place
		text, want string
	}{
		{Raw, "${csv.user} ${token}", "ann/é \"x\" a&b=c\r\nX: y"},
		{Raw, "$${id} $ $$ {} ${seq}", "${id} $ $$ {} 41"},
		{Raw, "", ""},
		{URL, "http://h/u/${csv.user}?t=${token}#${client}", "http://h/u/ann%2F%C3%A9%20%22x%22?t=a%26b%3Dc%0D%0AX%3A%20y#3"},
		{URL, "/u/${csv.user raw}", "/u/ann/%C3%A9%20%22x%22"},
		{URL, "${env.BASE}/x?k=${env.KEY}", "http://localhost:8080/x?k=s3%20cret"},
		{Header, "Bearer ${token}", "Bearer a&b=c  X: y"},
		{JSON, `{"u":"${csv.user}","n":${csv.city},"t":${token},"e":"\"${cart}\""}`,
			`{"u":"ann/é \"x\"","n":12,"t":"a&b=c\r\nX: y","e":"\"9\""}`},
		{JSON, `[${now unix}, ${now}, "${now}"]`, `[1772597167, "2026-03-04T04:06:07.089Z", "2026-03-04T04:06:07.089Z"]`},
		{JSON, `${csv.user raw}`, "ann/é \"x\""},
		{Form, "u=${csv.user}&t=${token}", "u=ann%2F%C3%A9+%22x%22&t=a%26b%3Dc%0D%0AX%3A+y"},
		{Raw, "${now unix_ms} ${now unix_us} ${now unix_ns}", "1772597167089 1772597167089000 1772597167089000000"},
		{Raw, "${now http}", "Wed, 04 Mar 2026 04:06:07 GMT"},
		{Raw, "${int 5 5}${text 0}|${pick x|x}", "5|x"},
	} {
		if got := render(t, c.text, c.at, values()); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestDraws: ids are never twice there, identifiers are of version 4, and numbers come from the whole of their span.
func TestDraws(t *testing.T) {
	v4 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	ids, numbers, wide := map[string]bool{}, map[string]int{}, 0
	c, err := Compile("${id} ${uuid} ${int -2 2} ${int -9223372036854775808 9223372036854775807} ${text 30}", Raw, names)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5000) {
		got := strings.SplitN(string(c.Append(nil, &Values{Seed: 1, Index: i})), " ", 5)
		if len(got[0]) != 16 || ids[got[0]] {
			t.Fatalf("operation %d has the id %q", i, got[0])
		}
		ids[got[0]] = true
		if !v4.MatchString(got[1]) {
			t.Fatalf("%q is no UUID of version 4", got[1])
		}
		numbers[got[2]]++
		if strings.HasPrefix(got[3], "-") {
			wide++
		}
		if len(got[4]) != 30 || strings.Trim(got[4], "abcdefghijklmnopqrstuvwxyz ") != "" {
			t.Fatalf("%q are no 30 letters", got[4])
		}
	}
	if len(numbers) != 5 {
		t.Errorf("numbers of -2 to 2: %v", numbers)
	}
	for n, times := range numbers {
		if times < 850 || times > 1150 { // 1,000 ± 5 standard deviations
			t.Errorf("%s came %d times of 5,000", n, times)
		}
	}
	if wide < 2300 || wide > 2700 {
		t.Errorf("%d of 5,000 numbers of 64 bits are negative", wide)
	}
}

func TestInvalidTemplatesAreRefused(t *testing.T) {
	for _, c := range []struct {
		at              Place
		text, wrong, in string // in the message or the hint
	}{
		{Raw, "a ${id", "${id", "a } is missing"},
		{Raw, "a ${} b", "${}", "empty"},
		{Raw, "a ${uid} b", "${uid}", "uuid"},
		{Raw, "${tokn}", "${tokn}", "did you mean token"},
		{Raw, "${id 3}", "${id 3}", "takes no arguments"},
		{Raw, "${token 3}", "${token 3}", "takes no arguments"},
		{Raw, "${int 5}", "${int 5}", "the highest"},
		{Raw, "${int 5 4}", "${int 5 4}", "above"},
		{Raw, "${int a 4}", "${int a 4}", "the highest"},
		{Raw, "${text}", "${text}", "number of characters"},
		{Raw, "${text -1}", "${text -1}", "number of characters"},
		{Raw, "${text 99999999999}", "${text 99999999999}", "at most"},
		{Raw, "${pick a}", "${pick a}", "|"},
		{Raw, "${now yesterday}", "${now yesterday}", "rfc3339"},
		{Raw, "${now unix unix}", "${now unix unix}", "rfc3339"},
		{Raw, "${csv.town}", "${csv.town}", "user, city"},
		{Raw, "${env.NONE}", "${env.NONE}", "export NONE"},
		{URL, "http://${csv.city}/", "${csv.city}", "the host cannot contain"},
		{URL, "http://h:${int 1 2}/", "${int 1 2}", "the host cannot contain"},
		{URL, "${csv.city}", "${csv.city}", "the host cannot contain"},
	} {
		_, err := Compile(c.text, c.at, names)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := c.text[wrong.At:wrong.To]; got != c.wrong || !strings.Contains(wrong.Error()+wrong.Hint, c.in) {
			t.Errorf("%q: %q is wrong: %v; %s", c.text, got, wrong, wrong.Hint)
		}
		if strings.Contains(wrong.Error(), "\n") {
			t.Errorf("%q: more than one line: %q", c.text, wrong)
		}
	}
	if _, err := Compile("${csv.a}", Raw, &Known{}); err == nil || !strings.Contains(err.Error(), "no CSV file") {
		t.Errorf("a column without a table: %v", err)
	}
}

// TestTimeIsRenderedEachTime: the patched text is the one that was rendered for the other time.
func TestTimeIsRenderedEachTime(t *testing.T) {
	const all = "${now} ${now unix} ${now unix_ms} ${now unix_us} ${now unix_ns} ${now http} ${now rfc3339_us} ${int 1 9}"
	for _, at := range []Place{Raw, Header, Form, JSON} {
		c, err := Compile(all, at, names)
		if err != nil {
			t.Fatal(err)
		}
		v, patches := values(), []Patch{}
		v.Patches = &patches
		got := c.Append(nil, v)
		later := v.Now.Add(987654321 * time.Microsecond)
		for _, p := range patches {
			p.Write(got, later)
		}
		v.Now, v.Patches = later, nil
		if want := string(c.Append(nil, v)); string(got) != want || len(patches) != 7 {
			t.Errorf("%d patches:\n got %s\nwant %s", len(patches), got, want)
		}
		before := string(got)
		for _, p := range patches {
			p.Write(got, time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC))
		}
		if len(got) != len(before) {
			t.Error("a time that does not fit changed the length")
		}
	}
}

func TestTemplateProperties(t *testing.T) {
	for _, c := range []struct {
		text             string
		constant, secret bool
		kept             int
	}{
		{"abc", true, false, 0}, {"", true, false, 0}, {"$${x}", true, false, 0}, {"${env.KEY}", true, true, 0},
		{"${id}", false, false, 0}, {"a${cart}${token}${cart}", false, false, 2},
	} {
		got, err := Compile(c.text, Raw, names)
		if err != nil {
			t.Fatal(err)
		}
		if got.Constant() != c.constant || got.Secret() != c.secret || len(got.Kept()) != c.kept || got.String() != c.text {
			t.Errorf("%q: constant %v, secret %v, kept %v, shown as %q", c.text, got.Constant(), got.Secret(), got.Kept(), got)
		}
	}
}

// FuzzEscape: whatever a value is, it comes back as it was from where it stood, and nothing around it has changed.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a b", "\x00\x1f\"\\/é\u2028", "1.5", "-", "null", "[1]", " 1", "1 ", "a&b=c+%41", "\xff\xfe", "\"x\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		v := &Values{Kept: [][]byte{value}}
		u, err := url.Parse(render(t, "http://h/a/${token}/b?x=${token}&y=1#${token}", URL, v))
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Query(); u.Host != "h" || got.Get("x") != string(value) || got.Get("y") != "1" || len(got) != 2 ||
			u.Path != "/a/"+string(value)+"/b" || u.Fragment != string(value) {
			t.Errorf("%q became %q", value, u)
		}
		form, err := url.ParseQuery(render(t, "x=${token}&y=1", Form, v))
		if err != nil || form.Get("x") != string(value) || form.Get("y") != "1" || len(form) != 2 {
			t.Errorf("%q became the form %q: %v", value, form, err)
		}
		text := render(t, `{"x":"a${token}","y":${token},"z":1}`, JSON, v)
		var doc map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber() // 1E444 is a number, which no float64 has
		if err := d.Decode(&doc); err != nil || d.More() {
			t.Fatalf("%q became %q: %v", value, text, err)
		}
		utf8 := strings.ToValidUTF8(string(value), "\x00")
		if got := doc["x"].(string); !strings.Contains(utf8, "\x00") && got != "a"+utf8 || doc["z"] != json.Number("1") || len(doc) != 3 {
			t.Errorf("%q became %q", value, text)
		}
		if s, is := doc["y"].(string); is && !strings.Contains(utf8, "\x00") && s != utf8 {
			t.Errorf("%q became %q", value, text)
		}
		frame := render(t, "SEND\na:${token}\nb:c\n\n{\"x\":\"${token}\"}", STOMP, v)
		head, body, _ := strings.Cut(frame, "\n\n")
		lines := strings.Split(head, "\n")
		meant := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\c`, ":", `\\`, `\`).Replace(strings.TrimPrefix(lines[min(1, len(lines)-1)], "a:"))
		if len(lines) != 3 || lines[2] != "b:c" || meant != strings.ReplaceAll(string(value), "\x00", " ") ||
			!json.Valid([]byte(body)) || strings.Contains(frame, "\x00") || strings.ContainsAny(lines[1], "\r") {
			t.Errorf("%q became the frame %q", value, frame)
		}
		if h := render(t, "a ${token} b", Header, v); strings.ContainsAny(h, "\r\n\x00") || len(h) != len(value)+4 {
			t.Errorf("%q became the header %q", value, h)
		}
	})
}

// FuzzCompile: no text makes the compiler panic, and what is wrong lies within the text.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"${id}", "$${", "${", "http://${", "${int 1 2}", `{"a":"\${token}"}`, "${env.KEY}", "}{$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, at := range []Place{Raw, URL, Header, JSON, Form, STOMP} {
			c, err := Compile(text, at, names)
			var wrong *Error
			if errors.As(err, &wrong) {
				if wrong.At < 0 || wrong.To > len(text) || wrong.At >= wrong.To {
					t.Errorf("%q: %d to %d is wrong", text, wrong.At, wrong.To)
				}
				continue
			}
			c.Append(nil, values())
		}
	})
}

func TestRenderingDoesNotAllocate(t *testing.T) {
	c, err := Compile(sample, JSON, names)
	if err != nil {
		t.Fatal(err)
	}
	v, b := values(), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { v.Index++; b = c.Append(b[:0], v) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

const sample = `{"id":"${id}","user":"${csv.user}","n":${int 1 100000},"at":"${now}","token":"${token}","note":"${text 60}"}`

func BenchmarkAppend(b *testing.B) {
	for name, text := range map[string]string{
		"path": "/users/${int 1 100000}?at=${now unix}&client=${client}", "body": sample,
	} {
		b.Run(name, func(b *testing.B) {
			c, err := Compile(text, JSON, names)
			if err != nil {
				b.Fatal(err)
			}
			v, buf := values(), make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				v.Index++
				buf = c.Append(buf[:0], v)
			}
		})
	}
}
