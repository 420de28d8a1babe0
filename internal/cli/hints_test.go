package cli

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/othertools"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/run"
)

// tryParsing reports what is wrong with a command line of ours, without carrying it out.
func tryParsing(line string) error {
	words := shellWords(line)
	if len(words) == 0 || words[0] != "plimsoll" {
		return errors.New("it is no command of plimsoll")
	}
	root := newRoot(&Env{Args: words[1:]})
	cmd, rest, err := root.Find(words[1:])
	if err != nil {
		return err
	}
	if slices.Contains(rest, "--help") {
		return nil
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return cmd.FlagErrorFunc()(cmd, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	return resolves(cmd.Name(), rest)
}

// resolves checks the settings of a kind's command as a run does.
func resolves(name string, args []string) error {
	for _, k := range kinds() {
		if k.Name != name {
			continue
		}
		c, probe := k.New(), &cobra.Command{}
		command.AddFlags(probe, c.Settings())
		if err := probe.ParseFlags(args); err != nil {
			return err
		}
		return c.Resolve(probe.Flags().Args(), probe.Flags().Changed)
	}
	return nil
}

// shellWords are the words of a command, up to where its output goes.
func shellWords(line string) []string {
	line, _, _ = strings.Cut(line, " > ")
	var words []string
	for _, w := range regexp.MustCompile(`'[^']*'|[^ ]+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(w, "'"))
	}
	return words
}

// quotedCommands are the commands of ours in a hint.
func quotedCommands(hint string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`'(plimsoll [^']*)'`).FindAllStringSubmatch(hint, -1) {
		all = append(all, m[1])
	}
	return all
}

// Each flag of other tools leads to one of ours, in each command: what the hint says to write parses there.
func TestFlagsOfOtherTools(t *testing.T) {
	peertest.NothingRaces(t, "texts alone")
	t.Parallel()
	write := regexp.MustCompile(`here write (.*?)(?: \(.*\))?$`)
	secure := map[string]string{"http": "https", "chat": "wss", "ws": "--message TEXT wss"}
	found := 0
	for _, k := range kinds() {
		cmd, _, err := newRootFor(nil).Find([]string{k.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range othertools.Flags() {
			dashed := "--" + typed.Flag
			if len(typed.Flag) == 1 {
				dashed = "-" + typed.Flag
			}
			args := []string{k.Name, dashed}
			if typed.Value != "" {
				args = append(args, typed.Value)
			}
			if cmd.Flags().Lookup(typed.Flag) != nil || cmd.Flags().ShorthandLookup(typed.Flag[:1]) != nil && len(typed.Flag) == 1 {
				continue // it is one of ours
			}
			parsed := cmd.ParseFlags(args[1:])
			if parsed == nil {
				t.Errorf("%v is understood", args)
				continue
			}
			hint := fault.HintOf(flagErrors(args)(cmd, parsed))
			if !strings.Contains(hint, dashed+" is ") {
				t.Errorf("%v: %q does not say what it is elsewhere", args, hint)
				continue
			}
			commands := quotedCommands(hint)
			if m := write.FindStringSubmatch(hint); m != nil && !strings.HasPrefix(m[1], "'plimsoll ") {
				line := "plimsoll " + k.Name + " " + m[1]
				if strings.HasPrefix(m[1], "--ca ") || m[1] == "--insecure" { // which mean something with TLS
					line += " " + secure[k.Name] + "://HOST/PATH"
				}
				commands = append(commands, line)
				found++
			}
			for _, c := range commands {
				if err := tryParsing(c); err != nil && !errors.Is(err, fs.ErrNotExist) { // files are the user's
					t.Errorf("%v: %q: %s: %v", args, hint, c, err)
				}
			}
		}
	}
	serve, _, err := newRootFor(nil).Find([]string{"serve", "chat"})
	if err != nil {
		t.Fatal(err)
	}
	for _, ours := range othertools.Ours() {
		has := func(k run.Kind) bool {
			cmd, _, err := newRootFor(nil).Find([]string{k.Name})
			return err == nil && cmd.Flags().Lookup(ours) != nil
		}
		if !slices.ContainsFunc(kinds(), has) && !hasFlag(newReport(&Env{}))(ours) && !hasFlag(serve)(ours) {
			t.Errorf("no command has --%s", ours)
		}
	}
	if found < 60 {
		t.Errorf("%d flags of ours were suggested: are they still found?", found)
	}
}

// What users of other tools type, as they type it, with their value in the hint.
func TestWhatUsersOfOtherToolsType(t *testing.T) {
	peertest.NothingRaces(t, "texts alone")
	t.Parallel()
	for typed, want := range map[string]string{
		"chat --vus 10":                      "--clients 10",
		"chat -u 10":                         "--clients 10",
		"chat -d 30":                         "--duration 30s",
		"chat -d30s":                         "--duration 30s",
		"chat --iterations=500":              "--messages 500",
		"chat --stage 10s:200":               "--stages 10s:200",
		"chat -s 10s:200":                    "--stages 10s:200",
		"chat -o csv=r.csv":                  "--samples r.csv",
		"chat -c 400 -t 12":                  "--clients 400",
		"chat -c400":                         "--clients 400",
		"chat -t 12":                         "no setting here",
		"chat -t plan.jmx":                   "no scripts",
		"chat -R 2000":                       "--rate 2000",
		"chat --latency":                     "a report has them always",
		"chat -rate=50/1s":                   "two dashes here: write --rate 50",
		"chat -duration=5s":                  "two dashes here: write --duration 5s",
		"chat -targets t.txt":                "argument",
		"chat -n 1000":                       "--messages 1000",
		"chat -n -t x.jmx":                   "no window",
		"chat -z 10s":                        "--duration 10s",
		"chat -q 50":                         "--rate 50",
		"chat --format json":                 "here write --json",
		"chat --summary-export x":            "here write --json > x",
		"chat -o x.json":                     "here write --json > x.json",
		"chat -o out":                        "here write --out out (a directory",
		"chat --report html":                 "here write --html",
		"report last --html-report":          "here write --html",
		"chat -o web-dashboard":              "here write --ui 8080",
		"chat --web-dashboard":               "here write --ui 8080",
		"chat -o influxdb=http://h/db":       "here write --otlp http://HOST:4318",
		"chat -o experimental-prometheus-rw": "here write --metrics 9464",
		"chat --no-color":                    "NO_COLOR=1",
		"chat --color=never":                 "NO_COLOR=1",
		"report last --no-color":             "NO_COLOR=1",
		"serve chat --port 8080":             "here write --listen 127.0.0.1:8080",
		"chat --port 8080":                   "a part of the URL",
		"bandwidth --bs 4k":                  "here write --block 4k",
		"chat --rate 500/s":                  "write --rate 500",
		"chat --rate 1k":                     "write --rate 1000",
		"chat --clients 2k":                  "write --clients 2000",
		"-v":                                 "'plimsoll --version'",
		"--rate 5":                           "behind its command: 'plimsoll http --rate'",
		"--baseline=hush":                    "behind its command: 'plimsoll overhead --baseline'",
		"help p99":                           "'plimsoll help words p99'",
		"help own dealy":                     "'plimsoll help words own delay'",
		"completion tcsh":                    "bash, fish, powershell, zsh",
		"completion bash extra":              "run 'plimsoll completion bash --help'",
		"chat --format csv":                  "'plimsoll report last --format csv'",
		"chat -H 'Authorization: hush'":      "--header 'Name: value'",
		"bandwidth --concurrent 8":           "--streams 8",
		"bandwidth --obj.size 10MiB":         "'plimsoll bandwidth 10MiB'",
		"bandwidth -n 5":                     "--repeat 5",
		"overhead -c 4":                      "--concurrency 4",
		"overhead --duration 3s":             "--time 3s",
		"overhead -n 1000":                   "--calls 1000",
		"updates -c 4":                       "--publishers 4",
		"updates --qps 50":                   "--rate 50",
		"report last --json":                 "--format json",
		"attack -rate=50/1s -duration=5s -targets t.txt":  "'plimsoll http http://HOST:8080/PATH --rate 50 --duration 5s'",
		"k6 run --vus 10 -d 30s script.js":                "'plimsoll http http://HOST:8080/PATH --clients 10 --duration 30s'",
		"wrk -t2 -c10 -d30s -R2000 --latency ws://h/chat": "'plimsoll ws ws://h/chat --clients 10 --duration 30s --rate 2000'",
		"bench -c 4 -H 'Authorization: hush' s3://b/k":    "'plimsoll bandwidth s3://b/k --streams 4'",
		"warp put --concurrent 4 --secret-key hush":       "--only upload --streams 4'",
		"run ws://localhost:8080/chat":                    "'plimsoll ws ws://localhost:8080/chat'",
		"run script.js":                                   "'plimsoll http http://HOST:8080/PATH'",
		"bench s3://b/k":                                  "'plimsoll bandwidth s3://b/k'",
		"load ws://user:hush@h/?token=hush":               "'plimsoll http http://HOST:8080/PATH'",
		"load https://h/?token=hush":                      "'plimsoll http http://HOST:8080/PATH'",
		"attack https://h/":                               "'plimsoll http https://h/'",
		"ws://localhost:8080/chat":                        "'plimsoll ws ws://localhost:8080/chat'",
		"https://h/":                                      "'plimsoll http https://h/'",
		"rest https://h/":                                 "'plimsoll http https://h/'",
		"cp https://h/file":                               "'plimsoll bandwidth https://h/file'",
		"hey -n 1000 -c 50 -m POST http://h/":             "'plimsoll http http://h/ --count 1000 --clients 50 --method POST'",
		"http -u ann:hush":                                "here write --user 'NAME:${env.PASSWORD}'",
		"http -a ann:hush":                                "here write --user 'NAME:${env.PASSWORD}'",
		"http -u 10":                                      "here write --clients 10",
		"http -x http://me:hush@h:3128":                   "here write --proxy http://HOST:PORT",
		"http -m 5":                                       "here write --timeout 5s",
		"http -m PUT":                                     "here write --method PUT",
		"http --max-time 5":                               "here write --timeout 5s",
		"http --http2-prior-knowledge":                    "here write --http2",
		"http --http3":                                    "HTTP/3 is not spoken here",
		"http --unix-socket /s":                           "listen on 127.0.0.1",
		"http -I":                                         "here write --method HEAD",
		"http -F a=b":                                     "form: {NAME: VALUE}",
		"http --form json":                                "here write --json",
		"http -b a=hush":                                  "--header 'Cookie: NAME=VALUE'",
		"http -b text":                                    "--body TEXT",
		"http --user-agent me":                            "--header 'User-Agent: NAME'",
		"http -A me":                                      "curl's User-Agent",
		"http -L":                                         "here write --redirects 10 (percentiles are always there)",
		"chat -L":                                         "a report has percentiles always",
		"http -n 1000":                                    "here write --count 1000",
		"http --requests 1000":                            "here write --count 1000",
		"nats://h:4222/t":                                 "'plimsoll updates nats://h:4222/t'",
		"warp get":                                        "--only download",
		"warp put --concurrent 4":                         "--only upload",
		"warp analyze":                                    "'plimsoll bandwidth s3://BUCKET/PATH/'",
		"diff a b":                                        "'plimsoll compare last~1 last'",
		"latest":                                          "'plimsoll report last'",
		"list":                                            "'plimsoll runs'",
		"ls":                                              "'plimsoll runs'",
		"history":                                         "'plimsoll runs'",
		"show":                                            "'plimsoll report last'",
		"config":                                          "'plimsoll chat --help'",
		"serve chat --host 1.2.3.4":                       "run 'plimsoll serve chat --help'",
		"chat --verbose":                                  "all of it is in 'plimsoll report last --full'",
		"chat --header-of-nobody":                         "run 'plimsoll chat --help'",
	} {
		args := shellWords(typed)
		cmd, err := newRootFor(args).ExecuteContextC(t.Context())
		hint := fault.HintOf(withNearestWord(cmd, err))
		if err == nil || !strings.Contains(hint, want) || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v, %q, want %q", typed, err, hint, want)
		}
		if said := errors.Join(err, errors.New(hint)).Error(); strings.Contains(said, "hush") {
			t.Errorf("%s: it says %q", typed, said)
		}
	}
}

// newRootFor is a root whose commands must not get as far as a run.
func newRootFor(args []string) *cobra.Command {
	return newRoot(&Env{Args: args, LookupEnv: func(string) (string, bool) { return "", false }})
}

// The value of a flag that is ours is another tool's.
func TestOutOfK6(t *testing.T) {
	t.Parallel()
	_, err := newRootFor([]string{"chat", "--out", "json=result.json"}).ExecuteContextC(t.Context())
	if err == nil || !strings.Contains(fault.HintOf(err), "here write --json > result.json") {
		t.Errorf("%v, %q", err, fault.HintOf(err))
	}
}

// Each command of other tools leads to one of ours, which parses.
func TestCommandsOfOtherTools(t *testing.T) {
	peertest.NothingRaces(t, "texts alone")
	t.Parallel()
	for _, name := range othertools.Commands() {
		for _, sub := range newRootFor(nil).Commands() {
			if sub.Name() == name {
				t.Errorf("%s is a command of ours", name)
			}
		}
		hint := fault.HintOf(knownCommand(newRootFor(nil), []string{name}))
		commands := quotedCommands(hint)
		if len(commands) == 0 {
			t.Errorf("%s: %q names no command", name, hint)
		}
		for _, c := range commands {
			if err := tryParsing(c); err != nil {
				t.Errorf("%s: %s: %v", name, c, err)
			}
		}
	}
}

// The questions of the first page are answered by commands that parse.
func TestFrontPage(t *testing.T) {
	t.Parallel()
	page := frontPage()
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len([]rune(line)) > 80 {
			t.Errorf("%q is longer than 80", line)
		}
	}
	for _, q := range questions {
		if err := tryParsing(q.command); err != nil {
			t.Errorf("%s: %v", q.command, err)
		}
	}
	root := newRootFor(nil)
	var listed []string
	for _, g := range commandGroups() {
		listed = append(listed, g.names...)
	}
	for _, cmd := range root.Commands() {
		if name := cmd.Name(); !slices.Contains(listed, name) && name != "deltas" {
			t.Errorf("the help lists no %s", name)
		}
	}
}
