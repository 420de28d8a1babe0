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

// TestFlagsOfOtherToolsGetHints checks that each flag of another tool gets a hint, and that the command in it parses.
func TestFlagsOfOtherToolsGetHints(t *testing.T) {
	t.Parallel()
	write := regexp.MustCompile(`: use (.*?)(?: \(.*\))?$`)
	secure := map[string]string{"http": "https", "chat": "wss", "ws": "--message TEXT wss"}
	found, root := 0, newRootFor(nil)
	for n, k := range kinds() {
		cmd, _, err := root.Find([]string{k.Name})
		if err != nil {
			t.Fatal(err)
		}
		for i, typed := range othertools.Flags() {
			if i%(3*len(kinds())) != n {
				continue // a third of the flags, each with one kind
			}
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
	serve, _, err := root.Find([]string{"serve", "chat"})
	if err != nil {
		t.Fatal(err)
	}
	report := newReport(&Env{})
	for _, ours := range othertools.Ours() {
		has := func(k run.Kind) bool {
			cmd, _, err := root.Find([]string{k.Name})
			return err == nil && cmd.Flags().Lookup(ours) != nil
		}
		if !slices.ContainsFunc(kinds(), has) && !hasFlag(report)(ours) && !hasFlag(serve)(ours) {
			t.Errorf("no command has --%s", ours)
		}
	}
	if found < 3 {
		t.Errorf("%d flags of ours were suggested: are they still found?", found)
	}
}

// TestCommandLinesOfOtherToolsGetHints checks that the hint has the value that was typed, and no secret.
func TestCommandLinesOfOtherToolsGetHints(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"chat --vus 10":                 "--clients 10",
		"chat -d30s":                    "--duration 30s",
		"chat --iterations=500":         "--messages 500",
		"chat -s 10s:200":               "--stages 10s:200",
		"chat -o csv=r.csv":             "--samples r.csv",
		"chat -c 400 -t 12":             "--clients 400",
		"chat -t plan.jmx":              "no scripts",
		"chat --latency":                "reports always have them",
		"chat -rate=50/1s":              "two dashes: write --rate 50",
		"chat --summary-export x":       "use --json > x",
		"chat -o web-dashboard":         "use --ui 8080",
		"report last --no-color":        "NO_COLOR=1",
		"serve chat --port 8080":        "use --listen 127.0.0.1:8080",
		"chat --rate 1k":                "write --rate 1000",
		"-v":                            "'plimsoll --version'",
		"--baseline=hush":               "after the command: 'plimsoll overhead --baseline'",
		"help respnose time":            "'plimsoll help glossary response time'",
		"completion tcsh":               "bash, fish, powershell, zsh",
		"chat -H 'Authorization: hush'": "--header 'Name: value'",
		"bandwidth --obj.size 10MiB":    "'plimsoll bandwidth 10MiB'",
		"overhead -d 3s":                "--duration 3s",
		"updates -c 4":                  "--publishers 4",
		"report last --json":            "--format json",
		"attack -rate=50/1s -duration=5s -targets t.txt":  "'plimsoll http http://HOST:8080/PATH --rate 50 --duration 5s'",
		"k6 run --vus 10 -d 30s script.js":                "'plimsoll http http://HOST:8080/PATH --clients 10 --duration 30s'",
		"wrk -t2 -c10 -d30s -R2000 --latency ws://h/chat": "'plimsoll ws ws://h/chat --clients 10 --duration 30s --rate 2000'",
		"bench -c 4 -H 'Authorization: hush' s3://b/k":    "'plimsoll bandwidth s3://b/k --streams 4'",
		"warp put --concurrent 4 --secret-key hush":       "--only upload --streams 4'",
		"run script.js":                       "'plimsoll http http://HOST:8080/PATH'",
		"load ws://user:hush@h/?token=hush":   "'plimsoll http http://HOST:8080/PATH'",
		"ws://localhost:8080/chat":            "'plimsoll ws ws://localhost:8080/chat'",
		"hey -n 1000 -c 50 -m POST http://h/": "'plimsoll http http://h/ --count 1000 --clients 50 --method POST'",
		"http -u ann:hush":                    "use --user 'NAME:${env.PASSWORD}'",
		"http -u 10":                          "use --clients 10",
		"http -x http://me:hush@h:3128":       "use --proxy http://HOST:PORT",
		"http -m PUT":                         "use --method PUT",
		"http --http3":                        "Plimsoll does not support HTTP/3",
		"http -b a=hush":                      "--header 'Cookie: NAME=VALUE'",
		"http -L":                             "use --redirects 10 (reports always have percentiles)",
		"http -n 1000":                        "use --count 1000",
		"warp analyze":                        "'plimsoll bandwidth s3://BUCKET/PATH/'",
		"diff a b":                            "'plimsoll compare last~1 last'",
		"latest":                              "'plimsoll report last'",
		"ls":                                  "'plimsoll runs'",
		"chat --header-of-nobody":             "'plimsoll chat --help=all' lists all flags",
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

// TestCommandsOfOtherToolsGetHints checks that each command of another tool leads to one of ours, which parses.
func TestCommandsOfOtherToolsGetHints(t *testing.T) {
	t.Parallel()
	root := newRootFor(nil)
	for i, name := range othertools.Commands() {
		for _, sub := range root.Commands() {
			if sub.Name() == name {
				t.Errorf("%s is a command of ours", name)
			}
		}
		if i%3 != 0 {
			continue // parsing takes time
		}
		hint := fault.HintOf(knownCommand(root, []string{name}))
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

func TestFrontPageHasCommandsThatParse(t *testing.T) {
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
