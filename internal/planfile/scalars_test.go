package planfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// What is written of a value is YAML that a person can read, and reads back as it was.
func TestWrittenValuesReadBack(t *testing.T) {
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
func TestSecretsInURLsBecomeVariables(t *testing.T) {
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

// Messages show the names of variables instead of their values, however the value is quoted or spaced. Values too short
// to be told from other words are left.
func TestMessagesHideValuesOfVariables(t *testing.T) {
	v := &variables{name: "f", held: []held{
		{"A", "abcd"}, {"SHORT", "xyz"}, {"SPACED", " spaced "}, {"UP", "UPPER"}, {"QUOTED", `say "it"`},
	}}
	for message, want := range map[string]string{
		"abcd abc xyz":      "${A} abc xyz",
		"is spaced.":        "is ${SPACED}.",
		"upper UPPER Upper": "${UP} ${UP} Upper",
		`"say \"it\"" is`:   `"${QUOTED}" is`,
		`say "it" is`:       "${QUOTED} is",
	} {
		if got := v.hide(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	err := v.told(yamltree.Place{Line: 1, Column: 2}, fault.New(fault.Usage, "abcd is bad").Hint("not abcd"),
		func(s string) string { return s })
	if err.Error() != "f:1:2: ${A} is bad" || fault.HintOf(err) != "not ${A}" {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}
