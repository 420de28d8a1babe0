package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/run/sweeps"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/vary"
)

// TestSweepRefusesBadInput checks that a sweep which cannot be made is refused before anything starts.
func TestSweepRefusesBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ words, want string }{
		{"chat", "a sweep needs --vary\nhint: for example: --vary clients=1,2,4,8"},
		{"chat --vary clients", `--vary "clients": the format is NAME=VALUES`},
		{"chat --vary client=1,2", `unknown setting "client"` + "\nhint: did you mean clients?"},
		{"chat --vary clients=4", "--vary clients: a sweep needs at least two values, and 4 is one"},
		{"chat --vary clients=4,4", "--vary clients: 4 is given twice"},
		{"chat --vary clients=1,2ms", `--vary clients: "2ms" is not a whole number`},
		{"chat --vary clients=0,1", "with clients 0: --clients is 0"},
		{"chat --vary out=a,b", "--vary out: it does not affect the measurement"},
		{"chat --vary seed=1,2", "--vary seed: each repetition has a seed of its own"},
		{"chat --vary header=a:b,c:d", "--vary header: its values may be secret"},
		{"chat --vary clients=1,2 --clients 3", "--vary clients and --clients cannot be combined"},
		{"chat --vary clients=1,2 --samples x.csv", "--samples: each run of a sweep would overwrite x.csv"},
		{"chat --vary clients=1..999+1 --repeat 2", "this sweep has 1998 runs (999 settings, 2 times each)"},
		{"chat --vary clients=1,2 --json --markdown", "--json and --markdown "},
		{"chat --vary clients=1,2 --vary rooms=1,2 --vary users=1,2", "--vary is given 3 times: at most 2"},
		{"updates --vary rate=10,20 --max", "plimsoll: --max makes several runs"},
		{"chat --vary clients=1,2 --metric p98x", `--metric: "p98x" is not a metric of chat`},
		{"chat --vary clients=1,2 --metric failed", "--metric is failed: it must be a rate or a time"},
		{"chat http://127.0.0.1:1/x --vary clients=1,2", `plimsoll: "http://127.0.0.1:1/x" has the scheme http`},
		{"http http://127.0.0.1:1/ --clients 1,4", "write --vary clients=1,4\n"},
		{"chatt --vary clients=1,2", `"chatt" is not a command of plimsoll sweep` + "\nhint: did you mean 'plimsoll sweep chat'?"},
	} {
		code, stdout, stderr := execute(t, append([]string{"sweep"}, strings.Fields(test.words)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d\n%s%swant %q", test.words, code, stdout, stderr, test.want)
		}
	}
}

// TestSweepHasADefaultMetric checks the metric by which the settings of each kind are compared.
func TestSweepHasADefaultMetric(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, vary, only, asked string
		want                    string
	}{
		{kind: "chat", vary: "clients=1,2", want: "rate per_s"},
		{kind: "chat", vary: "clients=1,2", asked: "p50", want: "p50 ns"},
		{kind: "updates", vary: "rate=1,2", want: "applied per_s"},
		{kind: "bandwidth", vary: "streams=1,2", want: "upload bytes_per_s"},
		{kind: "bandwidth", vary: "policy=sequential,prefetch", want: "download bytes_per_s"},
		{kind: "bandwidth", vary: "block=1m,2m", only: "upload", want: "upload bytes_per_s"},
		{kind: "overhead", vary: "concurrency=1,2", want: "client.p50 ns"},
	} {
		k := kinds()[slices.IndexFunc(kinds(), func(k run.Kind) bool { return k.Name == test.kind })]
		v, err := vary.Parse(test.vary, func() *setting.Set { return k.New().Settings() })
		if err != nil {
			t.Fatal(err)
		}
		r := &sweeps.Request{
			Kind: k, Figure: test.asked, Vary: []vary.Setting{v}, Repeats: 1, Forms: run.Forms{NoSave: true},
		}
		if test.only != "" {
			r.Given = []several.Given{{Name: "only", Values: []string{test.only}}}
		}
		s, err := sweeps.New(&run.Env{}, r)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		if f := s.Doc.Sweep.Figure; f.Name+" "+f.Unit != test.want {
			t.Errorf("%+v goes by %s %s", test, f.Name, f.Unit)
		}
	}
}

// TestSweepHelp checks that the help of a sweep refers to that of its kind, and that a shell offers the kind's flags.
func TestSweepHelp(t *testing.T) {
	t.Parallel()
	code, help, _ := execute(t, "sweep", "chat", "--help")
	if code != 0 || !strings.Contains(help, "--vary") || !strings.Contains(help, "'plimsoll chat'") ||
		strings.Contains(help, "--message-size") {
		t.Errorf("status %d: %s", code, help)
	}
	if _, offered, _ := execute(t, "__complete", "sweep", "chat", "--mess"); !strings.Contains(offered, "--message-size") {
		t.Errorf("completion of --mess: %q", offered)
	}
	_, offered, _ := execute(t, "__complete", "sweep", "chat", "--vary", "cli")
	if !strings.Contains(offered, "clients=") || strings.Contains(offered, "json=") {
		t.Errorf("completion of --vary: %q", offered)
	}
}
