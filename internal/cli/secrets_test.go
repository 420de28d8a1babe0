//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/comparisons"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/vary"
)

// planted is the secret that must be found nowhere.
const planted = "hunter2-planted"

// publicTexts are the settings that take any text and are shown as they are. A new setting of this sort is added here,
// or declares that its values may be secret (WrittenAs, ShownBy).
var publicTexts = []string{
	"acks", "answers", "arrivals", "aws-sigv4", "check", "checksum", "client-stages", "codec", "compression", "connect-to",
	"cookies", "data", "label", "max-retries", "method", "metrics", "name", "oauth2-client-id", "oauth2-scope",
	"only", "order", "origin", "pacing", "policy", "profile", "protocol", "read-keys", "region", "resolve",
	"server-name", "show-protocol", "source-address", "stages", "subprotocol", "threshold", "ui", "unix-socket",
	"until",
}

// TestSettingsThatMayBeSecretAreShownNowhere plants a secret in each setting of each kind, as a flag, as a value of a
// plan file and as a variable of one, and in each part of a URL.
func TestSettingsThatMayBeSecretAreShownNowhere(t *testing.T) {
	for _, k := range kinds() {
		for _, one := range k.New().Settings().All() {
			switch {
			case one.Name == "" || one.Figure() || one.Switch() || one.Closed || slices.Contains(publicTexts, one.Name):
			case one.RunName || slices.Contains([]string{"file", "directory"}, one.Kind):
			case !one.Secret:
				t.Errorf("%s: --%s takes any text: declare that it may be secret, or list it in publicTexts", k.Name, one.Name)
			default:
				plantIn(t, k, several.Given{Name: one.Name, Values: secretsOf(one)}, "")
			}
		}
		if strings.Contains(k.Help.Args, "URL") {
			for _, scheme := range []string{"http", "ws", "nats"} {
				plantIn(t, k, several.Given{}, secretURL(scheme))
			}
			plantIn(t, k, several.Given{}, "s3://ann:"+planted+"@h.example/p") // the rest is the name of an object
		}
	}
}

func secretURL(scheme string) string {
	return scheme + "://ann:" + planted + "@h.example/p?q=" + planted + "&" + planted + "#" + planted
}

// secretsOf are values of a setting that hold the secret.
func secretsOf(one *setting.Setting) []string {
	switch {
	case one.Kind == "url":
		return []string{secretURL("http")}
	case one.Kind == "command":
		return []string{"TOKEN=" + planted + " cmd " + planted + " --pass " + planted + " --pass=" + planted}
	case one.Name == "target-flag":
		return []string{"secret-key=" + planted}
	case strings.Contains(one.Kind, "="):
		return []string{"fs.s3a.secret.key=" + planted}
	case strings.Contains(one.Kind, ":"):
		return []string{"X-Name: " + planted, "X-Name:" + planted}
	}
	return []string{planted, "${" + planted, "\xff" + planted}
}

// plantIn gives one setting or an argument to a kind, and looks at all that is made of the call alone.
func plantIn(t *testing.T, k run.Kind, given several.Given, argument string) {
	t.Helper()
	must := func(what, text string) {
		t.Helper()
		if strings.Contains(text, planted) {
			t.Errorf("%s %s%s: %s shows the secret: %s", k.Name, given.Name, argument, what, text)
		}
	}
	call := several.Call{Kind: k}
	if argument != "" {
		call.Args = []string{argument}
	}
	if given.Name != "" {
		call.Given = []several.Given{given}
	}
	must("the command of a comparison", comparisons.CommandOf(&call))
	made := k.New()
	settings := made.Settings()
	for _, value := range given.Values {
		one := settings.Lookup(given.Name)
		must("Shown", one.Shown(value))
		if public, secret := one.Split(value); public+secret != value {
			t.Errorf("%s: %q + %q is not %q", given.Name, public, secret, value)
		}
		if err := one.Set(value); err != nil {
			must("the refusal", err.Error()+fault.HintOf(err))
			continue
		}
		if text, _, err := planfile.Write(planfile.Call{Kind: k.Name, Arguments: call.Args, Settings: settings,
			Changed: func(name string) bool { return name == given.Name }}); err == nil {
			must("the plan file", text)
		}
	}
	if argument != "" {
		text, _, err := planfile.Write(planfile.Call{Kind: k.Name, Arguments: call.Args, Settings: settings,
			Changed: func(string) bool { return false }})
		must("the plan file", text+"\n"+errorText(err))
	}
	must("the refusal", errorText(made.Resolve(call.Args, func(name string) bool { return name == given.Name })))
	must("the refusal", errorText(settings.Check()))
	if doc, err := json.Marshal(settings); err == nil {
		must("the document", string(doc))
	}
	if given.Name != "" {
		_, err := vary.Parse(given.Name+"="+given.Values[0]+",b", func() *setting.Set { return k.New().Settings() })
		if err == nil {
			t.Errorf("%s: a sweep varies --%s, and keeps its values", k.Name, given.Name)
		}
		must("the refusal to vary it", errorText(err))
	}
	for _, value := range append(given.Values, call.Args...) {
		for form, written := range map[string]string{"a value": value, "a variable": "${V}"} {
			file := "plan: plimsoll.plan/v1\nruns:\n  - kind: " + k.Name + "\n    "
			quoted, _ := json.Marshal(written)
			if argument != "" {
				file += "arguments: " + string(quoted) + "\n"
			} else {
				file += "settings:\n      " + given.Name + ": " + string(quoted) + "\n"
			}
			read, err := planfile.Read("f", []byte(file), kinds(), func(string) (string, bool) { return value, true })
			if err != nil {
				must("the refusal of "+form, errorText(err))
				continue
			}
			doc, err := json.Marshal(read)
			must("the set document of "+form, string(doc)+errorText(err)+strings.Join(read.Runs[0].Given(), " "))
		}
	}
}

// errorText is all that is printed of an error.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(append(fault.PictureOf(err), err.Error(), fault.HintOf(err)), "\n")
}

// TestSecretsAreInNoOutput makes runs and sets with a secret in all that is sent, and looks for it in every file and
// stream that comes of them.
func TestSecretsAreInNoOutput(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "ok")
	}))
	defer service.Close()
	pushed := &pushes{}
	collector := httptest.NewServer(pushed)
	defer collector.Close()

	dir := t.TempDir()
	target := service.URL + "/p?q=" + planted + "#" + planted
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	write("in/requests.yaml", "requests:\n  - url: /a?t="+planted+"#"+planted+"\n    headers: {X-A: "+planted+
		"}\n    body: "+planted+"\n  - url: /b#"+planted+"\n")
	write("in/plan.yaml", `plan: plimsoll.plan/v1
runs:
  - kind: http
    arguments: "`+service.URL+`/p?q=${V}#${V}"
    settings: {body: "${V}", header: "X-A: ${V}", bearer: "${V}", count: 20, clients: 2, warmup-clients: 0}
  - kind: ws
    settings: {message: "${V}", header: "X-A: ${V}", messages: 20, clients: 2, warmup-clients: 0}
  - kind: chat
    settings: {header: "X-A: ${V}", messages: 20, clients: 2, warmup-clients: 0}
  - kind: bandwidth
    arguments: [64k, "mem:"]
    settings: {define: "fs.s3a.secret.key=${V}"}
  - kind: overhead
    settings: {exec: "TOKEN=${V} ./cmd --pass ${V}"}
  - kind: updates
    arguments: "nats://u:${V}@127.0.0.1:1/T"
    settings: {duration: 100ms, kv: "http://u:${V}@127.0.0.1:1/?t=${V}"}
`)
	short := []string{"--count", "20", "--clients", "2", "--warmup-clients", "0"}
	secret := []string{"--header", "Cookie: session=" + planted, "--body", planted, "--user", "ann:" + planted}
	outputs := []string{"--out", "out", "--html", "page.html", "--junit", "tests.xml"}
	for name, args := range map[string][]string{
		"http": slices.Concat([]string{"http", target, "--samples", "samples.csv", "--chart", "chart.svg", "--otlp",
			collector.URL, "--otlp-sample", "100%", "--threshold", "p50<1ns"}, short, secret, outputs),
		"http requests": slices.Concat([]string{"http", service.URL, "--requests", in + "/requests.yaml", "--samples",
			"samples.csv", "--markdown"}, short, outputs),
		"http refused": slices.Concat([]string{"http", "http://127.0.0.1:1/?" + planted, "--proxy",
			"http://u:" + planted + "@127.0.0.1:1"}, short, secret[:4], outputs),
		"ws": slices.Concat([]string{"ws", "--message", planted, "--header", "X-A: " + planted, "--json", "--messages", "20"},
			short[2:], outputs),
		"chat":   {"chat", "--header", "X-A: " + planted, "--messages", "20", "--clients", "2", "--warmup-clients", "0"},
		"exec":   slices.Concat([]string{"overhead", "--exec", "TOKEN=" + planted + " ./cmd --pass " + planted}, outputs),
		"store":  {"bandwidth", "64k", "mem:", "--define", "fs.s3a.secret.key=" + planted, "--out", "out"},
		"topic":  {"updates", "nats://u:" + planted + "@127.0.0.1:1/T?token=" + planted, "--duration", "100ms"},
		"kv":     {"updates", "--kv", "http://u:" + planted + "@127.0.0.1:1/?" + planted, "--duration", "100ms"},
		"plan":   slices.Concat([]string{"plan", "http", target}, secret),
		"plan 2": {"plan", "overhead", "--exec", "TOKEN=" + planted + " cmd"},
		"run":    slices.Concat([]string{"run", in + "/plan.yaml"}, outputs),
		"dry":    {"run", in + "/plan.yaml", "--dry-run", "--json"},
		"sweep": slices.Concat([]string{"sweep", "http", target, "--vary", "clients=1,2", "--repeat", "1", "--out", "out",
			"--count", "20", "--warmup-clients", "0"}, secret),
		"compare": {"compare", "http " + target + " --header 'X-A: " + planted + "'", "http " + target + " --bearer " + planted,
			"--repeat", "2", "--out", "out", "--", "--duration", "200ms", "--clients", "1", "--warmup-clients", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(dir, "at", name)
			if err := os.MkdirAll(at, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "plimsoll", args...)
			cmd.Dir, cmd.Env = at, append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(at, "state"), "V="+planted)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil && errors.Is(err, exec.ErrNotFound) {
				t.Fatal(err)
			}
			if strings.Contains(stderr.String(), "unknown flag") || stdout.Len()+stderr.Len() == 0 {
				t.Fatalf("the command is none: %s", &stderr)
			}
			saved, _ := filepath.Glob(filepath.Join(at, "out", "*.json"))
			if needs := slices.Contains(args, "--out") && name != "exec" && name != "http refused"; needs && len(saved) == 0 {
				t.Fatalf("nothing was saved: %s", &stderr)
			}
			nowhere(t, "stdout", stdout.Bytes())
			nowhere(t, "stderr", stderr.Bytes())
			err := filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				nowhere(t, path, append([]byte(path), content...))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	if nowhere(t, "what was pushed to the collector", pushed.bytes()); len(pushed.bytes()) == 0 {
		t.Error("nothing was pushed")
	}
	t.Run("metrics", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), "plimsoll", slices.Concat([]string{"http", target, "--metrics", "0",
			"--metrics-linger", "1m", "--no-save"}, short, secret)...)
		stderr, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		scraped := false
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			nowhere(t, "stderr", lines.Bytes())
			_, address, found := strings.Cut(lines.Text(), "http://127.0.0.1:")
			if port, _, _ := strings.Cut(address, "/"); found && !scraped {
				got, err := http.Get("http://127.0.0.1:" + port + "/metrics")
				if err != nil {
					continue
				}
				text, _ := io.ReadAll(got.Body)
				_ = got.Body.Close()
				scraped = len(text) > 0
				nowhere(t, "the metrics", text)
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
		_ = cmd.Wait() // the status is that of an interrupt
		if !scraped {
			t.Error("nothing was scraped")
		}
	})
}

// nowhere makes sure that the secret is not in a text, in any form that it is sent in.
func nowhere(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, form := range []string{
		planted, url.QueryEscape(planted), base64.StdEncoding.EncodeToString([]byte("ann:" + planted)),
		base64.StdEncoding.EncodeToString([]byte(planted))[:16],
	} {
		if at := bytes.Index(text, []byte(form)); at >= 0 {
			t.Errorf("%s has the secret: …%s…", where, text[max(0, at-100):min(len(text), at+100)])
		}
	}
}

// pushes is a collector that keeps what it is sent.
type pushes struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (p *pushes) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if z, err := gzip.NewReader(r.Body); r.Header.Get("Content-Encoding") == "gzip" && err == nil {
		body = z
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.Copy(&p.all, body)
}

func (p *pushes) bytes() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.all.Bytes())
}
