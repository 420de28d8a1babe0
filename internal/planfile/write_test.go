package planfile_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
)

// A command line, the plan that is written of it, and that plan read again: the run is the same, whatever is given.
func TestWrittenPlanReadsBackAsTheCommandLine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range kinds() {
		made := 0
		for tries := 0; tries < 100 || made < 20 && tries < 3000; tries++ {
			made += again(t, k, random)
		}
		if made < 20 {
			t.Errorf("only %d command lines of %s were taken: too few to say something", made, k.Name)
		}
	}
}

// ofTheCommand reports whether a setting is that of the command which runs the plan, and so in no plan.
func ofTheCommand(name string) bool {
	return slices.ContainsFunc(new(run.Forms).Settings(), func(s *setting.Setting) bool {
		return s.Name == name && !s.Several
	})
}

// again writes and reads a command line, unless it is refused.
func again(t *testing.T, k run.Kind, random *rand.Rand) int {
	t.Helper()
	direct := k.New()
	set := direct.Settings()
	given := map[string]bool{}
	for _, s := range set.All() {
		if s.Name == "" || random.IntN(12) > 0 || ofTheCommand(s.Name) {
			continue
		}
		for range 1 + random.IntN(2) {
			if s.Set(anyValue(s, random)) == nil {
				given[s.Name] = true
			}
		}
	}
	var args []string
	if k.Help.Most > 0 && random.IntN(2) == 0 {
		args = []string{pick(random, map[string][]string{
			"http":      {"https://h.example/a?x=${int 1 9}&token=t", "http://h/ü", "http://h:8080"},
			"ws":        {"wss://u:p%40$@h.example:1/c/{room}?t=x$", "ws://h/ü", "ws://h"},
			"chat":      {"wss://u:p%40$@h.example:1/c/{room}?t=x$&room={room}&y", "ws://h/ü", "ws://h"},
			"bandwidth": {"mem:/a", "file:/a b", "s3://bucket/key?x=1#2", "8m"},
			"updates":   {"nats://u:p@h:4222/s?stream=x", "redis://h/x"},
		}[k.Name]...)}
	}
	isGiven := func(name string) bool { return given[name] }
	if direct.Resolve(args, isGiven) != nil {
		return 0
	}
	text, secrets, err := planfile.Write(planfile.Call{Kind: k.Name, Arguments: args, Settings: set, Changed: isGiven})
	if err != nil {
		t.Fatalf("%s %q: %v", k.Name, args, err)
	}
	f, err := read(text, secrets)
	if err != nil {
		t.Fatalf("%v: it is\n%s", err, text)
	}
	r := f.Runs[0]
	if diff := cmp.Diff(args, r.Arguments); diff != "" {
		t.Fatalf("%s of\n%s", diff, text)
	}
	if diff := cmp.Diff(comparable(t, direct, isGiven("seed")), comparable(t, r.Command, isGiven("seed"))); diff != "" {
		t.Fatalf("%s of\n%s", diff, text)
	}
	for _, s := range set.All() {
		wanted := s.Texts()
		if !s.Several {
			wanted = wanted[max(0, len(wanted)-1):]
		}
		if got := r.Settings.Lookup(s.Name); s.Name != "" && !slices.Equal(wanted, got.Texts()) {
			t.Fatalf("%s is %q, want %q, of\n%s", s.Name, got.Texts(), wanted, text)
		}
	}
	for _, secret := range secrets {
		if len(secret) > 5 && strings.Contains(text, secret) {
			t.Fatalf("%q is in\n%s", secret, text)
		}
	}
	return 1
}

// comparable is the plan of a command, without what no two calls have in common.
func comparable(t *testing.T, c run.Command, seeded bool) any {
	t.Helper()
	text, err := json.Marshal(c.Settings())
	if err != nil {
		t.Fatal(err)
	}
	var plan map[string]any
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	delete(plan, "commit_base")
	if load, ok := plan["load"].(map[string]any); ok && !seeded {
		delete(load, "seed")
	}
	return plan
}

func pick(random *rand.Rand, of ...string) string { return of[random.IntN(len(of))] }

// anyValue is a value that a setting may take.
func anyValue(s *setting.Setting, random *rand.Rand) string {
	switch s.Name {
	case "header":
		return pick(random, "Authorization: Bearer hunter2$$x", "X-A:b", "X-A: 'q' \"d\" \\ # : ${HOME}", "X-Ü: y")
	case "define":
		return pick(random, "fs.s3a.access.key=hunter2", "a=b=c", "x=")
	case "target-flag":
		return pick(random, "delay=20ms", "drop-rate=1%", "secret-key=hunter2hunter2", "listen=x")
	case "threshold":
		return pick(random, "p99<50ms", "failed < 0.1%", "rate>1000/s", "p95{type=TEXT}<20ms")
	case "protocol":
		return pick(random, "chat", "echo", "socketio", "stomp")
	case "message":
		return pick(random, `{"id":${id},"$":"x"}`, "ping", "a: b")
	case "answers":
		return pick(random, "order", "only", "/id")
	case "label":
		return pick(random, "a b", "- x", "null", "no", "1e3", "ü: #", "$HOME", "'", "@x", "0x10", "a: b", "{", "!t", "&a", "*a")
	case "stages":
		return pick(random, "1s:20,2s:30", "5s:10")
	case "chart":
		return pick(random, "a.svg", "b c.png")
	case "kv", "endpoint":
		return pick(random, "http://h:1", "http://u:hunter2@h/?k=hunter2hunter2")
	}
	switch {
	case s.Switch():
		return pick(random, "true", "false")
	case len(s.Words) > 0 && random.IntN(4) > 0:
		return pick(random, s.Words...)
	}
	switch s.Kind {
	case "duration":
		return pick(random, "1s", "PT5S", "1m30s", "500ms", "0s", "0")
	case "size":
		return pick(random, "64", "1KiB", "8MiB", "1.5m")
	case "share":
		return pick(random, "5%", "0.1", "1", ".5", "1e-1")
	case "rate":
		return pick(random, "100", "1e3", "0.5", " 7")
	case "count", "number", "bytes", "characters":
		return pick(random, "1", "2", "8", "1_000", "10", "007", "+3")
	}
	return pick(random, "x", "a b", "~", "null", "no", "-", "--", "a\tb", "a\nb", "é", "1.0", "$x", "${X}", "\"", "\\", "[", "% y",
		"\u2028", "http://"+s.Name) // no other setting has this one: a secret must be found only where it was left
}

// What is written is what a person can read and run.
func TestWrittenPlan(t *testing.T) {
	c := kinds()[0].New()
	set := c.Settings()
	given := map[string]bool{}
	for _, pair := range [][2]string{
		{"clients", "8"}, {"header", "Authorization: Bearer x"}, {"header", "X-Tenant: acme"}, {"json", "true"},
		{"duration", "30s"}, {"insecure", "true"}, {"target-flag", "delay=20ms"},
	} {
		if err := set.Lookup(pair[0]).Set(pair[1]); err != nil {
			t.Fatal(err)
		}
		given[pair[0]] = true
	}
	got, secrets, err := planfile.Write(planfile.Call{
		Kind: "chat", Arguments: []string{"wss://me:hunter2@chat.example.org/ws?token=hunter3"}, Settings: set,
		Changed: func(name string) bool { return given[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Plan of one run of 'plimsoll chat', with the flags given on its command line.
# Run it with 'plimsoll run FILE'. Add more runs under runs, and shared settings under defaults.
# Left out because they control the output: --json. Set them for 'plimsoll run'.
# Values that may be secret were left out. Set these environment variables before you run the plan:
#   URL_USER: user and password in the URL, as user:password
#   URL_TOKEN: token in the URL
#   AUTHORIZATION: header Authorization
#   X_TENANT: header X-Tenant
plan: plimsoll.plan/v1
runs:
  - kind: chat
    arguments:
      - 'wss://${URL_USER}@chat.example.org/ws?token=${URL_TOKEN}'
    settings:
      clients: 8
      duration: 30s
      header:
        - 'Authorization: ${AUTHORIZATION}'
        - 'X-Tenant: ${X_TENANT}'
      insecure: true
      target-flag:
        - 'delay=20ms'
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wanted := map[string]string{
		"URL_USER": "me:hunter2", "URL_TOKEN": "hunter3", "AUTHORIZATION": "Bearer x", "X_TENANT": "acme",
	}
	if diff := cmp.Diff(wanted, secrets); diff != "" {
		t.Error(diff)
	}
}

func TestWriteRefusesValuesThatAreNotUTF8(t *testing.T) {
	set := chat.Kind().New().Settings()
	if err := set.Lookup("origin").Set("\xff"); err != nil {
		t.Fatal(err)
	}
	_, _, err := planfile.Write(planfile.Call{
		Kind: "chat", Settings: set, Changed: func(name string) bool { return name == "origin" },
	})
	if want := "the value of --origin is not valid UTF-8, which a plan file needs"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(chatWith("clients: 8", "header: ['A: ${B}']")))
	f.Add([]byte(head + "defaults: {seed: 1}\nthresholds: ['p99<1s']\nruns: [{kind: overhead, arguments: [S3]}]\n"))
	f.Add([]byte("plan: |\n  x\n"))
	all := kinds()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		file, err := planfile.Read("f", data, all, environment(map[string]string{"B": "hunter2hunter2"}))
		switch {
		case err == nil && len(file.Runs) == 0:
			t.Error("a plan without runs was taken")
		case err != nil && !strings.HasPrefix(err.Error(), "f:"):
			t.Errorf("%q names no file", err)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%q holds a secret", err)
		}
	})
}
