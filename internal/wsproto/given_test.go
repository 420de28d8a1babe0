package wsproto

import (
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// TestTableOption stands in for that of the file, and is told by its flag where nothing comes of it.
func TestTableOption(t *testing.T) {
	of := func(send string) string {
		return begin + "csv: users.csv\nmessages: [{send: '${mark}" + send + "'}]\n" + answered
	}
	for name, c := range map[string]struct{ table, text, want, hint string }{
		"used":               {"own", of("${csv.a}"), "1", ""},
		"of one row":         {"own", begin + "messages: [{send: '${mark}${csv.a}'}]\n" + answered, "1", ""},
		"of the file":        {"", of("${csv.user}"), "ann", ""},
		"not the file's":     {"own", of("${csv.user}"), "the CSV file has no column \"user\"", "its columns: a, b"},
		"not used":           {"own", of(""), "--data-file: no message uses a column of own", "${csv.a}"},
		"not there":          {"gone", of("${csv.a}"), "--data-file: unknown file gone", "give the name of a readable CSV file"},
		"no table":           {"bad", of("${csv.a}"), "bad:1: the column \"a\" is empty or a duplicate", "in the first line"},
		"no table in a file": {"", strings.Replace(of("${csv.a}"), "users.csv", "bad", 1), "bad:1: the column \"a\" is empty or a duplicate", "in the first line"},
	} {
		o := options()
		open := o.Open
		o.Table = c.table
		o.Open = func(name string) (io.ReadCloser, error) {
			if text := map[string]string{"own": "a,b\n1,2\n", "bad": "a,a\n1,2\n"}[name]; text != "" {
				return io.NopCloser(strings.NewReader(text)), nil
			}
			return open(name)
		}
		p, err := Load("f.yaml", []byte(c.text), o)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.hint) || c.hint == "" || fault.CodeOf(err) != fault.Usage {
				t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
			}
			continue
		}
		if got := sent(t, &p.Messages[0].Send, &template.Values{Row: p.Rows[0]}); got != `""`+c.want && got != `"""`+c.want+`"` {
			t.Errorf("%s: %q", name, got)
		}
	}
	const packet = "protocol: 1\ncodec: mqtt\nmessages: [{send: {publish: {topic: a, qos: '${csv.a}', id: '${id 16}'}}}]\nreceive: [{answers: id}]\n"
	for row, well := range map[string]bool{"1": true, "3": false} { // the first row is tried, also where it is the only one
		o := Options{Table: "own", Open: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("a\n" + row + "\n")), nil
		}}
		if _, err := Load("f.yaml", []byte(packet), o); (err == nil) != well {
			t.Errorf("a quality of %s: %v", row, err)
		}
	}
}

// TestSecretsAreSent as it is, wherever the file has it.
func TestSecretsAreSent(t *testing.T) {
	p, err := Load("f.yaml", []byte(begin+"headers: {A: 'x ${env.TOKEN}'}\n"+oneOf+answered), options())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.Headers[0].Value.Append(nil, &template.Values{})); got != "x s3cret" {
		t.Errorf("%q", got)
	}
}
