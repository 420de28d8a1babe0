//go:build unix

package cli_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// serveTarget starts an embedded target and returns its URL.
func serveTarget(tb testing.TB, kind string, args ...string) (target string, stop func()) {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{"serve", kind, "--child", "--listen", "127.0.0.1:0"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	var ready struct{ URL string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		tb.Fatal(err)
	}
	return ready.URL, func() {
		_ = in.Close() // the server ends with its input
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the target ended with %v", err)
		}
	}
}

// cpuTime is the user and system time that this process has used.
func cpuTime() [2]time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails only for other arguments
	return [2]time.Duration{time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())}
}
