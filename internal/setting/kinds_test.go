package setting_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// cargo is what the settings of these tests set.
type cargo struct {
	count   int
	time    time.Duration
	share   float64
	rate    float64
	size    int
	room    int64
	on      bool
	text    string
	file    string
	word    string
	several []string
}

// Each kind of setting takes what it says, refuses the rest in words, shows what it has taken, and stands in the plan
// document as JSON has it.
func TestWhatEachKindTakes(t *testing.T) {
	var c cargo
	count := setting.Count(&c.count, "count", "count", "h")
	length := setting.Duration(&c.time, "time", "h")
	share := setting.Share(&c.share, "share", "h")
	rate := setting.Rate(&c.rate, "rate", "h")
	size := setting.Size(&c.size, "size", "h")
	room := setting.Size(&c.room, "room", "h")
	on := setting.Switch(&c.on, "on", "h")
	text := setting.Text(&c.text, "text", "word", "h")
	file := setting.Output(&c.file, "file", "path", "h")
	word := setting.Word(&c.word, "word", "mode", "h", "slow", "fast")
	list := setting.List(&c.several, "list", "name", "h")
	for _, row := range []struct {
		of                      *setting.Setting
		give, shown, doc, wrong string
	}{
		{of: count, give: "12", shown: "12", doc: "12"},
		{of: count, give: "1.5", wrong: `"1.5" is not a whole number`},
		{of: length, give: "90s", shown: "1m30s", doc: "90000000000"},
		{of: length, give: "90", wrong: `"90" has no unit: write 90s or 90ms`},
		{of: share, give: "5%", shown: "5%", doc: "0.05"},
		{of: rate, give: " 2.5 ", shown: "2.5", doc: "2.5"},
		{of: rate, give: "0.1", shown: "0.1", doc: "0.1"},
		{of: rate, give: "1e22", shown: "10000000000000000000000", doc: "1e+22"},
		{of: rate, give: "many", wrong: `"many" is not a number`},
		{of: size, give: "2147483647", shown: "2147483647", doc: "2147483647"},
		{of: size, give: "1g", shown: "1GiB", doc: "1073741824"},
		{of: size, give: "2g", wrong: `"2g" is more than 2 GiB`},
		{of: size, give: "much", wrong: `"much" is not a size: write it as 512, 128k, 8MiB or 1g`},
		{of: room, give: "3g", shown: "3GiB", doc: "3221225472"},
		{of: on, give: "true", shown: "true", doc: "true"},
		{of: on, give: "perhaps", wrong: `"perhaps" is neither true nor false`},
		{of: text, give: "a b", shown: "a b", doc: `"a b"`},
		{of: text, give: "", wrong: "the value is empty"},
		{of: file, give: "./-", shown: "./-", doc: `"./-"`},
		{of: file, give: "", wrong: "the value is empty"},
		{of: file, give: "-", wrong: `"-" does not mean stdout here, because the command prints there`},
		{of: word, give: "fast", shown: "fast", doc: `"fast"`},
		{of: list, give: "a", doc: `["a"]`},
		{of: list, give: "b", doc: `["a","b"]`},
	} {
		given := len(row.of.Texts())
		err := row.of.Set(row.give)
		if row.wrong != "" {
			if err == nil || err.Error() != row.wrong || len(row.of.Texts()) != given {
				t.Errorf("%s %q: %v, want %s", row.of.Name, row.give, err, row.wrong)
			}
			continue
		}
		doc, wrong := json.Marshal(setting.New(row.of.At("x")))
		if err != nil || wrong != nil || row.of.String() != row.shown || string(doc) != `{"x":`+row.doc+`}` {
			t.Errorf("%s %q: %v, %v, shown as %q, written as %s", row.of.Name, row.give, err, wrong, row.of.String(), doc)
		}
		if texts := row.of.Texts(); len(texts) != given+1 || texts[given] != row.give {
			t.Errorf("%s has read %q", row.of.Name, texts)
		}
	}
	if diff := cmp.Diff(setting.FormatSize(int64(c.size))+" "+c.text+" "+c.file+" "+c.word, "1GiB a b ./- fast"); diff != "" {
		t.Error(diff)
	}
	if err := file.Set("-"); fault.CodeOf(err) != fault.Usage || !strings.Contains(fault.HintOf(err), "/dev/stdout") {
		t.Errorf("%v, %s", err, fault.HintOf(err))
	}

	for _, row := range []struct {
		of                                     *setting.Setting
		kind                                   string
		unit                                   setting.Unit
		figure, whole, toggle, several, output bool
		words                                  string
	}{
		{of: count, kind: "count", figure: true, whole: true},
		{of: length, kind: "duration", unit: "_ns", figure: true},
		{of: share, kind: "share", figure: true},
		{of: rate, kind: "rate", figure: true},
		{of: size, kind: "size", unit: "_bytes", figure: true},
		{of: room, kind: "size", unit: "_bytes", figure: true},
		{of: on, kind: "bool", toggle: true, words: "true false"},
		{of: text, kind: "word"},
		{of: file, kind: "path", output: true},
		{of: word, kind: "mode", words: "slow fast"},
		{of: list, kind: "name", several: true},
		{of: setting.Each("each", "name", "h", func(string) error { return nil }), kind: "name", several: true},
	} {
		s := row.of
		if s.Type() != row.kind || s.Help != "h" || s.Unit != row.unit || s.Figure() != row.figure || s.Whole() != row.whole ||
			s.Switch() != row.toggle || s.Several != row.several || s.Written != row.output ||
			strings.Join(s.Words, " ") != row.words || s.Secret {
			t.Errorf("%s is not as declared: %+v", s.Name, s)
		}
	}
	if text.Unit != setting.Plain {
		t.Errorf("a text has the unit %q", text.Unit)
	}
}

// What is said of a setting is said of it alone, and what says so gives it back.
func TestWhatIsSaidOfASetting(t *testing.T) {
	hidden := func() any { return "…" }
	for name, row := range map[string]struct {
		say  func(*setting.Setting) *setting.Setting
		want setting.Setting
	}{
		"at":           {func(s *setting.Setting) *setting.Setting { return s.At("a.b") }, setting.Setting{Path: "a.b"}},
		"omit zero":    {func(s *setting.Setting) *setting.Setting { return s.OmitZero() }, setting.Setting{}},
		"omit if":      {func(s *setting.Setting) *setting.Setting { return s.OmitIf(func() bool { return true }) }, setting.Setting{}},
		"written as":   {func(s *setting.Setting) *setting.Setting { return s.WrittenAs(hidden) }, setting.Setting{Secret: true}},
		"flag":         {func(s *setting.Setting) *setting.Setting { return s.Flag("f", "h") }, setting.Setting{Name: "f", Help: "h"}},
		"short":        {func(s *setting.Setting) *setting.Setting { return s.Short("f") }, setting.Setting{Shorthand: "f"}},
		"offer":        {func(s *setting.Setting) *setting.Setting { return s.Offer("a", "b") }, setting.Setting{Words: []string{"a", "b"}}},
		"names run":    {func(s *setting.Setting) *setting.Setting { return s.NamesRun() }, setting.Setting{RunName: true}},
		"ending":       {func(s *setting.Setting) *setting.Setting { return s.Ending("csv") }, setting.Setting{Endings: []string{"csv"}}},
		"set by run":   {func(s *setting.Setting) *setting.Setting { return s.SetByRun() }, setting.Setting{OfTheRun: true}},
		"of results":   {func(s *setting.Setting) *setting.Setting { return s.OfResults() }, setting.Setting{Results: true}},
		"concurrency":  {func(s *setting.Setting) *setting.Setting { return s.SaysConcurrency() }, setting.Setting{Concurrency: true, Load: true}},
		"load":         {func(s *setting.Setting) *setting.Setting { return s.SaysLoad() }, setting.Setting{Load: true}},
		"size":         {func(s *setting.Setting) *setting.Setting { return s.SaysSize() }, setting.Setting{Size: true, Load: true}},
		"rule":         {func(s *setting.Setting) *setting.Setting { return s.Rule(nil) }, setting.Setting{}},
		"between":      {func(s *setting.Setting) *setting.Setting { return s.Between(0, 1) }, setting.Setting{}},
		"one of":       {func(s *setting.Setting) *setting.Setting { return s.OneOf("a") }, setting.Setting{Closed: true, Words: []string{"a"}}},
		"nothing said": {func(s *setting.Setting) *setting.Setting { return s }, setting.Setting{}},
	} {
		var field int
		s := setting.Field(&field)
		if got := row.say(s); got != s {
			t.Errorf("%s gives back %v", name, got)
		}
		if diff := cmp.Diff(row.want, *s, cmp.FilterPath(func(p cmp.Path) bool {
			one, is := p.Last().(cmp.StructField)
			return is && one.Name()[0] >= 'a' && one.Name()[0] <= 'z'
		}, cmp.Ignore())); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// One word of several, or the only one; what the document leaves out was not given, and is not checked.
func TestOneOf(t *testing.T) {
	for _, row := range []struct {
		value string
		words []string
		omit  bool
		want  string
	}{
		{"a", []string{"a", "b"}, false, ""},
		{"b", []string{"a", "b"}, true, ""},
		{"c", []string{"a", "b"}, false, `--w is "c": it must be one of a, b`},
		{"c", []string{"a", "b"}, true, `--w is "c": it must be one of a, b`},
		{"", []string{"a", "b"}, false, `--w is "": it must be one of a, b`},
		{"", []string{"a", "b"}, true, ""},
		{"a", []string{"a"}, false, ""},
		{"c", []string{"a"}, false, `--w is "c": it must be "a"`},
	} {
		value := row.value
		s := setting.Word(&value, "w", "word", "h").OneOf(row.words...)
		if row.omit {
			s.OmitZero()
		}
		err := setting.New(s).Check()
		if row.want == "" && err != nil || row.want != "" && (err == nil || err.Error() != row.want) {
			t.Errorf("%q of %q: %v, want %s", row.value, row.words, err, row.want)
		}
	}
}

// A command shows what is no secret of it; plan documents have that alone. What is no text is written as it is.
func TestShownBy(t *testing.T) {
	command, list := "sh -c token", []string{"token"}
	hide := func(text string) string { return strings.ReplaceAll(text, "token", "…") }
	set := setting.New(setting.Text(&command, "command", "text", "h").At("in.command").ShownBy(hide),
		setting.List(&list, "list", "text", "h").At("list").ShownBy(hide))
	doc, err := json.Marshal(set)
	if err != nil || string(doc) != `{"in":{"command":"sh -c …"},"list":["token"]}` {
		t.Errorf("%s, %v", doc, err)
	}
	one := set.Lookup("command")
	if one == nil || one.Shown("a token") != "a …" || one.String() != "sh -c token" || !one.Secret {
		t.Errorf("%+v", one)
	}
	if none := (*setting.Setting)(nil); none.String() != "" || new(setting.Setting).String() != "" {
		t.Error("no setting has a value")
	}
}

// A set keeps its groups in the order in which they were begun, says what is needed often, and its document has each
// object once. What has no place is not in it.
func TestGroupsAndPlaces(t *testing.T) {
	var n [5]int
	one := func(i int, path string) *setting.Setting {
		return setting.Count(&n[i], string(rune('a'+i)), "count", "h").At(path)
	}
	set := setting.New(one(0, "x.a")).Group("G", one(1, "y.b"), one(2, "")).Group("", one(3, "x.d")).Group("G", one(4, "e"))
	var names []string
	for _, s := range set.All() {
		names = append(names, s.Heading+s.Name)
	}
	if diff := cmp.Diff([]string{"a", "d", "Gb", "Gc", "Ge"}, names); diff != "" {
		t.Error(diff)
	}
	doc, err := json.Marshal(set)
	if err != nil || string(doc) != `{"x":{"a":0,"d":0},"y":{"b":0},"e":0}` {
		t.Errorf("%s, %v", doc, err)
	}
	if set.Often("e", "a") != set || set.Lookup("e").Often != 1 || set.Lookup("a").Often != 2 || set.Lookup("b").Often != 0 {
		t.Error("the order of what is needed often is lost")
	}
	defer func() {
		if recover() == nil {
			t.Error("what is no flag is needed often")
		}
	}()
	set.Often("f")
}

func TestMayBeSecret(t *testing.T) {
	for _, name := range []string{"TOKEN", "my-secret", "password", "api-key", "credentials", "authorization", "Cookie", "user"} {
		if !setting.MayBeSecret(name) {
			t.Errorf("%s holds no secret", name)
		}
	}
	for _, name := range []string{"", "delay", "size", "tok"} {
		if setting.MayBeSecret(name) {
			t.Errorf("%q holds a secret", name)
		}
	}
}

// Only the demo server takes --target-flag, whose values may be secret and are checked as the server does.
func TestTargetFlag(t *testing.T) {
	var delay time.Duration
	target := &setting.Target{Server: "ship", Example: "delay=1s", Set: setting.New(setting.Duration(&delay, "delay", "h"))}
	var given []string
	if s := target.Flag(&given); !s.Unended || !s.Secret || !s.Several || !strings.HasSuffix(s.Help,
		"'plimsoll serve ship', such as delay=1s; repeatable") {
		t.Errorf("%+v", s)
	}
	for _, row := range []struct {
		url        string
		values     []string
		args       []string
		want, hint string
	}{
		{"", nil, nil, "", ""},
		{"", []string{"delay=2s"}, []string{"--delay=2s"}, "", ""},
		{"http://x", nil, nil, "", ""},
		{"http://x", []string{"delay=2s"}, nil, "--target-flag is for the demo server, but a URL is given", "remove one of them"},
		{"", []string{"zzzzzzzz=1"}, nil, `--target-flag: "zzzzzzzz" is not a flag of 'plimsoll serve ship'`,
			"'plimsoll serve ship --help=all' lists the flags"},
	} {
		args, err := target.ArgsFor(row.url, row.values)
		if diff := cmp.Diff(row.args, args); diff != "" || fault.HintOf(err) != row.hint ||
			(err == nil) != (row.want == "") || err != nil && err.Error() != row.want {
			t.Errorf("%s %q: %v (%s)\n%s", row.url, row.values, err, fault.HintOf(err), diff)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, setting.NamesIn([]string{"--a=1=2", "b", "-c="})); diff != "" {
		t.Error(diff)
	}
}
