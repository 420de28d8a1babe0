package planfile_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// bare is a kind that has two settings and takes what it gets.
type bare struct {
	Size, Out, Endpoint string
	On                  bool
	set                 *setting.Set
}

func (b *bare) Settings() *setting.Set {
	if b.set == nil {
		endpoint := setting.Text(&b.Endpoint, "endpoint", "url", "")
		endpoint.Secret = true
		b.set = setting.New(setting.Text(&b.Size, "size", "text", "").At("size"), setting.Output(&b.Out, "file", "file", "").At("file"), endpoint,
			setting.Switch(&b.On, "on", ""))
	}
	return b.set
}
func (b *bare) Resolve([]string, func(string) bool) error { return nil }
func (b *bare) Run(context.Context, *run.Env) error       { return nil }
func (b *bare) Job(*run.Env) (run.Job, error) {
	if b.Size == "none" {
		return run.Job{}, fault.New(fault.Usage, "--size makes no run")
	}
	return run.Job{Workload: b.Size}, nil
}

func readBare(text string) (*planfile.File, error) {
	kinds := []run.Kind{{Name: "bare", New: func() run.Command { return new(bare) }}, {Name: "bore", New: func() run.Command { return new(bare) }}}
	return planfile.Read("dir/f", []byte(text), kinds, environment(map[string]string{"TOKEN": "hunter2"}))
}

// Mistakes beside those that the kinds of traffic can make, with their hints.
func TestErrorsOfAnyKind(t *testing.T) {
	list := func(runs ...string) string { return head + "runs:\n  - " + strings.Join(runs, "\n  - ") + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"the most runs":           {list(slices.Repeat([]string{"kind: bare"}, 1000)...), ""},
		"no runs":                 {head, "dir/f:1:1: runs is missing; add runs: with a list of runs, such as - kind: bare"},
		"empty runs":              {head + "runs: []\n", "dir/f:2:7: runs is empty; start each run with - kind: bare"},
		"no mapping":              {list("bare"), "dir/f:3:5: a run is a single value, not a mapping; start it with - kind: bare, and add its other keys below"},
		"a setting on top":        {head + "size: 3\n", `dir/f:2:1: unknown key "size" of a plan file; the keys are plan, defaults, thresholds, runs`},
		"a list of names":         {list("kind: bare\n    name: [a]"), "dir/f:4:11: name is a list, not a single value; "},
		"a list of kinds":         {list("kind: [bare]"), "dir/f:3:11: kind is a list, not a single value; "},
		"no kind":                 {list("kind:"), "dir/f:3:11: kind has no value; remove the line, or add a value"},
		"another kind":            {list("kind: zebra"), `dir/f:3:11: unknown kind "zebra"; the kinds are bare, bore`},
		"no name":                 {list("kind: bare\n    name:"), "dir/f:4:11: name has no value; "},
		"a long name":             {list("kind: bare\n    name: " + strings.Repeat("ä", 80)), ""},
		"arguments no list":       {list("kind: bare\n    arguments: {a: b}"), "dir/f:4:16: arguments is a mapping (key: value), not a value or a list of values; quote a value that contains a colon and a space"},
		"a bad argument":          {list("kind: bare\n    arguments: ['$x']"), "dir/f:4:17: single $ in a value; "},
		"a mapping in a list":     {list("kind: bare\n    arguments: [{a: b}]"), "dir/f:4:17: the list of arguments contains a mapping (key: value): it must be a value or a list of values; "},
		"thresholds no list":      {list("kind: bare\n    thresholds: {a: b}"), "dir/f:4:17: thresholds is a mapping (key: value), not a value or a list of values; "},
		"no thresholds":           {list("kind: bare\n    thresholds: p99<1s"), "dir/f:4:17: bare has no thresholds; "},
		"near one of the command": {list("kind: bare\n    settings: {jsn: true}"), `dir/f:4:16: unknown setting "jsn" of bare; run 'plimsoll bare --help' for its settings`},
		"any arguments":           {list("kind: bare\n    arguments: [a, b, c]"), ""},
		"one name":                {"{plan: plimsoll.plan/v1, runs: [{kind: bare, name: x}, {kind: bare, name: x}]}", `dir/f:1:56: two runs have the name "x", the other one at line 1; give each run its own name`},
		"one file":                {list("kind: bare\n    settings: {file: a}", "kind: bare\n    settings: {file: ./a}"), `dir/f:6:22: file: "./a" is also written by another run, bare 1; give each run its own file`},
		"two files":               {list("kind: bare\n    settings: {file: a, size: s}", "kind: bare\n    settings: {file: b, size: s}"), ""},
	} {
		_, err := readBare(c.text)
		got := ""
		if err != nil {
			got = err.Error() + "; " + fault.HintOf(err)
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// What a set document has of a plan is what the file gives, without secrets.
func TestWhatASetHasOfAPlan(t *testing.T) {
	f, err := readBare("{plan: plimsoll.plan/v1, runs: [{kind: bare, arguments: ['http://u:p@h/'], settings: {size: '${TOKEN}', endpoint: 'http://u:p@h/x', on: true}}, " +
		"{kind: bore, name: b, settings: {on: false, size: true}}]}")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema, File string
		Runs         []struct {
			Name, Kind string
			Given      []string
			Plan       map[string]any
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "plimsoll.plan/v1" || got.File != "f" || len(got.Runs) != 2 || got.Runs[1].Name != "b" || got.Runs[1].Kind != "bore" || got.Runs[1].Plan["size"] != "true" {
		t.Errorf("%s", text)
	}
	given := [][]string{got.Runs[0].Given, got.Runs[1].Given}
	want := [][]string{{"http://h/", "size ${TOKEN}", "endpoint http://h/x", "on"}, {"on false", "size true"}}
	if diff := cmp.Diff(want, given); diff != "" {
		t.Error(diff)
	}
	jobs, err := f.Jobs(nil)
	if err != nil || len(jobs) != 2 || jobs[1].Workload != "true" {
		t.Errorf("%+v, %v", jobs, err)
	}
	f, err = readBare("{plan: plimsoll.plan/v1, runs: [{kind: bare}, {kind: bare, settings: {size: none}}]}")
	if err != nil {
		t.Fatal(err)
	}
	if jobs, err := f.Jobs(nil); jobs != nil || err == nil || err.Error() != "dir/f:1:77: size makes no run" {
		t.Errorf("%+v, %v", jobs, err)
	}
}
