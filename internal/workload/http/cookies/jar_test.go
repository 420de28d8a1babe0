package cookies_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/http/cookies"
)

// set returns the Cookie header for a path after these Set-Cookie headers of a response to a request for /a/set.
func set(host, path string, lines ...string) string {
	j := cookies.New(host, false)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, line := range lines {
		j.Set([]byte(line), "/a/set", now)
	}
	return string(j.Append(nil, path, now, nil, true, nil))
}

// cases are Set-Cookie headers on which browsers and curl agree, and what is sent back to /a/show.
var cases = []struct {
	name  string
	lines []string
	want  string
}{
	{"values", []string{`q="quoted"`, `j={"a":1}`, "uni=é", "latin=\xe9", `bs=a\b`, "sp = a  b ", "empty=", "eq=a=b=", "comma=a,b"},
		`q="quoted"; j={"a":1}; uni=é; latin=` + "\xe9" + `; bs=a\b; sp=a  b; empty=; eq=a=b=; comma=a,b`},
	{"names", []string{"a b=1", "[x]=2", "é=3", `"n"=4`, "=5"}, `a b=1; [x]=2; é=3; "n"=4`},
	{"replaced in place", []string{"a=1", "b=2", "a=3; Path=/a"}, "a=3; b=2"},
	{"deleted", []string{"a=1", "b=2", "c=3", "a=x; Max-Age=0", "b=x; Expires=Thu, 01-Jan-1970 00:00:10 GMT", "c=x; max-age=-1"}, ""},
	{"max-age wins", []string{"a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "b=2; Expires=Fri, 01 Jan 2038 00:00:10 GMT; Max-Age=0"}, "a=1"},
	{"dates", []string{
		"a=1; Expires=Wed, 09 Jun 2038 10:18:14 GMT", "b=2; Expires=Wednesday, 09-Jun-38 10:18:14 GMT",
		"c=3; Expires=Wed Jun  9 10:18:14 2038", "d=4; expires=", "e=5; Expires=never",
		"f=6; Expires=Wed, 09 Jun 2021 10:18:14 GMT", "g=7; Expires=Wed Jun  9 10:18:14 2021", "h=8; expires=Tue, 9-Jun-21 1:2:3 GMT",
	}, "a=1; b=2; c=3; d=4; e=5"},
	{"domains", []string{"a=1; Domain=app.example.com", "b=2; Domain=.example.com", "c=3; Domain=EXAMPLE.com", "d=4; Domain=other.com",
		"e=5; Domain=com", "f=6; Domain=b.app.example.com", "g=7; Domain=", "h=8; Domain=xample.com"}, "a=1; b=2; c=3; g=7"},
	{"paths", []string{"a=1; Path=/", "b=2; Path=/a/", "c=3; Path=/a/show", "d=4; Path=/b", "e=5; Path=", "f=6; Path=a", "g=7; Path=/a/sh", "h=8"},
		"c=3; b=2; e=5; f=6; h=8; a=1"},
	{"secure", []string{"a=1; Secure", "b=2; HttpOnly; SameSite=Strict", "__Host-c=3; Path=/", "__Secure-d=4"}, "b=2"},
	{"unknown attributes", []string{"a=1; Priority=High; ;; Partitioned; b=2"}, "a=1"},
}

func TestJarSendsCookiesBackByteForByte(t *testing.T) {
	for _, c := range cases {
		if got := set("app.example.com", "/a/show", c.lines...); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestJarFollowsTheRFCWhereCurlDoesNot: names differ by case, a Max-Age that is no number is ignored, and years have two
// digits or four.
func TestJarFollowsTheRFCWhereCurlDoesNot(t *testing.T) {
	got := set("localhost", "/a/show", "a=1", "A=2", "b=3; Max-Age=x", "c=4; Expires=Thu, 01-Jan-70 00:00:10 GMT",
		"d=5; Expires=Fri, 30 Feb 2024 00:00:10 GMT", "e=6; Expires=Thu, 1 Jan 99999 0:0:10 GMT", "f=7; Secure; Domain=localhost")
	if want := "a=1; A=2; b=3; d=5; e=6; f=7"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestJarRefusesWithAReason(t *testing.T) {
	for line, want := range map[string]string{
		"a=1; Domain=other.com":              "its Domain does not match the host",
		"a=1; Domain=uk":                     "its Domain is a public suffix",
		"a=1; Domain=co.uk":                  "its Domain is a public suffix",
		"a=1; Secure":                        "it is Secure, but the connection is not",
		"__Host-a=1; Path=/":                 "it lacks the attributes that its name prefix requires",
		"a=" + strings.Repeat("x", 4<<10):    "name and value are longer than 4,096 bytes",
		"a=" + strings.Repeat("x", 4<<10-1):  "",
		"no pair; a=1":                       "",
		"a=\x01":                             "",
		"a=1; Domain=example.co.uk; Path=/b": "",
	} {
		_, got := cookies.New("app.example.co.uk", false).Set([]byte(line), "/", time.Now())
		if got != want {
			t.Errorf("%.40s: %q, want %q", line, got, want)
		}
	}
}

// TestJarForgetsTheLeastUsed: a service that sets ever more cookies fills no memory, and costs no session.
func TestJarForgetsTheLeastUsed(t *testing.T) {
	j, now := cookies.New("localhost", false), time.Now()
	j.Set([]byte("session=1; Path=/"), "/", now)
	for i := range 1000 {
		j.Set(fmt.Appendf(nil, "c%d=%s; Path=/%d", i, strings.Repeat("x", i), i), "/", now)
		if got := string(j.Append(nil, "/", now, nil, true, nil)); got != "session=1" {
			t.Fatalf("after %d cookies: %s", i, got)
		}
	}
	if n := j.Len(); n < 50 || n > 180 {
		t.Errorf("the jar has %d cookies", n)
	}
}

func TestJarDropsWhatExpires(t *testing.T) {
	j, now := cookies.New("localhost", false), time.Now()
	j.Set([]byte("a=1; Max-Age=60"), "/", now)
	j.Set([]byte("b=2"), "/", now)
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{59 * time.Second, "a=1; b=2"}, {60 * time.Second, "b=2"}} {
		if got := string(j.Append(nil, "/", now.Add(c.after), nil, true, nil)); got != c.want {
			t.Errorf("after %v: %s, want %s", c.after, got, c.want)
		}
	}
}

// TestMerge: recorded cookies give way to those that were set or removed since, and written ones do not.
func TestMerge(t *testing.T) {
	j, now := cookies.New("localhost", false), time.Now()
	for _, line := range []string{"session=new; Path=/", "gone=; Max-Age=0", "admin=1; Path=/admin", "lang=de; Path=/"} {
		j.Set([]byte(line), "/", now)
	}
	const own = "session=old; theme=dark;gone=1; admin=0"
	var replaced []string
	got := string(j.Append(nil, "/", now, []byte(own), false, func(name []byte) { replaced = append(replaced, string(name)) }))
	if want := "theme=dark; admin=0; session=new; lang=de"; got != want || !slices.Equal(replaced, []string{"session", "gone"}) {
		t.Errorf("recorded: %s, replaced %v, want %s", got, replaced, want)
	}
	if got, want := string(j.Append(nil, "/", now, []byte(own), true, nil)), own+"; lang=de"; got != want {
		t.Errorf("written: %s, want %s", got, want)
	}
}

// TestJarAgreesWithCurl holds the cases against a client of the same rules that is not ours.
func TestJarAgreesWithCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	for _, c := range cases {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a/set" {
				w.Header()["Set-Cookie"] = c.lines
				return
			}
			_, _ = fmt.Fprint(w, r.Header.Get("Cookie"))
		}))
		address := strings.TrimPrefix(server.URL, "http://")
		_, port, _ := strings.Cut(address, ":")
		url := "http://app.example.com:" + port
		got, err := exec.Command(curl, "-sS", "--noproxy", "*", "--resolve", "app.example.com:"+port+":127.0.0.1",
			"-b", "", url+"/a/set", url+"/a/show").Output()
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		// curl sorts those of one path by their lengths.
		sorted := func(s string) []string { return slices.Sorted(strings.SplitSeq(s, "; ")) }
		if !slices.Equal(sorted(string(got)), sorted(c.want)) {
			t.Errorf("%s: curl sends  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// FuzzSet: whatever a service sets, nothing panics, and what is sent back is one line of pairs.
func FuzzSet(f *testing.F) {
	for _, c := range cases {
		f.Add(c.lines[0], "/a/b")
	}
	f.Fuzz(func(t *testing.T, line, path string) {
		j, now := cookies.New("app.example.com", true), time.Now()
		name, refused := j.Set([]byte(line), path, now)
		got := string(j.Append(nil, path, now, nil, true, nil))
		if refused != "" && (name == "" || got != "") || strings.ContainsAny(got, "\r\n;") || got != "" && j.Len() != 1 {
			t.Errorf("%q: refused %q, sends %q", line, refused, got)
		}
	})
}
