//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/cli"
	"github.com/plimsoll/plimsoll/internal/peertest/hostile"
	"github.com/plimsoll/plimsoll/internal/store/known"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// What each command has to keep to, whatever its server does.
const (
	// hostileTimes is how many times its --timeout and --duration together a command may take, and hostileSlack is for the
	// start of a process on a machine that is busy.
	hostileTimes = 10
	hostileSlack = 2 * time.Minute
	hostileAsked = 500 * time.Millisecond // --timeout and --duration
	// hostileMemory is what it may need above a command that does nothing.
	hostileMemory = 100 << 20
	// hostileWorkers commands go on at a time: most of them wait.
	hostileWorkers = 6
)

// Each client has a case: what the product lists of kinds, stores, topics and flags with URLs is met, and nobody has to
// think of it.
func TestHostileServersMeetAllClients(t *testing.T) {
	met := map[string]bool{}
	for _, c := range hostileClients() {
		for _, of := range c.of {
			met[of] = true
		}
	}
	want := append(cli.KindNames(), topics.Drivers().URLs()...)
	for _, d := range known.Drivers() {
		if !d.Local && d.Name != "mem" {
			for _, scheme := range d.Schemes {
				want = append(want, scheme+"://")
			}
		}
	}
	for _, name := range cli.URLFlags() {
		want = append(want, "--"+name)
	}
	for _, one := range want {
		if !met[one] {
			t.Errorf("%s meets no hostile server: add it to hostileClients", one)
		}
		delete(met, one)
	}
	for one := range met {
		t.Errorf("a case of hostileClients is of %s, which is not known", one)
	}
}

// hostilePair is a client and what its server does.
type hostilePair struct {
	client client
	mode   hostile.Mode
}

// TestHostileServers runs commands against hostile servers: 'make test' a fixed sample, 'make nightly' a random one, and
// 'make test-hostile' all of them, which takes half an hour.
func TestHostileServers(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector slows the commands down too much")
	}
	h := newHostileHouse(t)
	pairs := hostilePairs(t)
	next := make(chan hostilePair)
	var workers sync.WaitGroup
	for range hostileWorkers {
		workers.Go(func() {
			for p := range next {
				for _, wrong := range h.meet(p.client, p.mode) {
					t.Errorf("%s/%s: %s", p.client.name, p.mode.Name, wrong)
				}
			}
		})
	}
	for _, p := range pairs {
		next <- p
	}
	close(next)
	workers.Wait()
}

// hostilePairs returns the pairs that are tested.
func hostilePairs(t *testing.T) (pairs []hostilePair) {
	clients, modes := hostileClients(), hostile.Modes()
	only := regexp.MustCompile(os.Getenv("PLIMSOLL_HOSTILE_ONLY")) // of CLIENT/MODE
	if os.Getenv("PLIMSOLL_HOSTILE") != "" || only.String() != "" {
		for _, m := range modes {
			for _, c := range clients {
				if only.MatchString(c.name+"/"+m.Name) && (c.takes(m) || os.Getenv("PLIMSOLL_HOSTILE") != "own") {
					pairs = append(pairs, hostilePair{c, m})
				}
			}
		}
		return pairs
	}
	seed, nightly := uint64(1), os.Getenv("PLIMSOLL_NIGHTLY") != ""
	if nightly {
		seed = hostileSeed(t)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for _, m := range modes {
		own := slices.DeleteFunc(slices.Clone(clients), func(c client) bool { return !c.takes(m) })
		pairs = append(pairs, hostilePair{own[random.IntN(len(own))], m}, hostilePair{clients[random.IntN(len(clients))], m})
	}
	random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	if !nightly {
		const sample = 16
		pairs = slices.DeleteFunc(pairs, func(p hostilePair) bool { return p.client.serves })[:sample]
	}
	t.Logf("%d of %d pairs of a client and a mode", len(pairs), len(clients)*len(modes))
	return pairs
}

// hostileSeed is that of the sample, and is printed.
func hostileSeed(t *testing.T) uint64 {
	seed := rand.Uint64()
	if text := os.Getenv("PLIMSOLL_HOSTILE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("PLIMSOLL_HOSTILE_SEED: %v", err)
		}
	}
	t.Logf("PLIMSOLL_HOSTILE_SEED=%d is this sample again", seed)
	return seed
}

// takes says whether a mode is of a level that the client takes further than others do.
func (c client) takes(m hostile.Mode) bool {
	return m.Level == hostile.Raw || slices.Contains(c.own, m.Level)
}

// hostileHouse is what all commands share.
type hostileHouse struct {
	t      *testing.T
	good   string
	home   string
	least  int64 // memory of a command that does nothing
	number func() int
}

func newHostileHouse(t *testing.T) *hostileHouse {
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(good.Close)
	var mu sync.Mutex
	n := 0
	h := &hostileHouse{t: t, good: good.Listener.Addr().String(), home: t.TempDir(), number: func() int {
		mu.Lock()
		defer mu.Unlock()
		n++
		return n
	}}
	profile := "[profile hostile]\nregion = eu-north-1\nrole_arn = arn:aws:iam::123456789012:role/a\n" +
		"credential_source = EcsContainer\n"
	if err := os.WriteFile(filepath.Join(h.home, "aws-config"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	idle := h.call(client{args: "version"}, "", nil)
	if idle.err != nil {
		t.Fatalf("plimsoll version: %v", idle.err)
	}
	h.least = idle.memory
	return h
}

// called is how a command went.
type called struct {
	code   int
	said   []byte // on stdout and stderr
	took   time.Duration
	memory int64 // 0: it ended before it could say
	err    error
}

// call runs a command, whose server is at this address; met says whether it was there.
func (h *hostileHouse) call(c client, address string, met func() bool) called {
	fill := strings.NewReplacer("ADDRESS", address, "GOOD", h.good, "␣", " ")
	args := strings.Fields(c.args)
	for i := range args {
		args[i] = fill.Replace(args[i])
	}
	// The limit ends what hangs.
	limit := hostileTimes*hostileAsked + hostileSlack
	ctx, cancel := context.WithTimeout(h.t.Context(), limit)
	defer cancel()
	status := filepath.Join(h.home, fmt.Sprintf("status-%d", h.number()))
	defer os.Remove(status)
	cmd := exec.CommandContext(ctx, "hostilecall", args...)
	cmd.Dir = h.home
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.home, "XDG_STATE_HOME=" + h.home, "USER=u",
		"PLIMSOLL_TEST_STATUS=" + status, "AWS_EC2_METADATA_DISABLED=true"}, c.env...)
	for i := range cmd.Env {
		cmd.Env[i] = fill.Replace(cmd.Env[i])
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Minute // a child of its own holds the pipe
	begun := time.Now()
	err := cmd.Start()
	if err == nil {
		ended := make(chan struct{})
		var asking sync.WaitGroup
		if c.serves { // asked to end like the service of a machine is, some time after it has met the server
			asking.Go(func() { endWhen(cmd.Process, met, ended) })
		}
		err = cmd.Wait()
		close(ended)
		asking.Wait()
	}
	r := called{said: said.Bytes(), took: time.Since(begun), memory: mostMemory(status)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.err = fmt.Errorf("it did not end within %v", limit)
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		r.err = err
	}
	return r
}

// endWhen tells a process to end a while after something is so.
func endWhen(p *os.Process, so func() bool, ended <-chan struct{}) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for since := 0; since < 20; {
		select {
		case <-tick.C:
		case <-ended:
			return
		}
		if so() {
			since++
		}
	}
	_ = p.Signal(syscall.SIGTERM)
}

// mostMemory reads VmHWM from a copy of /proc/PID/status.
func mostMemory(name string) int64 {
	text, _ := os.ReadFile(name)
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	var kib int64
	_, _ = fmt.Sscan(string(rest), &kib)
	return kib << 10
}

// meet has a client meet a server, and says what went wrong.
func (h *hostileHouse) meet(c client, m hostile.Mode) (wrong []string) {
	s, err := hostile.Listen(m)
	if err != nil {
		return []string{err.Error()}
	}
	r := h.call(c, s.Address(), func() bool { return s.Met() > 0 })
	heard := s.Heard()
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if err := s.Close(); err != nil {
		say("%v", err)
	}
	if r.err != nil {
		say("%v", r.err)
	}
	if !slices.Contains([]int{0, 1, 2, 3, 4, 130}, r.code) {
		say("its exit status is %d", r.code)
	}
	if r.code == 0 && r.err == nil && !m.Answers && !c.aside && !c.serves {
		say("its exit status is 0, and nothing was answered truly")
	}
	most := h.least + hostileMemory
	if slices.Contains(c.own, hostile.WebSocket) { // up to four connections, each with a message that grows in fragments
		most += 4 * 4 * ws.DefaultMaxMessage
	}
	if r.memory > most {
		say("it needed %d MiB of memory, and a command that does nothing %d", r.memory>>20, h.least>>20)
	}
	if r.memory == 0 && r.err == nil {
		say("it did not end by itself")
	}
	if trace := regexp.MustCompile(`panic|goroutine \d+ \[|fatal error|runtime error`).Find(r.said); trace != nil {
		say("it says %q", trace)
	}
	if bad := controls(r.said); bad != "" {
		say("it prints what a terminal takes for a command: %s", bad)
	}
	for _, secret := range []string{hostileSecret, base64.StdEncoding.EncodeToString([]byte("u:" + hostileSecret))} {
		if bytes.Contains(r.said, []byte(secret)) {
			say("it prints a secret")
		}
		if strings.Contains(heard, secret) {
			say("it takes a secret elsewhere")
		}
	}
	if len(wrong) > 0 {
		wrong = append(wrong, fmt.Sprintf("after %v, exit status %d:\n%.1500q", r.took.Round(time.Millisecond), r.code, r.said))
	}
	if os.Getenv("PLIMSOLL_HOSTILE_LOUD") != "" {
		h.t.Logf("%s/%s: %v %d MiB, %d: %.400q", c.name, m.Name, r.took.Round(time.Millisecond), r.memory>>20, r.code, r.said)
	}
	return wrong
}

// controls is what of a text a terminal may take for a command; "" for nothing.
func controls(said []byte) string {
	for len(said) > 0 {
		c, size := utf8.DecodeRune(said)
		switch {
		case c == utf8.RuneError && size == 1:
			return fmt.Sprintf("a byte that is no text, %#x", said[0])
		case c == '\n' || c == '\t':
		case c < ' ' || c >= 0x7f && c < 0xa0:
			return fmt.Sprintf("%U", c)
		}
		said = said[size:]
	}
	return ""
}
