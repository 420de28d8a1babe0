package wsproto

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExplain: which rule took a message, and of each condition what there is and what was wanted.
func TestExplain(t *testing.T) {
	p, err := Load("example.yaml", []byte(example), options())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		step  int // -1: the rules
		frame string
		want  []string
	}{
		{-1, `437["ok"]`, []string{
			`rule 1 does not take it: type is "43", not "2"`, `rule 2 takes it: type is "43"`,
			`it is the answer to the message that ack names: "7"; refused: no (/0/error is nothing, not something)`,
		}},
		{-1, `43[{"error":5}]`, []string{
			`rule 1 does not take it: type is "43", not "2"`, `rule 2 takes it: type is "43"`,
			`it is the answer to the message that ack names, and nothing is there; refused: yes (/0/error is 5)`,
		}},
		{-1, "42[\"other\",{\"a\":\n[1]}]\x1e2", []string{
			`rule 1 does not take it: type is "42", not "2"`, `rule 2 does not take it: type is "42", not "43"`,
			`rule 3 does not take it: /0 is "other", not "msg"`, "nothing takes it",
			"--", `rule 1 takes it: type is "2"`, "it is answered with 3",
		}},
		{-1, `42["msg",`, []string{
			`rule 1 does not take it: type is "42", not "2"`, `rule 2 does not take it: type is "42", not "43"`,
			`rule 3 does not take it: /0 is no JSON, not "msg"`, "it cannot be read: ",
		}},
		{-1, `42["msg",{"id":{"a":"` + strings.Repeat("x", 100) + `"}}]`, []string{
			`rule 1 does not take it: type is "42", not "2"`, `rule 2 does not take it: type is "42", not "43"`,
			`rule 3 takes it: type is "42", /0 is "msg"`,
			`it is a delivery of the message that /1/id names: {"a":"` + strings.Repeat("x", 74) + "…",
		}},
		{-1, "hello", []string{"it cannot be read: it does not begin with a digit of Engine.IO"}},
		{0, `0{"sid":"x"}`, []string{
			`refused does not take it: type is "0", not "44"`, `expect does not take it: type is "0", not "40"`, "nothing takes it",
		}},
		{0, `40{"sid":"x"}`, []string{
			`refused does not take it: type is "40", not "44"`, `expect takes it: type is "40"`, "the step is done; it keeps ${sid}",
		}},
		{0, `40{}`, []string{
			`refused does not take it: type is "40", not "44"`, `expect takes it: type is "40"`,
			"the step is done; ${sid} stays empty: there is nothing at /sid",
		}},
		{0, `44`, []string{`refused takes it: type is "44"`, "the server says no"}},
	} {
		x := p.NewExplainer()
		all := x.Rules([]byte(c.frame))
		if c.step >= 0 {
			all = p.NewExplainer().Step(c.step, []byte(c.frame))
		}
		var got []string
		for i, one := range all {
			if i > 0 {
				got = append(got, "--")
			}
			got = append(got, one.Lines()...)
		}
		// How the matcher words what is no JSON is its own business.
		if n := len(got) - 1; strings.HasSuffix(c.want[len(c.want)-1], "read: ") && strings.HasPrefix(got[n], c.want[len(c.want)-1]) {
			got[n] = c.want[len(c.want)-1]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.frame, diff)
		}
	}
}

// TestExplainAnswers without a name, and what should not be there.
func TestExplainAnswers(t *testing.T) {
	p, err := Load("f.yaml", []byte(begin+"messages: [{send: a}]\nreceive: [{when: {/a: 1, /b: null}, answers: order}, "+
		"{when: {/a: '*'}, answers: only}]\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	for frame, want := range map[string]string{
		`{"a":1}`: "rule 1 takes it: /a is 1, /b is nothing; it is the answer to the oldest message that waits",
		`{"a":1,"b":true}`: "rule 1 does not take it: /b is true, not nothing; rule 2 takes it: /a is 1; " +
			"it is the answer to the only message that waits",
		`{"b":1} x`: "rule 1 does not take it: /a is no JSON, not \"1\", /b is no JSON, not nothing; it cannot be read",
	} {
		got := strings.Join(p.NewExplainer().Rules([]byte(frame))[0].Lines(), "; ")
		if !strings.HasPrefix(got, want) || !strings.Contains(want, "cannot") && got != want {
			t.Errorf("%s: %s", frame, cmp.Diff(want, got))
		}
	}
}

// TestSecretsAreNotShown: the values of the environment that a protocol uses are in nothing that is explained.
func TestSecretsAreNotShown(t *testing.T) {
	o := options()
	o.Env = func(name string) (string, bool) { return "s3/c\"ret", name == "TOKEN" }
	p, err := Load("f.yaml", []byte("protocol: 1\ncodec: json\nheaders: {A: '${env.TOKEN}'}\nmessages: [{send: '${mark}'}]\n"+
		"receive: [{when: {/a: '*'}, answers: /b}, {ignore: true}]\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range []string{`{"a":"s3/c\"ret","b":"x s3/c\"ret"}`, `{"b":"s3/c\"ret"}`, `no s3/c"ret`, `{"a":"s3%2Fc%22ret"}`} {
		for _, x := range p.NewExplainer().Rules([]byte(frame)) {
			if shown := x.Raw + strings.Join(x.Lines(), "\n"); strings.Contains(shown, "s3") {
				t.Errorf("%q shows %q", frame, shown)
			}
		}
	}
	if got := p.NewExplainer().Rules([]byte(`{"b":1}`))[0].Lines(); cmp.Diff([]string{
		"rule 1 does not take it: /a is nothing, not something", "rule 2 takes it, as it takes every message", "it is ignored",
	}, got) != "" {
		t.Errorf("%q", got)
	}
}
