//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// leftOf are the lines that a terminal shows in the end: one that is written anew is shown as it was last.
func leftOf(shown string) string {
	var left []string
	for line := range strings.SplitSeq(shown, "\n") {
		if at := strings.LastIndex(line, "\x1b[K"); at >= 0 {
			line = line[at+len("\x1b[K"):]
		}
		left = append(left, line)
	}
	return strings.Join(left, "\n")
}

// bars are the lines that were written anew, in their order.
func bars(shown string) []string {
	var all []string
	for part := range strings.SplitSeq(shown, "\r\x1b[K") {
		if line, _, _ := strings.Cut(part, "\n"); strings.HasPrefix(line, "[") || strings.Contains(line, " left") {
			all = append(all, line)
		}
	}
	return all
}

// A run shows a bar that is no wider than the terminal, and leaves nothing of it behind.
func TestBarOnATerminal(t *testing.T) {
	for columns, locale := range map[uint16]string{20: "C.UTF-8", 40: "C.UTF-8", 80: "C", 120: "C.UTF-8"} {
		tty := newTerminal(t, columns, 24)
		cmd := exec.Command("plimsoll", "chat", "--clients", "2", "--duration", "2500ms", "--no-save")
		cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL="+locale, "NO_COLOR=1")
		cmd.Stdout, cmd.Stderr = tty.File, tty.File
		_ = cmd.Run() // a busy machine may make anything of its verdict
		shown := tty.all()
		all := bars(shown)
		if len(all) < 3 || len(all) > 40 || !strings.Contains(strings.Join(all, ""), "window") && columns > 20 {
			t.Errorf("at %d columns there were %d bars:\n%q", columns, len(all), shown)
		}
		blocks := strings.ContainsAny(strings.Join(all, ""), "█░")
		if blocks != (locale != "C" && columns > 36) {
			t.Errorf("at %d columns with %s: %q", columns, locale, all)
		}
		for _, bar := range all {
			if utf8.RuneCountInString(bar) >= int(columns) {
				t.Errorf("more than %d columns: %q", columns, bar)
			}
		}
		if left := leftOf(shown); strings.Contains(left, " left") || strings.ContainsAny(left, "█\r") || strings.Contains(left, "\x1b[?25l") {
			t.Errorf("at %d columns there stays\n%q", columns, left)
		}
	}
}

// An interrupt says at once what it does, and takes the bar away.
func TestInterruptOnATerminal(t *testing.T) {
	tty, dir := newTerminal(t, 80, 24), t.TempDir()
	r := &running{dir: dir}
	r.Cmd = exec.Command("plimsoll", "chat", "--rate", "50", "--duration", "1m", "--samples", "samples.csv", "--no-save")
	r.Env, r.Dir = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8"), dir
	r.Stdout, r.Stderr = tty.File, tty.File
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	r.awaitSamples(t, 60)
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); r.ProcessState.ExitCode() != 130 {
		t.Errorf("%v", err)
	}
	shown := tty.all()
	note := "plimsoll: interrupted, and ending in order; a second Ctrl-C ends at once\n"
	before, after, found := strings.Cut(shown, note)
	if !found || len(bars(before)) == 0 || !strings.Contains(after, "Plimsoll chat") {
		t.Errorf("%q", shown)
	}
	if left := leftOf(shown); strings.ContainsAny(left, "█\r") {
		t.Errorf("there stays\n%q", left)
	}
}

// Rows that are made by a command of their own have a bar, too.
func TestDeltasOnATerminal(t *testing.T) {
	tty, dir := newTerminal(t, 100, 24), t.TempDir()
	cmd := exec.Command("plimsoll", "deltas", "generate", "--files", "3", "--updates", "1000000", "--out", filepath.Join(dir, "deltas"))
	cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = tty.File, tty.File
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	shown := tty.all()
	all := bars(shown)
	if len(all) == 0 {
		t.Skip("this machine makes three million rows within a second")
	}
	if last := all[len(all)-1]; !strings.Contains(last, "%  generating · file ") || !strings.Contains(last, " rows · ~") {
		t.Errorf("%q", last)
	}
	if left := leftOf(shown); !strings.HasPrefix(left, "wrote 3 files") {
		t.Errorf("there stays\n%q", left)
	}
}
