//go:build unix

package run

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Which targets are on this machine.
func TestWhichTargetsAreHere(t *testing.T) {
	urls := map[string]bool{
		"http://127.0.0.1:1/x": true, "ws://[::1]:1/": true, "http://192.0.2.1/": false, "http://%zz/": false, "http:///x": false,
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, is := a.(*net.IPNet); is && n.IP.To4() != nil && !n.IP.IsLoopback() {
			urls["http://"+n.IP.String()+":1/"] = true
		}
	}
	for url, want := range urls {
		target := Elsewhere(t.Context(), url)
		if target.SameHost != want || target.URL != url || target.Embedded || target.Stop() != nil {
			t.Errorf("%s: %+v", url, target)
		}
	}
}

// script is a program that passes for this one.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A target that is started beside a run is one of this machine, is asked for by its kind, and ends with the run; what
// goes wrong with it is told.
func TestEmbeddedTarget(t *testing.T) {
	const serve = `echo "$0 $*" >&2; echo '{"url":"http://127.0.0.1:9/","broker":"nats://b","pid":'$$'}'; cat > /dev/null; echo "$SECRET" >&2; exit `
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx        context.Context
		executable string
		code       fault.Code
		says       string
		ends       string // the error of its end
	}{
		"as it should":   {t.Context(), script(t, serve+"0"), fault.OK, "", ""},
		"it ends badly":  {t.Context(), script(t, serve+"3"), fault.OK, "", "exit status 3"},
		"nobody knows":   {t.Context(), "", fault.RunFailed, "cannot start the demo server: the path of this program is unknown", ""},
		"it is not here": {t.Context(), "/no/such/program", fault.RunFailed, "cannot start the embedded server /no/such/program", ""},
		"interrupted":    {over, script(t, serve+"0"), fault.Interrupted, "interrupted while the demo server started: nothing was measured", ""},
	} {
		env, _, stderr := unlit("")
		env.Executable = tt.executable
		r := New(env, Job{})
		target, err := r.Embedded(tt.ctx, "http", []string{"--x"}, "so what", "SECRET=hunter2")
		if fault.CodeOf(err) != tt.code || err != nil && !strings.HasPrefix(err.Error(), tt.says) || (target == nil) != (err != nil) {
			t.Errorf("%s: %+v, %v", name, target, err)
		}
		if err != nil {
			continue
		}
		if target.URL != "http://127.0.0.1:9/" || target.Broker != "nats://b" || !target.Embedded || !target.SameHost {
			t.Errorf("%s: %+v", name, target)
		}
		select {
		case <-target.Ended:
			t.Errorf("%s: it has ended", name)
		default:
		}
		ended := r.end()
		<-target.Ended
		if (ended == nil) != (tt.ends == "") || ended != nil && !strings.Contains(ended.Error(), tt.ends) {
			t.Errorf("%s: it ends with %v", name, ended)
		}
		if user, system := target.CPU(); user+system <= 0 {
			t.Errorf("%s: %v and %v of a processor", name, user, system)
		}
		if got := stderr.String(); !strings.Contains(got, "serve http --child --listen 127.0.0.1:0 --x\n") || !strings.Contains(got, "hunter2") {
			t.Errorf("%s: it was called as %s", name, got)
		}
	}
}

// A target that ends while it is measured is told of at once, and one that is not watched any more is not.
func TestWatchedTarget(t *testing.T) {
	ended := make(chan struct{})
	told := make(chan string, 1)
	env, _, _ := unlit("")
	env.Stderr = writes(func(p []byte) { told <- string(p) })
	v := New(env, Job{}).View
	unwatch := (&Target{Ended: ended}).Watch(v, "what is measured is nothing")
	close(ended)
	if got := <-told; got != "plimsoll: the demo server has exited; what is measured is nothing\n" {
		t.Errorf("%q", got)
	}
	unwatch()
	(&Target{Ended: make(chan struct{})}).Watch(v, "")()
	if len(told) > 0 {
		t.Errorf("%q", <-told)
	}
}

// writes is a writer that hands over what it is given.
type writes func(p []byte)

func (w writes) Write(p []byte) (int, error) {
	w(bytes.Clone(p))
	return len(p), nil
}
