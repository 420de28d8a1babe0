package http_test

import (
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
)

// TestFlagsThatAreRefused: each says which flag, what is wrong with it, and what to do.
func TestFlagsThatAreRefused(t *testing.T) {
	table := file(t, "t.csv", "a,b\n1,2\n")
	there := file(t, "there.yaml", "base: http://there:81\nrequests:\n - url: /\n")
	for _, c := range []struct {
		url   string
		flags map[string]string
		want  string
	}{
		{"http:///x", nil, "http:///x names no host"},
		{"localhost:8080", nil, "has no scheme"},
		{"http://h:99999/", nil, "its port is none from 1 to 65535"},
		{"http://h:0/", nil, "its port is none from 1 to 65535"},
		{"http://[::1/", nil, "missing ']' in host"},
		{"http://ann:secret@h/", nil, "has a user name"},
		{"http://${id}.example/", nil, "the same host for every request"},
		{"http://h/${idd}", nil, `there is no place of the name "idd"`},
		{"http://h/${id", nil, "a } is missing"},
		{"http://h/${}", nil, "the place is empty"},
		{"http://h/${int 5 1}", nil, "the lowest number 5 is above the highest 1"},
		{"http://h/${env.NO_SUCH_VARIABLE}", nil, "the environment has no variable"},
		{"http://h/${csv.a}", nil, `there is no table with a column "a"`},
		{"http://h/${csv.c}", map[string]string{"csv": table}, `the table has no column "c"`},
		{"http://h/", map[string]string{"csv": table}, "--csv: the request uses no column of "},
		{"http://h/", map[string]string{"csv": "/no/such.csv"}, "--csv: open /no/such.csv"},
		{"http://h/", map[string]string{"csv": "/"}, "--csv: "},
		{"http://h/", map[string]string{"requests": "/no/such.yaml"}, "--requests: open /no/such.yaml"},
		{"http://h/", map[string]string{"requests": table, "csv": table}, "--requests and a request by flags"},
		{"http://h/", map[string]string{"body": "@/no/such"}, "--body: open /no/such"},
		{"http:/h/", nil, `"http:/h/" is not a URL: it has no scheme`},
		{"http://h/", map[string]string{"method": "get"}, `"get" is no method of HTTP: they are in capitals`},
		{"http://h/", map[string]string{"requests": there}, "go to http://there:81, and the URL is http://h/"},
		{"https://there:81/", map[string]string{"requests": there}, "go to http://there:81, and the URL is https://there:81/"},
		{"http://h/", map[string]string{"method": "GE T"}, `"GE T" is no method of HTTP`},
		{"http://h/", map[string]string{"header": "X"}, "a header needs a colon"},
		{"http://h/", map[string]string{"header": "X: secret\r\nB: c"}, "the value of X holds a control character"},
		{"http://h/", map[string]string{"header": "A B: c"}, `"A B" is not the name of a header`},
		{"http://h/", map[string]string{"header": "Content-Length: 5"}, "Content-Length follows from the request"},
		{"http://h/", map[string]string{"check": "statsu 200"}, `begins with "statsu"`},
		{"http://h/", map[string]string{"check": "status abc"}, `"abc" is no status`},
		{"http://h/", map[string]string{"check": "json a > b"}, `"b" is no number`},
		{"http://h/", map[string]string{"check": "sha256 12"}, `"12" is no SHA-256`},
		{"http://h/", map[string]string{"check": "regexp (", "method": "GET"}, "missing closing )"},
		{"http://h/", map[string]string{"check": "text x", "method": "HEAD"}, "looks at the body of an answer to HEAD"},
		{"http://h/", map[string]string{"connect-to": "x"}, "--connect-to"},
		{"http://h/", map[string]string{"source-address": "x"}, "--source-address"},
		{"http://h/", map[string]string{"insecure": "true"}, "no meaning without TLS"},
		{"http://h/", map[string]string{"http2": "true", "rates": "all"}, "--rates all and --http2"},
		{"https://h/", map[string]string{"cert": table}, "--cert and --key need each other"},
	} {
		_, err := resolved(c.flags, c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.HintOf(err) == "" || fault.CodeOf(err) != fault.Usage ||
			strings.Contains(err.Error()+fault.HintOf(err), "secret") {
			t.Errorf("%s %v: %v, hint %q; want %q", c.url, c.flags, err, fault.HintOf(err), c.want)
		}
	}
}

// TestTheSizeOfFiles: what is too large to be kept in memory is refused before it is read.
func TestTheSizeOfFiles(t *testing.T) {
	log := file(t, "l.log", "")
	grow(t, log, 2<<30)
	_, err := resolved(map[string]string{"requests": log}, "http://h/")
	if err == nil || !strings.Contains(err.Error(), "has 2147483648 bytes") {
		t.Error(err)
	}
}

// grow makes a file of that size, which takes no room.
func grow(t *testing.T, name string, size int64) {
	t.Helper()
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
}

// TestAFileThatSaysWhere: what it says is the URL of the run, which is no demo, and none other can be given.
func TestAFileThatSaysWhere(t *testing.T) {
	there := file(t, "there.yaml", "base: http://there:81\nrequests:\n - url: /\n")
	for _, c := range []struct{ url, file, want string }{
		{"", there, "http://there:81"},
		{"http://there:81/", there, "http://there:81/"},
		{"", file(t, "paths.yaml", "requests:\n - url: /\n"), ""},
	} {
		args := []string{c.url}
		if c.url == "" {
			args = nil
		}
		got, err := resolved(map[string]string{"requests": c.file}, args...)
		if err != nil || got.Plan.URL != c.want || (got.Plan.Load.ThinkTime > 0) != (c.want == "") {
			t.Errorf("%s: %q, a pause of %v, %v", c.file, got.Plan.URL, got.Plan.Load.ThinkTime, err)
		}
	}
}

// TestATokenThatIsNotThere: what to do is said of it as of any variable.
func TestATokenThatIsNotThere(t *testing.T) {
	c, err := resolved(map[string]string{"bearer": "${env.NO_SUCH_VARIABLE}"}, "http://h/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Plan.Script()
	if err != nil {
		t.Fatal(err)
	}
	_, err = room.New(c.Plan, s)
	if hint := fault.HintOf(err); !strings.Contains(hint, "export NO_SUCH_VARIABLE=") {
		t.Errorf("%v, hint %q", err, hint)
	}
}
