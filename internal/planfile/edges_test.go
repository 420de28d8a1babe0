package planfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

func vars() *variables {
	of := map[string]string{"A": "abcd", "B": "xyz", "EMPTY": "", "Q": "q\"\n\\", "S": " spaced ", "UP": "UPPER", "a_Z9": "1"}
	return &variables{name: "f", lookup: func(name string) (string, bool) {
		v, set := of[name]
		return v, set
	}}
}

// What stands for a variable becomes what it holds, and two dollars one.
func TestFill(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"x $$ $${A} y":  "x $ ${A} y",
		"${A}-${B}":     "abcd-xyz",
		"${a_Z9}":       "1",
		"${A:-x}":       "abcd",
		"${NONE:-x:-y}": "x:-y",
		"${NONE:-}":     "",
		"${EMPTY:-x}":   "x",
		"${EMPTY}":      "",
		"$A":            "f:2:3: a $ stands there alone; write $$ for a dollar, and ${NAME} for a variable",
		"$A}":           "f:2:3: a $ stands there alone",
		"${A":           "f:2:3: a $ stands there alone",
		"x$":            "f:2:3: a $ stands there alone",
		"${}":           "f:2:3: ${} names no variable; write ${NAME} or ${NAME:-default}, where NAME is of letters, digits and _; $$ is a dollar",
		"${9A}":         "f:2:3: ${9A} names no variable",
		"${NONE}":       "f:2:3: the variable NONE is not set; set it in the environment, or write ${NONE:-default}",
	} {
		got, err := vars().fill(&yamltree.Node{At: yamltree.Place{Line: 2, Column: 3}, Text: text})
		if got.written != text || got.at != (yamltree.Place{Line: 2, Column: 3}) {
			t.Errorf("%q: %+v", text, got)
		}
		if err != nil {
			if all := err.Error() + "; " + fault.HintOf(err); !strings.HasPrefix(all, want) || !strings.HasPrefix(want, "f:2:3: ") {
				t.Errorf("%q: %s", text, all)
			}
			continue
		}
		if got.text != want {
			t.Errorf("%q becomes %q, want %q", text, got.text, want)
		}
	}
	for name, want := range map[string]bool{
		"": false, "a": true, "z": true, "A": true, "Z": true, "_": true, "a0": true, "a9": true, "mutant": true, "0": false, "9a": false,
		"a@": false, "a[": false, "a`": false, "a{": false, "a/": false, "a:": false, "a-b": false, "é": false, "@": false, "{": false, "/": false,
	} {
		if got := isName(name); got != want {
			t.Errorf("%q names a variable: %v", name, got)
		}
	}
}

// What variables hold is named in messages, if it is long enough to be told from other words.
func TestHide(t *testing.T) {
	v := vars()
	for _, name := range []string{"A", "B", "Q", "S", "UP"} {
		value, _ := v.lookup(name)
		v.held = append(v.held, held{name, value})
	}
	v.held = append(v.held, held{"QUOTED", "say \"it\""})
	for message, want := range map[string]string{
		"abcd abc xyz":      "${A} abc xyz",
		"is spaced  so":     "is${S} so",
		"is spaced.":        "is ${S}.",
		"upper UPPER Upper": "${UP} ${UP} Upper",
		`"say \"it\"" is`:   `"${QUOTED}" is`,
		`say "it" is`:       "${QUOTED} is",
		"":                  "",
	} {
		if got := v.hide(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	words := func(s string) string { return "in words: " + s }
	e := v.told(yamltree.Place{Line: 1, Column: 2}, fault.New(fault.Usage, "abcd is bad").Hint("not abcd"), words)
	if e.Error() != "f:1:2: in words: ${A} is bad" || fault.HintOf(e) != "in words: not ${A}" {
		t.Errorf("%v; %s", e, fault.HintOf(e))
	}
	if e := v.told(yamltree.Place{Line: 1, Column: 2}, errors.New("it is bad"), words); fault.HintOf(e) != "" {
		t.Errorf("%q", fault.HintOf(e))
	}
}

// Where a flag stands in a message: not within the name of another.
func TestFlagIn(t *testing.T) {
	for message, want := range map[string]int{
		"--a is bad": 0, "so --a": 3, "--a": 0, "--ab and --a": 9, "--a-b": -1, "--a0": -1, "--a9": -1, "--aa": -1, "--az": -1, "--ab --ac --a.": 10,
		"--a/": 0, "--a:": 0, "--a`": 0, "--a{": 0, "--aB": 0, "--a.": 0, "a": -1, "": -1, "--b": -1,
	} {
		if got := flagIn(message, "a"); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
}

// A message that speaks of flags speaks of settings in a file, and is about the place of the first that it names.
func TestWhereAMessageBelongs(t *testing.T) {
	var texts, more []string
	clients := setting.List(&texts, "clients", "text", "")
	size := setting.List(&more, "size", "text", "")
	unset := setting.List(&more, "unset", "text", "")
	place := func(n int) yamltree.Place { return yamltree.Place{Line: n, Column: 1} }
	r := &Run{at: place(1), Settings: setting.New(clients, size, unset), variables: vars(),
		argument: []value{{at: place(20), text: "8"}, {at: place(21), text: "ws://h"}, {at: place(22)}},
		given: []given{
			{setting: clients, at: place(2), values: []value{{at: place(3), text: "x"}}},
			{setting: size, at: place(4), values: []value{{at: place(5), text: "one=1"}, {at: place(6), text: "two=2"}}},
			{setting: size, at: place(7), values: []value{{at: place(8), text: "=3"}}},
			{setting: unset, at: place(9)},
		}}
	for message, want := range map[string]int{
		"--clients is bad":         3,
		"so --clients is bad":      3,
		"--size and --clients":     5,
		"--clients and --size":     3,
		`--size "two=2" is bad`:    6,
		`--size "=3" is bad`:       8,
		"--size: two is bad":       6,
		"--size: nil of it":        5,
		`--clients "y" is bad`:     3,
		"--unset is bad":           1,
		"--unset before --clients": 3,
		"it is bad":                1,
		"the URL is bad":           20,
		"the size is bad":          20,
		"an argument is bad":       20,
		"x:// is bad":              20,
		`"ws://h" is bad`:          21,
		`"8" is bad`:               20,
		`"" is bad`:                1,
	} {
		if got := r.about(message); got != place(want) {
			t.Errorf("%q is about line %d, want %d", message, got.Line, want)
		}
	}
	if got := (&Run{at: place(1), variables: vars()}).about("the URL is bad"); got != place(1) {
		t.Errorf("without an argument: line %d", got.Line)
	}
	if got := (&Run{at: place(1), argument: []value{{at: place(2), text: "x"}}}).about("the URL is bad"); got != place(2) {
		t.Errorf("of one argument: line %d", got.Line)
	}
	for message, want := range map[string]string{
		"--clients and --size, not --other": "clients and size, not --other", "--clients --clients": "clients clients", "a --clients-x": "a --clients-x", "": "",
	} {
		if got := r.plainly(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
	if err := r.Misread(fault.New(fault.Usage, "--clients is bad").Hint("--size is not")); err.Error() != "f:3:1: clients is bad" || fault.HintOf(err) != "size is not" {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
	if !r.isGiven("size") || r.isGiven("other") {
		t.Error("what was given is not known")
	}
}

// Why a value is none of a setting, without what may be secret.
func TestWhyAValueIsNone(t *testing.T) {
	r := &Run{variables: vars(), Settings: setting.New()}
	word := ""
	at := yamltree.Place{Line: 2, Column: 3}
	for name, tt := range map[string]struct {
		setting *setting.Setting
		value   value
		err     error
		want    string
	}{
		"a slip":    {setting.Word(&word, "x", "word", "", "alpha", "beta"), value{at: at, text: "alfa"}, errors.New("it is none"), "f:2:3: x: it is none; did you mean alpha?"},
		"no slip":   {setting.Word(&word, "x", "word", "", "alpha", "beta"), value{at: at, text: "zzzzzz"}, errors.New("it is none"), "f:2:3: x: it is none; "},
		"its own":   {setting.Word(&word, "x", "word", "", "alpha", "beta"), value{at: at, text: "alfa"}, fault.New(fault.Usage, "it is none").Hint("take one"), "f:2:3: x: it is none; take one"},
		"threshold": {setting.Word(&word, "threshold", "word", ""), value{at: at, text: "p99"}, errors.New("it is none"), "f:2:3: thresholds: it is none; "},
		"one secret": {setting.Text(&word, "x", "text", ""), value{at: at, text: "v", names: []string{"API_TOKEN"}}, errors.New("it is none"),
			"f:2:3: x: what ${API_TOKEN} gives is not what it takes, which is text; look at the value of the variable; it is not shown here, since it may be secret"},
		"two": {setting.Text(&word, "x", "text", ""), value{at: at, text: "v", names: []string{"HOST", "PASSWORD"}}, errors.New("it is none"),
			"f:2:3: x: what ${HOST} and ${PASSWORD} gives is not what it takes, which is text; look at the value"},
		"no secret": {setting.Text(&word, "x", "text", ""), value{at: at, text: "v", names: []string{"HOST"}}, errors.New("it is none"), "f:2:3: x: it is none; "},
	} {
		err := r.unset(given{setting: tt.setting}, tt.value, tt.err)
		if got := err.Error() + "; " + fault.HintOf(err); !strings.HasPrefix(got, tt.want) || tt.want[len(tt.want)-1] == ' ' && got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	secret := setting.Text(&word, "x", "text", "")
	secret.Secret = true
	if err := r.unset(given{setting: secret}, value{at: at, text: "v", names: []string{"HOST"}}, errors.New("it is none")); !strings.Contains(err.Error(), "what ${HOST} gives") {
		t.Error(err)
	}
	if err := r.unset(given{setting: secret}, value{at: at, text: "v"}, errors.New("it is none")); err.Error() != "f:2:3: x: it is none" {
		t.Error(err)
	}
	unended := setting.Word(&word, "x", "word", "", "alpha").Offer("alpha")
	unended.Unended = true
	if err := r.unset(given{setting: unended}, value{at: at, text: "alfa"}, errors.New("it is none")); fault.HintOf(err) != "" {
		t.Errorf("%q", fault.HintOf(err))
	}
}

// What is wrong with several runs is told in one line, four of it in full.
func TestSeveral(t *testing.T) {
	errs := func(n int) (list []error) {
		for i := range n {
			list = append(list, fault.New(fault.Usage, "no. %d", i+1))
		}
		return list
	}
	for _, tt := range []struct {
		wrong      []error
		want, hint string
	}{
		{nil, "", ""},
		{errs(1), "no. 1", ""},
		{append(errs(1), errs(1)...), "no. 1", ""},
		{errs(2), "no. 1; no. 2", ""},
		{errs(4), "no. 1; no. 2; no. 3; no. 4", ""},
		{errs(5), "no. 1; no. 2; no. 3; no. 4; and 1 more", ""},
		{errs(7), "no. 1; no. 2; no. 3; no. 4; and 3 more", ""},
		{[]error{fault.New(fault.Usage, "a").Hint("do b"), fault.New(fault.RunFailed, "c")}, "a; c", "the first: do b"},
	} {
		err := several(tt.wrong)
		if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && (got != tt.want || fault.HintOf(err) != tt.hint || fault.CodeOf(err) != fault.Usage) {
			t.Errorf("%v; %q, want %q", err, fault.HintOf(err), tt.want)
		}
	}
}

// What is written of a value is YAML that a person can read, and reads back as it was.
func TestScalar(t *testing.T) {
	for s, want := range map[string]string{
		"8": "8", "-5": "-5", "1.5s": "1.5s", "/a/b.c_d%": "/a/b.c_d%", "word": "word", "nullx": "nullx",
		"null": "'null'", "Yes": "'Yes'", "no": "'no'", "on": "'on'", "OFF": "'OFF'", "y": "'y'", "N": "'N'",
		"": "''", "a b": "'a b'", "a: b": "'a: b'", "-": "'-'", "é": "'é'", `a"b`: `'a"b'`,
		"it's": `"it's"`, `a\b`: `"a\\b"`, `'"`: `"'\""`, "a\tb": `"a\x09b"`, "\x7f": `"\x7f"`, "\u00ad": `"\xad"`, "\u0085": `"\x85"`, "'#]": `"'#]"`,
		"\u200b": `"\u200b"`, "\ufeff": `"\ufeff"`, "\uffff": `"\uffff"`, "\U000e0001": `"\U000e0001"`, "\U0001ffff": `"\U0001ffff"`, "\u0378": `"\u0378"`,
		"\ue000": `"\ue000"`,
	} {
		if got := new(writer).scalar(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		n, err := sort().Parse("f", []byte("a: "+want+"\n"))
		if err != nil || n.Lookup("a").Text != s {
			t.Errorf("%s reads as %v, %v", want, n, err)
		}
	}
	if got := strings.Map(shown, "a\x1bb"); got != "a?b" {
		t.Errorf("%q", got)
	}
	for of, want := range map[string]string{
		"azAZ09": "AZAZ09", " x-y ": "X_Y", "9": "VALUE_9", "": "VALUE_", "a`{@[/:": "A______", "é": "_", "b1": "B1",
	} {
		if got := variableName(of); got != want {
			t.Errorf("%q: %s, want %s", of, got, want)
		}
	}
	if got := escape("a$b$"); got != "a$$b$$" {
		t.Error(got)
	}
}

// URLs are written with variables for what may be secret in them, and for nothing else.
func TestURLsOfPlans(t *testing.T) {
	for raw, tt := range map[string]struct {
		want    string
		secrets map[string]string
	}{
		"http://h/a?room={room}":            {"http://h/a?room={room}", nil},
		"mem:/a$":                           {"mem:/a$$", nil},
		"http://u:p@h/a$?room={room}&y":     {"http://${URL_USER}@h/a$$?room={room}&${URL_QUERY}", map[string]string{"URL_USER": "u:p", "URL_QUERY": "y"}},
		"http://@h/?token=t":                {"http://${URL_USER}@h/?token=${URL_TOKEN}", map[string]string{"URL_USER": "", "URL_TOKEN": "t"}},
		"http://u@h":                        {"http://${URL_USER}@h", map[string]string{"URL_USER": "u"}},
		"http://h/?token=a&token=b&token=a": {"http://h/?token=${URL_TOKEN}&token=${URL_TOKEN_2}&token=${URL_TOKEN}", map[string]string{"URL_TOKEN": "a", "URL_TOKEN_2": "b"}},
		"http://h/?token=a&token=b&token=c": {"http://h/?token=${URL_TOKEN}&token=${URL_TOKEN_2}&token=${URL_TOKEN_3}", map[string]string{"URL_TOKEN": "a", "URL_TOKEN_2": "b", "URL_TOKEN_3": "c"}},
		"http://h/%zz?token=a":              {"${URL}", map[string]string{"URL": "http://h/%zz?token=a"}},
		"mailto:a@b?token=x":                {"${URL}", map[string]string{"URL": "mailto:a@b?token=x"}},
		"/h?token=a":                        {"${URL}", map[string]string{"URL": "/h?token=a"}},
	} {
		w := &writer{secrets: map[string]string{}}
		got := w.url(raw, "URL")
		if tt.secrets == nil {
			tt.secrets = map[string]string{}
		}
		if diff := cmp.Diff(tt.secrets, w.secrets); got != tt.want || diff != "" || w.bad != "" {
			t.Errorf("%s: %s, want %s: %s", raw, got, tt.want, diff)
		}
		if len(w.said) != len(tt.secrets) {
			t.Errorf("%s: %q", raw, w.said)
		}
	}
	w := &writer{secrets: map[string]string{}}
	if w.url("http://h/\xff", "URL"); w.bad == "" {
		t.Error("what is no UTF-8 was taken")
	}
}

// A plan has what was given, by its last value where there is one alone, and tells of what it leaves out.
func TestWriteOfFewSettings(t *testing.T) {
	make := func() *setting.Set {
		var clients, hidden, json string
		var texts, headers, flags []string
		header := setting.List(&headers, "header", "name: value", "")
		header.Secret = true
		flag := setting.List(&flags, "target-flag", "name=value", "")
		flag.Secret, flag.Unended = true, true
		url := setting.Text(&hidden, "endpoint", "url", "")
		url.Secret = true
		plain := setting.Text(&hidden, "password", "text", "")
		plain.Secret = true
		return setting.New(setting.Text(&clients, "clients", "text", ""), setting.Text(&json, "json", "text", ""), setting.Text(&json, "quiet", "text", ""),
			setting.List(&texts, "threshold", "goal", ""), header, flag, url, plain, setting.Text(&hidden, "", "text", ""))
	}
	begin := "# A plan of one run of 'plimsoll chat', with what was given on its command line.\n" +
		"# Run it with 'plimsoll run FILE'; add runs below runs, and what all share below defaults.\n"
	const run = "plan: plimsoll.plan/v1\nruns:\n  - kind: chat\n"
	const without = "# What may be secret was left out. Set these variables to it before you run the plan:\n"
	for name, tt := range map[string]struct {
		arguments []string
		given     []string // name=value
		want      string
	}{
		"nothing":        {nil, nil, begin + run},
		"an argument":    {[]string{"ws://h"}, nil, begin + run + "    arguments:\n      - 'ws://h'\n"},
		"two":            {[]string{"8", "$"}, nil, begin + run + "    arguments:\n      - 8\n      - '$$'\n"},
		"the last":       {nil, []string{"clients=1", "clients=2"}, begin + run + "    settings:\n      clients: 2\n"},
		"a threshold":    {nil, []string{"threshold=p99<1s"}, begin + run + "    thresholds:\n      - 'p99<1s'\n"},
		"two thresholds": {nil, []string{"threshold=p99<1s", "threshold=ok>$"}, begin + run + "    thresholds:\n      - 'p99<1s'\n      - 'ok>$$'\n"},
		"of the command": {nil, []string{"json=x"}, begin + "# Not in here, since it says what becomes of the results: --json; give it to 'plimsoll run'.\n" + run},
		"two of it":      {nil, []string{"json=x", "quiet=y", "clients=$"}, begin + "# Not in here, since it says what becomes of the results: --json, --quiet; give it to 'plimsoll run'.\n" + run + "    settings:\n      clients: '$$'\n"},
		"a header":       {nil, []string{"header=A-b:  $c"}, begin + without + "#   A_B: header A-b\n" + run + "    settings:\n      header:\n        - 'A-b:  ${A_B}'\n"},
		"no header":      {nil, []string{"header=x"}, begin + without + "#   HEADER: header\n" + run + "    settings:\n      header:\n        - '${HEADER}'\n"},
		"flags":          {nil, []string{"target-flag=delay=2$", "target-flag=secret-key=k"}, begin + without + "#   SECRET_KEY: target-flag secret-key\n" + run + "    settings:\n      target-flag:\n        - 'delay=2$$'\n        - 'secret-key=${SECRET_KEY}'\n"},
		"a URL":          {nil, []string{"endpoint=http://u:p@h"}, begin + without + "#   ENDPOINT_USER: user and password in the URL, as user:password\n" + run + "    settings:\n      endpoint: 'http://${ENDPOINT_USER}@h'\n"},
		"a password":     {nil, []string{"password=hunter2"}, begin + without + "#   PASSWORD: password\n" + run + "    settings:\n      password: '${PASSWORD}'\n"},
	} {
		set, given := make(), map[string]bool{"": true}
		for _, one := range tt.given {
			key, value, _ := strings.Cut(one, "=")
			given[key] = true
			if err := set.Lookup(key).Set(value); err != nil {
				t.Fatal(err)
			}
		}
		got, secrets, err := Write(Call{Kind: "chat", Arguments: tt.arguments, Settings: set, Changed: func(name string) bool { return given[name] }})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || (len(secrets) > 0) != strings.Contains(tt.want, without) {
			t.Errorf("%s: %v, %v: %s", name, err, secrets, diff)
		}
	}
}

// What a setting takes, as editors are told.
func TestSchemaOf(t *testing.T) {
	var text string
	of := func(kind string, change func(*setting.Setting)) *setting.Setting {
		s := setting.Text(&text, "x", kind, "its help")
		if change != nil {
			change(s)
		}
		return s
	}
	anyText := object{"type": []string{"string", "number", "boolean"}}
	with := func(o object) object { o["description"] = "its help"; return o }
	one := of("word", func(s *setting.Setting) { s.Words = []string{"a"} })
	for name, tt := range map[string]struct {
		of   *setting.Setting
		want any
	}{
		"share":    {of("share", nil), with(object{"type": []string{"number", "string"}, "examples": []any{0.05, "5%"}})},
		"duration": {of("duration", nil), with(object{"type": []string{"string", "integer"}, "examples": []any{"5s", "50ms", "1m30s"}})},
		"size":     {of("size", nil), with(object{"type": []string{"string", "integer"}, "examples": []any{"8MiB", "128k", 512}})},
		"text":     {of("text", nil), with(object{"type": []string{"string", "number", "boolean"}})},
		"a word":   {one, with(object{"anyOf": []any{object{"enum": []string{"a"}}, anyText}})},
		"unended":  {of("word", func(s *setting.Setting) { s.Words, s.Unended = []string{"a"}, true }), with(object{"type": []string{"string", "number", "boolean"}})},
		"closed":   {of("word", func(s *setting.Setting) { s.Words, s.Closed = []string{"a"}, true }), with(orVariable(object{"enum": []string{"a"}}))},
		"rate":     {of("rate", nil), with(orVariable(object{"type": "number"}, object{"pattern": `^[ 0-9.eE+-]+$`, "type": "string"}))},
		"several": {of("text", func(s *setting.Setting) { s.Several = true }),
			object{"description": "its help", "anyOf": []any{anyText, object{"type": "array", "items": anyText}}}},
	} {
		if diff := cmp.Diff(tt.want, schemaOf(tt.of)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(object{"anyOf": []any{object{"a": 1}, object{"type": "string", "pattern": `\$\{`}}}, orVariable(object{"a": 1})); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct{ one, other, want any }{
		{nil, object{"a": 1}, object{"a": 1}},
		{object{"a": 1}, object{"a": 1}, object{"a": 1}},
		{object{"a": 1}, object{"a": 2}, object{"anyOf": []any{object{"a": 1}, object{"a": 2}}}},
	} {
		if diff := cmp.Diff(tt.want, either(tt.one, tt.other)); diff != "" {
			t.Error(diff)
		}
	}
}
