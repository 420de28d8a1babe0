package planfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

func kinds() []run.Kind {
	return []run.Kind{http.Kind(), ws.Kind(), chat.Kind(), bandwidth.Kind(), overhead.Kind(), updates.Kind()}
}

// environment has these variables alone.
func environment(of map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := of[name]
		return v, ok
	}
}

func read(text string, env map[string]string) (*planfile.File, error) {
	return planfile.Read("plan.yaml", []byte(text), kinds(), environment(env))
}

// head begins each file below; what follows it begins in line 2.
const head = "plan: plimsoll.plan/v1\n"

// chatWith is a file of one chat with these lines of settings, the first in line 5.
func chatWith(lines ...string) string {
	return head + "runs:\n  - kind: chat\n    settings:\n      " + strings.Join(lines, "\n      ") + "\n"
}

func TestErrorsNameTheirPlace(t *testing.T) {
	env := map[string]string{"TOKEN": "hunter2hunter2", "EMPTY": "", "N": "seven", "URL": "ftp://hunter2/"}
	for name, c := range map[string]struct{ text, want, hint string }{
		"empty":              {"", "plan.yaml: the file is empty", "create one with"},
		"blank":              {" \n\n", "plan.yaml: the file is empty", ""},
		"comments alone":     {"# nothing\n", "plan.yaml: the file contains only comments", ""},
		"a text":             {"hello\n", "plan.yaml:1:1: the file is a single value, not a mapping that starts with plan: plimsoll.plan/v1", ""},
		"a list":             {"- kind: chat\n", "plan.yaml:1:1: the file is a list", ""},
		"no version":         {"runs:\n  - kind: chat\n", "plan.yaml:1:1: plan is missing", "start the file with plan: plimsoll.plan/v1"},
		"newer version":      {"plan: plimsoll.plan/v2\nsteps: []\n", `plan.yaml:1:7: the plan has the version "plimsoll.plan/v2"`, ""},
		"wrong version":      {"plan: 1\n", `plan.yaml:1:7: plan is "1": it must be plimsoll.plan/v1`, ""},
		"listed version":     {"plan: [a]\n", `plan.yaml:1:7: plan is a list`, ""},
		"wrong key, top":     {head + "run:\n  - kind: chat\n", `plan.yaml:2:1: unknown key "run" of a plan file`, "did you mean runs?"},
		"far key, top":       {head + "zebra: 1\n", `plan.yaml:2:1: unknown key "zebra" of a plan file`, "the keys are plan, defaults, thresholds, runs"},
		"no runs":            {head, "plan.yaml:1:1: runs is missing", "kind: http"},
		"null runs":          {head + "runs:\n", "runs is no value, not a list", ""},
		"empty runs":         {head + "runs: []\n", "plan.yaml:2:7: runs is empty", ""},
		"runs no list":       {head + "runs:\n  kind: chat\n", "plan.yaml:3:3: runs is a mapping (key: value), not a list", "start each run with - kind: http"},
		"run no mapping":     {head + "runs:\n  - chat\n", "plan.yaml:3:5: a run is a single value, not a mapping", ""},
		"wrong key, run":     {head + "runs:\n  - kind: chat\n    argument: x\n", `plan.yaml:4:5: unknown key "argument" of a run`, "did you mean arguments?"},
		"setting as key":     {head + "runs:\n  - kind: chat\n    clients: 3\n", `plan.yaml:4:5: unknown key "clients" of a run`, "it is a setting: move it under settings"},
		"no kind":            {head + "runs:\n  - name: x\n", "plan.yaml:3:5: the run has no kind", "the kinds are http, ws, chat, bandwidth"},
		"unknown kind":       {head + "runs:\n  - kind: chta\n", `plan.yaml:3:11: unknown kind "chta"`, "did you mean chat?"},
		"wrong setting":      {chatWith("client: 8"), `plan.yaml:5:7: unknown setting "client" of chat`, "did you mean clients?"},
		"another's":          {chatWith("hot-keys: 8"), `plan.yaml:5:7: unknown setting "hot-keys" of chat`, "it is a setting of updates"},
		"dashes":             {chatWith("--clients: 8"), `plan.yaml:5:7: "--clients" starts with a dash`, "write clients"},
		"wrong type":         {chatWith("clients: many"), `plan.yaml:5:16: clients: "many" is not a whole number`, ""},
		"a list for one":     {chatWith("clients: [1, 2]"), `plan.yaml:5:16: clients is a list, not a single value`, ""},
		"a mapping":          {chatWith("clients: {a: 1}"), `plan.yaml:5:16: clients is a mapping (key: value), not a single value`, ""},
		"a mapping in":       {chatWith("header:", "  - Authorization: x"), `plan.yaml:6:11: the list of header contains a mapping (key: value)`, "quote a value"},
		"no value":           {chatWith("clients:"), `clients has no value`, "remove the line"},
		"no unit":            {chatWith("duration: 5"), `plan.yaml:5:17: duration: "5" has no unit: write 5s or 5ms`, ""},
		"a word":             {chatWith("arrivals: poison", "rate: 5"), `plan.yaml:5:17: arrivals is "poison"`, ""},
		"a rule":             {chatWith("rooms: 0"), `plan.yaml:5:14: rooms is 0: it must be from 1 to`, ""},
		"a rule of two":      {chatWith("insecure: true", "ca: a.pem"), `plan.yaml:6:11: ca and insecure need TLS`, ""},
		"a rule of shares":   {chatWith("text-share: 1"), "plan.yaml:5:19: the shares add up to 110%", ""},
		"a rule of defaults": {head + "defaults:\n  rooms: 0\nruns:\n  - kind: chat\n", "plan.yaml:3:10: rooms is 0", ""},
		"a default of none":  {head + "defaults:\n  romos: 0\nruns:\n  - kind: chat\n", `plan.yaml:3:3: unknown setting "romos" of any kind`, "did you mean rooms?"},
		"an idle default":    {head + "defaults:\n  hot-keys: 5\nruns:\n  - kind: chat\n", `plan.yaml:3:3: no run has the setting "hot-keys"`, ""},
		"the URL":            {head + "runs:\n  - kind: chat\n    arguments: ['ftp://h/']\n", `plan.yaml:4:17: "ftp://h/" has the scheme "ftp"`, ""},
		"too many arguments": {head + "runs:\n  - kind: chat\n    arguments: ['ws://h/', x]\n", `plan.yaml:4:28: too many arguments for chat`, ""},
		"of the command":     {chatWith("json: true"), `plan.yaml:5:7: "json" is not a setting of a plan file`, "plimsoll run FILE --json"},
		"out":                {chatWith("out: x"), `plan.yaml:5:7: "out" is not a setting of a plan file`, ""},
		"threshold":          {chatWith("threshold: p99<1s"), `plan.yaml:5:7: "threshold" is not a setting of a plan file`, "thresholds: ["},
		"indent":             {chatWith("clients: 8", "  rooms: 3"), "plan.yaml:6:9: the line is indented further than the line above", "same column"},
		"outdent":            {head + "runs:\n    - kind: chat\n   - kind: chat\n", "plan.yaml:4:4: the line does not belong to anything above it", ""},
		"two colons":         {chatWith("origin: a: b"), "plan.yaml:5:15: unexpected second colon in the line", "quotes"},
		"a tab":              {head + "runs:\n\t- kind: chat\n", "plan.yaml:3:1: the indentation contains a tab", "spaces"},
		"twice":              {chatWith("clients: 8", "rooms: 2", "clients: 9"), `plan.yaml:7:7: duplicate key "clients": first in line 5`, ""},
		"twice in braces":    {head + "runs: [{kind: chat, kind: chat}]\n", `duplicate key "kind"`, ""},
		"an anchor":          {chatWith("clients: &n 8"), `plan.yaml:5:16: "&": a plan file cannot contain anchors`, "under defaults"},
		"an alias":           {chatWith("clients: *n"), `plan.yaml:5:16: "*": a plan file cannot contain`, ""},
		"a merge key":        {chatWith("<<: {clients: 3}"), `plan.yaml:5:7: "<<": a plan file cannot contain`, ""},
		"a tag":              {chatWith("clients: !!int 8"), `plan.yaml:5:16: "!!int": a plan file cannot contain tags`, ""},
		"a directive":        {"%YAML 1.2\n---\n" + head, `plan.yaml:1:1: a plan file cannot contain directives`, ""},
		"two documents":      {head + "runs:\n  - kind: chat\n---\n" + head, "plan.yaml:4:1: unexpected second document", "under runs"},
		"not UTF-8":          {chatWith("origin: caf\xe9"), "plan.yaml:5:18: the byte 0xe9 is not UTF-8", ""},
		"UTF-16":             {"\xff\xfep\x00l\x00", "plan.yaml: the file is UTF-16", ""},
		"a binary":           {"\x7fELF\x02\x01\x00", "plan.yaml:1:1: control character 0x7f", ""},
		"too large":          {strings.Repeat("# plan\n", 1<<18), "plan.yaml: the file is larger than 1024 KiB", ""},
		"deep":               {strings.Repeat("[", 4000), "the file is nested too deeply", ""},
		"deep mappings":      {strings.Repeat("a: ", 100000), "the file is nested too deeply", ""},
		"deep lists":         {strings.Repeat("- ", 100000), "the file is nested too deeply", ""},
		"unclosed":           {chatWith("origin: 'x"), "plan.yaml:5:15: invalid YAML: could not find end character", ""},
		"unset":              {chatWith("clients: ${CLIENTS}"), "plan.yaml:5:16: the environment variable CLIENTS is not set", "${CLIENTS:-default}"},
		"a lone dollar":      {chatWith("origin: a$b"), "plan.yaml:5:15: single $ in a value", "$$"},
		"no end":             {chatWith("origin: '${A'"), "plan.yaml:5:15: single $ in a value", ""},
		"a bad variable":     {chatWith("clients: ${1A}"), "plan.yaml:5:16: ${1A} is not a variable", ""},
		"another form":       {chatWith("clients: ${A:?x}"), "plan.yaml:5:16: ${A:?x} is not a variable", ""},
		"in a flow list":     {head + "runs:\n  - kind: chat\n    arguments: [${URL}]\n", "invalid YAML", "in quotes"},
		"a bad value":        {chatWith("clients: ${N}"), "plan.yaml:5:16: clients: \"${N}\" is not a whole number", ""},
		"a secret":           {chatWith("header: ${TOKEN}"), "plan.yaml:5:15: header: the value of ${TOKEN} is invalid", "it is not shown"},
		"a secret elsewhere": {chatWith("clients: ${TOKEN}"), "plan.yaml:5:16: clients: the value of ${TOKEN} is invalid", ""},
		"a secret URL":       {head + "runs:\n  - kind: chat\n    arguments: ['${URL}']\n", "plan.yaml:4:17: \"${URL}\" has the scheme", ""},
		"an empty value":     {chatWith("origin: ${EMPTY}"), "plan.yaml:5:15: origin: the value is empty", ""},
		"one file of two":    {head + "defaults: {samples: a.csv}\nruns:\n  - kind: chat\n  - kind: chat\n", `plan.yaml:2:21: samples: "a.csv" is also written by another run, chat 1`, ""},
		"two of one name":    {head + "runs:\n  - kind: chat\n    name: x\n  - kind: chat\n    name: x\n", `plan.yaml:5:5: two runs have the name "x", the other one at line 3`, ""},
		"an empty name":      {head + "runs:\n  - kind: chat\n    name: ' '\n", "plan.yaml:4:11: the name is empty", ""},
		"dashed":             {chatWith("header: [Authorization]"), "plan.yaml:5:16: header: a header must have the form", ""},
		"a name to obey":     {head + "runs:\n  - kind: chat\n    name: \"\\x1b[2J\"\n", "plan.yaml:4:11: the name has a character that cannot be printed", ""},
		"a long name":        {head + "runs:\n  - kind: chat\n    name: " + strings.Repeat("x", 81) + "\n", "plan.yaml:4:11: the name is longer than 80 characters", ""},
		"settings no map":    {head + "runs:\n  - kind: chat\n    settings: clients\n", "plan.yaml:4:15: settings is a single value, not a mapping", ""},
		"too many runs":      {head + "runs:\n" + strings.Repeat("  - kind: chat\n", 1001), "plan.yaml:3:3: it has 1001 runs: the maximum is 1000", ""},
		"a threshold":        {head + "thresholds: [p99<=1s]\nruns:\n  - kind: chat\n    thresholds: [ok>1, \"p99<5\"]\n", `plan.yaml:5:24: threshold "p99<5": "5" has no unit`, ""},
		"one of the file":    {head + "thresholds: [p99<=1s, p0<2]\nruns:\n  - kind: chat\n    thresholds: ok>1\n", `plan.yaml:2:23: threshold "p0<2": `, ""},
		"another's figure":   {head + "thresholds: visibility.p99<1s\nruns:\n  - kind: chat\n", `plan.yaml:2:13: threshold "visibility.p99<1s": visibility.p99 is a metric of updates, not of chat`, ""},
		"target flag":        {chatWith("target-flag: [delay=20ms, dealy=1s]"), `plan.yaml:5:33: target-flag: "dealy" is not a flag of`, "did you mean delay"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text, env)
			if err == nil {
				t.Fatalf("accepted; want an error with %q", c.want)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is\n%s\nwant in it\n%s", err, c.want)
			}
			if hint := fault.HintOf(err); !strings.Contains(hint, c.hint) {
				t.Errorf("the hint is %q; want %q in it", hint, c.hint)
			}
			if fault.CodeOf(err) != fault.Usage {
				t.Errorf("exit code %d, want 2", fault.CodeOf(err))
			}
			all := err.Error() + fault.HintOf(err)
			if strings.Contains(all, "\n") || len(all) > 400 {
				t.Errorf("it is no clear line: %q", all)
			}
			if strings.Contains(all, "hunter2") {
				t.Errorf("a secret is in %q", all)
			}
		})
	}
}

// One look at the file tells of each run what is wrong with it, in one line and in order; what runs share is told once.
func TestErrorsOfSeveralRunsAreReportedTogether(t *testing.T) {
	run := func(line string) string { return "  - kind: chat\n    settings: {" + line + "}\n" }
	for name, c := range map[string]struct{ text, want, hint string }{
		"each": {run("client: 3") + run("clients: 3") + run("clients: 0") + run("rooms: x"),
			`plan.yaml:4:16: unknown setting "client" of chat; plan.yaml:8:25: clients is 0: at least 1 client is needed; ` +
				`plan.yaml:10:23: rooms: "x" is not a whole number`, "for the first: did you mean clients?"},
		"shared": {run("rooms: 3") + run("clients: 3") + "defaults: {client: 3}\n",
			`plan.yaml:7:12: unknown setting "client" of any kind`, "did you mean clients?"},
		"many": {strings.Repeat(run("x: 3"), 9),
			`plan.yaml:4:16: unknown setting "x" of chat; plan.yaml:6:16: unknown setting "x" of chat; ` +
				`plan.yaml:8:16: unknown setting "x" of chat; plan.yaml:10:16: unknown setting "x" of chat; and 5 more`,
			"for the first: run 'plimsoll chat --help' for its settings"},
	} {
		_, err := read(head+"runs:\n"+c.text, nil)
		if fmt.Sprint(err) != c.want || fault.HintOf(err) != c.hint || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v\nhint: %s", name, err, fault.HintOf(err))
		}
	}
}

// What is given is what the command line would take from the same words.
func TestReadMatchesTheCommandLine(t *testing.T) {
	const text = "\ufeff# a comment\r\nplan: plimsoll.plan/v1\r\n" +
		"defaults: # for all\r\n  seed: 7\r\n  clients: 3\r\n  streams: 2\r\n  header: ['X-A: 1']\r\n" +
		"runs:\r\n  - kind: chat\r\n    name: small\r\n    arguments: \"wss://${HOST:-example.org}/c?t=${TOKEN}\"\r\n" +
		"    settings:\r\n      clients: 1_000\r\n      insecure: true\r\n      origin: http://$$5\r\n      messages: 2000000\r\n      header:\r\n" +
		"        - 'Authorization: Bearer ${TOKEN}'\r\n        - 'X-B: ${INJECTED}'\r\n" +
		"  - {kind: bandwidth, arguments: [64m, 'mem:/a'], settings: {policy: \"prefetch,random\"}}\r\n" +
		"  - kind: bandwidth\r\n"
	env := map[string]string{"TOKEN": "hunter2hunter2", "INJECTED": "a\": {kind: x}, # ["}
	f, err := read(text, env)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range f.Runs {
		names = append(names, r.Name)
	}
	if diff := cmp.Diff([]string{"small", "bandwidth 1", "bandwidth 2"}, names); diff != "" {
		t.Error(diff)
	}
	got := planOf(t, f.Runs[0])
	for _, want := range []string{
		`"url":"wss://example.org/c?t=…"`, `"clients":1000`, `"seed":7`, `"insecure":true`, `"origin":"http://$5"`,
		`"headers":{"Authorization":"…","X-B":"…"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "hunter2") {
		t.Errorf("a secret is in %s", got)
	}
	for _, want := range []string{`"streams":2`, `"policy":"prefetch,random"`, `"size_bytes":67108864`, `"seed":7`} {
		if got := planOf(t, f.Runs[1]); !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func planOf(t *testing.T, r *planfile.Run) string {
	t.Helper()
	text, err := json.Marshal(r.Command.Settings())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
