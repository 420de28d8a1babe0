package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server that is killed is there again at its address, with the addresses and variables that the new one says.
func TestStartedAgain(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "server")
	script := `#!/bin/sh
n=$(cat count 2>/dev/null || echo 0); echo $((n+1)) >count
trap 'echo "goroutine 1 [running]:"; echo "goroutine 7 [select]:"; exit 2' QUIT
trap 'exit 0' INT
printf 'serving at http://%s\npublishers on this machine: nats://token%s@x\nexport KEY=%s\n' "$4" "$n" "$n"
while :; do sleep 0.01; done
`
	if err := os.WriteFile(binary, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &soaking{pair: pair{name: "x killed", server: []string{"x"}, workload: []string{"y", "URL", "BROKER"}, killed: true},
		binary: binary, dir: dir}
	v, err := s.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.end(os.Kill) })
	first := s.address
	if got := strings.Join(s.command()[:3], " "); got != "y "+first+" nats://token0@x" || s.variable("KEY") != "0" {
		t.Errorf("%s, %s", got, s.variable("KEY"))
	}
	for range 2 {
		if err := v.again(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if v.restarts != 2 || v.atQuits != 2 || s.address != first {
		t.Errorf("%d restarts, %d goroutines, at %s and then at %s", v.restarts, v.atQuits, first, s.address)
	}
	if got := s.command()[2]; got != "nats://token2@x" {
		t.Error(got)
	}
	if err := v.end(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := v.again(t.Context()); err == nil || !strings.Contains(err.Error(), "ended by itself") {
		t.Errorf("%v", err)
	}
}

// What a server tells of its goroutines is read where it tells, and is 0 where it does not.
func TestGoroutinesTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, secret, _ := r.BasicAuth()
		if r.URL.Path == "/metrics" && key == "k" && secret == "s" {
			fmt.Fprint(w, "# HELP go_goroutines\ngo_goroutines 42\n")
		}
	}))
	defer server.Close()
	s := &soaking{pair: pair{metrics: "/metrics"}, address: strings.Replace(server.URL, "http", "ws", 1) + "/chat/{room}",
		env: []string{"AWS_ACCESS_KEY_ID=old", "AWS_ACCESS_KEY_ID=k", "AWS_SECRET_ACCESS_KEY=s"}}
	v := &serving{pair: s}
	if n := v.goroutines(t.Context()); n != 42 {
		t.Errorf("%d goroutines", n)
	}
	for _, metrics := range []string{"", "/elsewhere"} {
		s.metrics = metrics
		if n := v.goroutines(t.Context()); n != 0 {
			t.Errorf("%q: %d goroutines", metrics, n)
		}
	}
}

func TestPairs(t *testing.T) {
	names := map[string]bool{}
	for _, p := range pairs() {
		if names[p.name] || p.killed != strings.HasSuffix(p.name, " killed") || p.killed && len(p.server) == 0 {
			t.Errorf("%+v", p)
		}
		names[p.name] = true
	}
	for _, server := range []string{"chat", "http", "bandwidth", "overhead", "kv"} {
		if !names[server] || !names[server+" killed"] {
			t.Errorf("%s is missing", server)
		}
	}
	if lifeTime(time.Hour) != 5*time.Minute || lifeTime(time.Minute) != 20*time.Second {
		t.Errorf("%s, %s", lifeTime(time.Hour), lifeTime(time.Minute))
	}
	if n := dumped("goroutine 1 [x]:\n\tgoroutine 3\ngoroutine 2 [y]:\n"); n != 2 {
		t.Errorf("%d goroutines", n)
	}
}

// On a busy machine a program may be interrupted before it listens for that; that all of them are is a fault.
func TestEarlyInterrupts(t *testing.T) {
	s := &soaking{binary: "/bin/sh", dir: t.TempDir()}
	for script, early := range map[string]bool{
		"kill -INT $$; sleep 60": true, "echo said; kill -INT $$; sleep 60": false, "kill -TERM $$; sleep 60": false, "exit 0": false,
	} {
		p := s.start("-c", script)
		p.wait(t.Context(), time.Minute)
		if err := p.end(os.Interrupt); errors.Is(err, errEarly) != early || err == nil != (script == "exit 0") {
			t.Errorf("%s: %v", script, err)
		}
	}
	for c, fine := range map[counts]bool{
		{}: true, {interrupted: 2, early: 2}: true, {interrupted: 10, early: 4}: true, {interrupted: 10, early: 5}: false,
	} {
		if err := c.tooEarly(); err == nil != fine {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
