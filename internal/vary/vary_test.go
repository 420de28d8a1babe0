package vary

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// settings are some of a kind.
func settings() *setting.Set {
	var clients int
	var pause time.Duration
	var policy, token string
	var rate float64
	return setting.New(
		setting.Count(&clients, "clients", "count", "").SaysConcurrency(),
		setting.Duration(&pause, "pause", ""),
		setting.Rate(&rate, "rate", ""),
		setting.Text(&policy, "policy", "name", ""),
		setting.Text(&token, "token", "text", "").WrittenAs(func() any { return "…" }),
	)
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Setting{
		"clients=1,2,4":         {"clients", []string{"1", "2", "4"}, true, true, false},
		"--clients = 1 , 2":     {"clients", []string{"1", "2"}, true, true, false},
		"clients=1..64*2":       {"clients", []string{"1", "2", "4", "8", "16", "32", "64"}, true, true, false},
		"clients=10..50+20,100": {"clients", []string{"10", "30", "50", "100"}, true, true, false},
		"clients=1..50*3":       {"clients", []string{"1", "3", "9", "27"}, true, true, false},
		"rate=0.1..0.5+0.1":     {"rate", []string{"0.1", "0.2", "0.3", "0.4", "0.5"}, true, false, false},
		"pause=1ms..4ms*2":      {"pause", []string{"1ms", "2ms", "4ms"}, true, false, false},
		// With _ as flags take them, and never as 1e+07; of twelve digits, and up to the end that was given.
		"clients=1_000..2_000+500":     {"clients", []string{"1000", "1500", "2000"}, true, true, false},
		"clients=20000000..40000000*2": {"clients", []string{"20000000", "40000000"}, true, true, false},
		"rate=1.00000000001..1.9+0.5":  {"rate", []string{"1.00000000001", "1.50000000001"}, true, false, false},
		"rate=1.000000000004..1.9+0.5": {"rate", []string{"1", "1.5"}, true, false, false},
		"rate=1..2.999999+1":           {"rate", []string{"1", "2"}, true, false, false},
		"policy=../a,b..c":             {"policy", []string{"../a", "b..c"}, false, false, false},
	} {
		if got, err := Parse(text, settings); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"clients":           `--vary "clients": the format is NAME=VALUES`,
		"=1,2":              `--vary "=1,2": the format is NAME=VALUES`,
		"":                  `the format is NAME=VALUES`,
		"client=1,2":        `unknown setting "client": did you mean clients?`,
		"elephants=1,2":     `unknown setting "elephants": a setting has the name of its flag`,
		"clients=":          "a value is empty",
		"clients=1,,2":      "a value is empty",
		"clients=8":         "a sweep needs at least two values, and 8 is one",
		"clients=8,8":       "8 is given twice",
		"pause=1s,1000ms":   "1s and 1000ms are the same",
		"clients=1,1_000,x": `"x" is not a whole number`,
		"clients=1,2ms":     `"2ms" is not a whole number`,
		"pause=1ms,2MB":     `"2MB"`,
		"clients=1..8":      "has no step",
		"clients=a..8*2":    "is not made of numbers",
		"clients=1..8*1":    "does not increase",
		"clients=0..8*2":    "does not increase",
		"clients=1..8+0":    "does not increase",
		"clients=8..1*2":    "ends below its start",
		"pause=1ms..4s*2":   "has more than one unit",
		"pause=1ms..4ms+1":  "has more than one unit",
		"clients=1..9e9+1":  "has more than one unit",
		"clients=1..9999+1": "more than 1000 values",
		"clients=1..1001+1": "more than 1000 values",
		"clients=1..*2":     "is not made of numbers",
		"clients=inf..9*2":  "is not made of numbers",
		"clients=1..Inf*2":  "is not made of numbers",
		"clients=-1..8+1":   "is not made of numbers",
		"pause=1:..4:*2":    `"1:"`,
		"clients=1..8*1.5":  `"1.5" is not a whole number`,
		"token=a,b":         "its values may be secret",
	} {
		_, err := Parse(text, settings)
		if err == nil || !strings.Contains(err.Error()+": "+fault.HintOf(err), want) || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// As many values as there may be are taken.
func TestMostValues(t *testing.T) {
	if v, err := Parse("clients=1..1000+1", settings); err != nil || len(v.Values) != Most || v.Values[Most-1] != "1000" {
		t.Errorf("%d values, %v", len(v.Values), err)
	}
}

// Where nobody can tell what a value means, each text is a value of its own; a name that was meant is found among those that
// have one.
func TestSettingsWithoutWords(t *testing.T) {
	of := func() *setting.Set {
		var text, field string
		return setting.New(setting.Field(&field), setting.Of(&text, "mode", "text", "",
			func(s string) (string, error) { return s, nil }, func(string) string { return "" }))
	}
	if v, err := Parse("mode=a,b", of); err != nil || !slices.Equal(v.Values, []string{"a", "b"}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Parse("mode=a,a", of); err == nil || !strings.Contains(err.Error(), "a is given twice") {
		t.Errorf("%v", err)
	}
	short := func() *setting.Set {
		var n int
		return setting.New(setting.Field(&n), setting.Count(&n, "n", "count", ""))
	}
	if _, err := Parse("x=1,2", short); err == nil || !strings.HasPrefix(fault.HintOf(err), "did you mean n? ") {
		t.Errorf("%v: %s", err, fault.HintOf(err))
	}
	// Of the settings that a demo server takes, no value is kept that may be secret.
	server := func() *setting.Set {
		var flag string
		one := setting.Text(&flag, "target-flag", "text", "")
		one.Secret, one.Unended = true, true
		return setting.New(one)
	}
	if v, err := Parse("target-flag=delay=1ms,delay=2ms", server); err != nil || len(v.Values) != 2 {
		t.Errorf("%v, %v", v, err)
	}
	_, err := Parse("target-flag=delay=1ms,token=x", server)
	if err == nil || !strings.Contains(err.Error(), "token may be secret, and a sweep saves the values it varies") ||
		fault.HintOf(err) != "run one sweep for each value, with --target-flag" || fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v: %s", err, fault.HintOf(err))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("clients=1..64*2")
	f.Add("pause=1ms..4ms+1ms,8ms")
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := Parse(text, settings); err == nil && (len(v.Values) < 2 || len(v.Values) > Most) {
			t.Errorf("%q has %d values", text, len(v.Values))
		}
	})
}

func TestCells(t *testing.T) {
	got := Cells([]Setting{{Values: []string{"1", "2"}}, {Values: []string{"a", "b"}}})
	want := [][]string{{"1", "a"}, {"1", "b"}, {"2", "a"}, {"2", "b"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

func TestGiven(t *testing.T) {
	if got, want := Given(2, 2), []Run{{0, 1}, {1, 1}, {0, 2}, {1, 2}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// Each run is there once, in an order that follows from the seed and mixes levels and repeats.
func TestRandom(t *testing.T) {
	const cells, repeats = 6, 3
	one, same, other := Random(cells, repeats, 1), Random(cells, repeats, 1), Random(cells, repeats, 2)
	if !slices.Equal(one, same) || slices.Equal(one, other) || slices.Equal(one, Given(cells, repeats)) {
		t.Errorf("%v\n%v\n%v", one, same, other)
	}
	seen := map[Run]bool{}
	for _, r := range one {
		seen[r] = true
	}
	if len(seen) != cells*repeats || !slices.ContainsFunc(one[:cells], func(r Run) bool { return r.Repeat > 1 }) {
		t.Errorf("%v", one)
	}
}
