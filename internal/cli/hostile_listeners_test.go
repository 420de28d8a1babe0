package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/peertest/hostile"
	"github.com/plimsoll/plimsoll/internal/runtest"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
)

// listening is a command that listens.
type listening struct {
	name string
	args []string
}

// listeners are all that there are: each command below serve, and each flag of another command whose value is an
// address, once. A new one is met here without being named, or named by a failure.
func listeners(t *testing.T) (all []listening) {
	root := newRoot(&Env{})
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range serve.Commands() {
		args := []string{"serve", c.Name(), "--listen", "127.0.0.1:0"}
		for _, of := range []string{"header-timeout", "handshake-timeout", "idle-timeout"} {
			if c.Flags().Lookup(of) != nil {
				args = append(args, "--"+of, "1h") // that no place is taken for good must not be for want of patience
			}
		}
		all = append(all, listening{"serve " + c.Name(), args})
		if c.Flags().Lookup("tls") != nil {
			all = append(all, listening{"serve " + c.Name() + " --tls", append(slices.Clone(args), "--tls")})
		}
		if c.Flags().Lookup("compress") != nil {
			all = append(all, listening{"serve " + c.Name() + " --compress", append(slices.Clone(args), "--compress")})
		}
	}
	measure := []string{"http", "--rate", "1", "--clients", "1", "--duration", "1h", "--no-save"}
	known := map[string][]string{
		"listen": {"view", "--listen", "127.0.0.1:0"}, "ui": append(slices.Clone(measure), "--ui", "127.0.0.1:0"),
		"metrics": append(slices.Clone(measure), "--metrics", "127.0.0.1:0"), "source-address": nil, // from which it connects
	}
	met := map[string]bool{}
	eachCommand(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "address" || met[f.Name] || c.Parent() == serve {
				return
			}
			met[f.Name] = true
			args, is := known[f.Name]
			if !is {
				t.Errorf("%s --%s is an address: say above how what listens there is started", c.CommandPath(), f.Name)
			}
			if args != nil {
				all = append(all, listening{args[0] + " --" + f.Name, args})
			}
		})
	})
	if len(all) < len(serve.Commands())+len(known)-1 {
		t.Errorf("%d listeners are found", len(all))
	}
	return all
}

func eachCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, below := range c.Commands() {
		eachCommand(below, f)
	}
}

// filesOfOne is how many files a server may have open here: about as many connections as the modes open that take all
// places, so that they do.
const filesOfOne = 1024

// victim is a server that is attacked.
type victim struct {
	t     *testing.T
	cmd   *exec.Cmd
	said  *lines
	place hostile.Place
	plain string // where an honest client has its answer

	idleFiles, idleGoroutines, idleMemory int
}

// lines keeps what a program writes, and tells when it has written an address.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	at   chan string
	told bool
}

var addressSaid = regexp.MustCompile(`(?:https?|ws)://(127\.0\.0\.1:\d+)`)

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if found := addressSaid.FindSubmatch(l.text.Bytes()); found != nil && !l.told {
		l.told = true
		l.at <- string(found[1])
	}
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// bound ends waits for what should have happened at once.
const bound = runtest.Patience

func attacked(t *testing.T, of listening) *victim {
	v := &victim{t: t, said: &lines{at: make(chan string, 1)}}
	v.place.TLS = slices.Contains(of.args, "--tls")
	limited := fmt.Sprintf(`ulimit -n %d && exec plimsoll "$@"`, filesOfOne)
	v.cmd = exec.Command("sh", append([]string{"-c", limited, "sh"}, of.args...)...)
	v.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	v.cmd.Stdout, v.cmd.Stderr = &lines{at: v.said.at}, v.said // the first is for reports
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if v.cmd.ProcessState == nil {
			_ = v.cmd.Process.Kill()
			_ = v.cmd.Wait()
		}
	})
	select {
	case v.place.Address = <-v.said.at:
	case <-time.After(bound):
		t.Fatalf("it says no address: %s", v.said)
	}
	v.explore()
	return v
}

// explore finds what there is to be asked for.
func (v *victim) explore() {
	ask := func(path string, header ...string) int {
		status, _ := v.get(path, header...)
		return status
	}
	for _, path := range []string{"/health", "/_plimsoll/health", "/metrics", "/", "/b/k"} {
		if v.plain == "" && ask(path) == http.StatusOK {
			v.plain = path
		}
	}
	if v.plain == "" {
		v.t.Fatalf("no path is answered: say above which is")
	}
	v.place.Path, v.place.Large, v.place.Many = v.plain, v.plain, filesOfOne
	if ask("/chat/1") == http.StatusUpgradeRequired {
		v.place.Path = "/chat/1"
	}
	if ask("/size/16MiB") == http.StatusOK {
		v.place.Large = "/size/16MiB"
	}
	v.idleFiles, v.idleGoroutines, v.idleMemory = v.open(), v.goroutines(), v.memory("VmRSS")
}

// get is an honest client: the status is 0 where there is no answer.
func (v *victim) get(path string, header ...string) (status int, text string) {
	ctx, cancel := context.WithTimeout(v.t.Context(), bound)
	defer cancel()
	scheme := "http"
	if v.place.TLS {
		scheme = "https"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+v.place.Address+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}).Do(r) // its certificate was made when it began
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(said)
}

// serves fails unless an honest client is served: at once, or, when all places are taken by others who came just now,
// when one of them may be sent away.
func (v *victim) serves(when string) {
	v.t.Helper()
	var status int
	var said string
	for begun := time.Now(); time.Since(begun) < bound; {
		if status, said = v.get(v.plain); status == http.StatusOK {
			return
		}
	}
	v.t.Errorf("%s an honest client gets %d %.200s", when, status, said)
}

// until waits for something that is about to be.
func (v *victim) until(what string, is func() (bool, string)) {
	v.t.Helper()
	var how string
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < bound; <-tick.C {
		var good bool
		if good, how = is(); good {
			return
		}
	}
	v.t.Errorf("%s: %s", what, how)
}

// open is how many files the server has open; 0 where that is not to be seen.
func (v *victim) open() int {
	names, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", v.cmd.Process.Pid))
	return len(names)
}

// memory is a figure of the server's, in KiB.
func (v *victim) memory(name string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", v.cmd.Process.Pid))
	_, after, _ := strings.Cut(string(text), name+":")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[0])
	return n
}

var goroutinesSaid = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

// goroutines are those of the server, where it tells.
func (v *victim) goroutines() int {
	for _, path := range []string{"/metrics", "/_plimsoll/metrics"} {
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth(s3target.DefaultAccessKey, s3target.DefaultSecretKey)
		_, text := v.get(path, "Authorization", r.Header.Get("Authorization"))
		if found := goroutinesSaid.FindStringSubmatch(text); found != nil {
			n, _ := strconv.Atoi(found[1])
			return n
		}
	}
	return 0
}

// attack has a hostile client at work, and looks how the server bears it.
func (v *victim) attack(ctx context.Context, c hostile.Client) *hostile.Attack {
	a := hostile.Begin(ctx, v.place)
	c.Run(a)
	speaks := v.place.Path != v.plain
	if c.Closes != 0 && (a.Upgraded != speaks || a.Upgraded && a.Closed != c.Closes) {
		v.t.Errorf("%s: the WebSocket ends with %d, want %d", c.Name, a.Closed, c.Closes)
	}
	return a
}

// settles ends attacks, and waits until nothing is left of them.
func (v *victim) settles(attacks []*hostile.Attack) {
	for _, a := range attacks {
		a.End()
	}
	v.until("files are left open", func() (bool, string) {
		n := v.open()
		return n <= v.idleFiles+8, fmt.Sprintf("%d, idle %d", n, v.idleFiles)
	})
	v.until("goroutines are left", func() (bool, string) {
		n := v.goroutines()
		return n <= v.idleGoroutines+8, fmt.Sprintf("%d, idle %d", n, v.idleGoroutines)
	})
}

// ends tells the server to end while hostile clients are still there.
func (v *victim) ends() {
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		v.t.Error(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- v.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(bound): // its own bound is five seconds
		v.t.Errorf("it does not end: %s", v.said)
		_ = v.cmd.Process.Kill()
		<-ended
	}
}

// ofProgress are the lines of a run that say how far it is, every ten seconds.
var ofProgress = regexp.MustCompile(`(?m)^window · .*\n`)

// judge looks at what is to be seen of all of it.
func (v *victim) judge(peak int) {
	said := v.said.String()
	for _, trace := range []string{"panic", "goroutine ", "runtime error", "\x1b"} {
		if strings.Contains(said, trace) {
			v.t.Errorf("it says %q: %.2000s", trace, said)
		}
	}
	const most, ofLine = 40, 100 // what it says at its beginning and its end, and a line for each cause
	if n := len(ofProgress.ReplaceAllString(said, "")) / ofLine; n > most {
		v.t.Errorf("it writes %d lines: %.2000s", n, said)
	}
	const room = 100 << 10
	if grown := peak - v.idleMemory; grown > room && !raced() {
		v.t.Errorf("it takes %d MiB more than idle", grown>>10)
	}
}

// raced reports whether the race detector takes memory, too.
func raced() bool {
	built, _ := debug.ReadBuildInfo()
	return built != nil && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestHostileClients has hostile clients at listeners: an honest client is served meanwhile and after, nothing is left of
// the others, what the server writes is bounded, and it ends while they are there. 'make nightly' tries every client at
// every listener, 'make test' at one listener those that do not crowd.
func TestHostileClients(t *testing.T) {
	nightly := os.Getenv("PLIMSOLL_NIGHTLY") != ""
	if testing.Short() && !nightly {
		t.Skip("the race detector slows the server down too much")
	}
	clients, all := hostile.Clients(), listeners(t)
	if !nightly {
		clients = slices.DeleteFunc(clients, func(c hostile.Client) bool { return c.Crowds })
		all = slices.DeleteFunc(all, func(of listening) bool { return of.name != "serve chat" })
	}
	if len(clients) < 10 || len(all) == 0 {
		t.Errorf("%d hostile clients at %d listeners", len(clients), len(all))
	}
	atOnce := make(chan struct{}, 2) // each has a thousand connections
	for _, of := range all {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			v := attacked(t, of)
			var attacks []*hostile.Attack
			for _, c := range clients {
				if c.Crowds {
					v.settles(attacks)
				}
				attacks = append(attacks, v.attack(t.Context(), c))
				v.serves("with " + c.Name)
			}
			v.settles(attacks)
			greeted := 0
			for _, a := range attacks {
				greeted += a.Greeted
			}
			if nightly && v.place.TLS != (greeted >= filesOfOne/2) {
				t.Errorf("%d connections speak TLS", greeted)
			}
			var together sync.WaitGroup
			for _, c := range clients {
				together.Go(func() {
					a := hostile.Begin(t.Context(), v.place)
					t.Cleanup(a.End)
					c.Run(a)
				})
			}
			together.Wait()
			peak := v.memory("VmHWM")
			v.ends()
			v.judge(peak)
		})
	}
}
