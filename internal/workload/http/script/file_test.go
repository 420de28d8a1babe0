package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// opened opens one of them.
func opened(name string) (io.ReadCloser, error) {
	data, err := files(name)
	return io.NopCloser(bytes.NewReader(data)), err
}

// files are those that a file of requests may name.
func files(name string) ([]byte, error) {
	text, found := map[string]string{
		"users.csv": "user,city\nann,Oslo\nbob,\"New York\"\n", "body.json": `{"id":"${id}"}`, "empty.csv": "", "head.csv": "a,b\n",
		"short.csv": "a,b\n1\n", "twice.csv": "a,a\n1,2\n",
	}[name]
	if !found {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return []byte(text), nil
}

func read(text string) (*Script, error) {
	return Read("r.yaml", []byte(text), Options{Open: opened, Env: func(name string) (string, bool) { return "k3y", name == "KEY" }})
}

// written is a script as text: what each step sends for the first operation, and what it checks and keeps.
func written(s *Script) string {
	var b strings.Builder
	v := &template.Values{Index: 1, Kept: [][]byte{[]byte("T0K"), []byte("C4"), nil}}
	if len(s.Rows) > 0 {
		v.Row = s.Rows[1]
	}
	for _, f := range s.Flows {
		fmt.Fprintf(&b, "flow %s ×%v\n", f.Name, f.Weight)
		for _, step := range f.Steps {
			fmt.Fprintf(&b, "  %v %s: %s %s\n", step.Pause, step.Name, step.Method, step.Target.Append(nil, v))
			for _, h := range step.Headers {
				fmt.Fprintf(&b, "    %s: %s\n", h.Name, h.Value.Append(nil, v))
			}
			if step.Body != nil {
				fmt.Fprintf(&b, "    body %s\n", step.Body.Append(nil, v))
			}
			for _, c := range step.Checks {
				fmt.Fprintf(&b, "    check %s\n", c)
			}
			for _, k := range step.Keep {
				fmt.Fprintf(&b, "    keep %s = %s\n", s.Kept[k.Number], k.From)
			}
		}
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one": {"requests:\n  - url: http://h/a?b=${seq}\n", "flow GET /a ×1\n  0s GET /a: GET /a?b=1\n"},
		"by weight": {"base: https://h:8443/v1/\nrequests:\n  - {url: /a, weight: 3}\n  - {name: write, url: /b, body: x, weight: 0.5}\n",
			"flow GET /a ×3\n  0s GET /a: GET /v1/a\nflow write ×0.5\n  0s write: POST /v1/b\n    body x\n"},
		"sequence": {`
base: http://h
csv: users.csv
headers: {Accept: application/json, X-Key: "${env.KEY}"}
sequence:
  - name: login
    url: /login
    form: {user: "${csv.user}", "pass word": "a b&${csv.city}"}
    check: [status 200, json token]
    keep: {token: json token, cart: header X-Cart}
  - url: /cart/${cart}
    method: PUT
    headers: {authorization: "Bearer ${token}", accept: text/plain}
    body_file: body.json
    check: status 2xx
    pause: 1s
`, `flow sequence ×1
  0s login: POST /login
    Accept: application/json
    X-Key: k3y
    Content-Type: application/x-www-form-urlencoded
    body user=bob&pass+word=a+b%26New+York
    check status 200
    check json token
    keep token = json token
    keep cart = header X-Cart
  1s PUT /cart/${cart}: PUT /cart/C4
    X-Key: k3y
    authorization: Bearer T0K
    accept: text/plain
    body {"id":"` + idOf(1) + `"}
    check status 2xx
`},
		"flows": {`
base: http://h
flows:
  - {name: look, weight: 2, steps: [{url: /a}, {url: /b, pause: 10ms}]}
  - steps: [{url: /c, keep: {x: status}}, {url: "/d/${x}"}]
`, "flow look ×2\n  0s GET /a: GET /a\n  10ms GET /b: GET /b\nflow flow 2 ×1\n  0s GET /c: GET /c\n    keep x = status\n  0s GET /d/${x}: GET /d/T0K\n"},
		"JSON": {`{"requests":[{"url":"http://h/","headers":{"A":["b","c"]}}]}`, "flow GET / ×1\n  0s GET /: GET /\n    A: b\n    A: c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := read(c.text)
			if err != nil {
				t.Fatal(err, fault.HintOf(err))
			}
			if got := written(s); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func idOf(index uint64) string {
	c, _ := template.Compile("${id}", template.Raw, &template.Known{})
	return string(c.Append(nil, &template.Values{Index: index}))
}

// FuzzRead: no file makes the reader panic, and every error is of one line.
func FuzzRead(f *testing.F) {
	f.Add("requests:\n  - url: http://h/${id}\n    check: [status 200]\n    keep: {a: json a}\n")
	f.Add("base: http://h\nflows:\n  - {name: a, steps: [{url: /x, form: {a: b}}]}\n")
	f.Add("sequence: [{url: 'http://h', headers: {A: [b]}}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := read(text)
		var wrong *fault.Error
		if err != nil {
			if !errors.As(err, &wrong) {
				t.Errorf("%q: %v is no fault", text, err)
			}
			return
		}
		written(s)
	})
}
