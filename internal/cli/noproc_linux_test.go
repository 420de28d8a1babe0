package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/runtest"
)

// TestWithoutProc runs commands where /proc is empty, as in some sandboxes: what can work does, the report names what
// nobody watched, and what cannot work says in a line why not.
func TestWithoutProc(t *testing.T) {
	if raced() {
		t.Skip("the race detector itself looks into /proc")
	}
	t.Parallel()
	if said, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc").CombinedOutput(); err != nil {
		t.Skipf("a mount namespace with another /proc cannot be made here: %v: %s", err, bytes.TrimSpace(said))
	}
	sh := func(script string) (stdout, stderr string, err error) {
		cmd := exec.CommandContext(t.Context(), "unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && "+script)
		var out, no bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &no
		cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+cmd.Dir)
		err = cmd.Run()
		return out.String(), no.String(), err
	}
	const until = `while ! grep -s -q ' at ' said; do sleep 0.02; done; ` +
		`at=$(sed -n 's|.* at \([a-z]*://[0-9.:]*\).*|\1|p;q' said); `
	for serve, measure := range map[string]string{
		"chat": `chat "$at/chat/{room}" --messages 100`, "http": `http "$at/" --count 100`,
		"http --tls": `http "$at/" --insecure --count 100`,
	} {
		out, no, err := sh("plimsoll serve " + serve + " --listen 127.0.0.1:0 2>said & " + until + "plimsoll " + measure +
			" --warmup-time 0 --timeout 1m --quiet --no-save --full; code=$?; kill $! && wait $! && exit $code")
		if !runtest.Completed(err) || !strings.Contains(out, "100 ok") || !strings.Contains(out, "/proc/stat: no such file") ||
			err == nil && no != "" {
			t.Errorf("serve %s: %v: %s%.2000s", serve, err, no, out)
		}
	}
	out, no, err := sh("plimsoll chat --duration 1s --quiet --no-save")
	const want = "plimsoll: cannot start the demo server: the path of this program is unknown\n" +
		"hint: start 'plimsoll serve chat' and pass its URL\n"
	if err == nil || out != "" || no != want {
		t.Errorf("a demo: %v: %s%s", err, out, no)
	}
}
