//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"slices"
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
	t.Parallel()
	for columns, locale := range map[uint16]string{20: "C.UTF-8", 80: "C", 120: "C.UTF-8"} {
		tty := newTerminal(t, columns, 24)
		cmd := exec.CommandContext(t.Context(), "plimsoll", "chat", "--clients", "2", "--think-time", "20ms", "--duration", "1h", "--no-save")
		cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL="+locale, "NO_COLOR=1")
		cmd.Stdout, cmd.Stderr = tty.File, tty.File
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "three bars, the last one of the window", func() bool {
			all := bars(tty.sofar())
			return len(all) >= 3 && (columns <= 20 || strings.Contains(all[len(all)-1], "measuring"))
		})
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // a busy machine may make anything of its verdict
		shown := tty.all()
		all := bars(shown)
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

// An interrupt says at once what it does, and takes the bar away. What it waits for is a message that the target never
// answers, until the second one.
func TestInterruptOnATerminal(t *testing.T) {
	t.Parallel()
	tty := newTerminal(t, 80, 24)
	cmd := exec.CommandContext(t.Context(), "plimsoll", "chat", "--clients", "2", "--warmup-clients", "0", "--duration", "1h", "--no-save",
		"--target-flag", "stall-after=1ns", "--target-flag", "stall-for=1h", "--timeout", "1h", "--drain", "1h")
	cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = tty.File, tty.File
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const note = "plimsoll: interrupted: finishing the run; press Ctrl-C again to stop at once\n"
	await(t, "a bar of the window", func() bool { // on a busy machine one that says that the server starts comes first
		return slices.ContainsFunc(bars(tty.sofar()), func(bar string) bool { return strings.Contains(bar, "measuring") })
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	await(t, "word of the interrupt", func() bool { return strings.Contains(tty.sofar(), note) })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v", err)
	}
	shown := tty.all()
	before, after, _ := strings.Cut(shown, note)
	if strings.Contains(before, "Plimsoll chat") || !strings.Contains(after, "Plimsoll chat") {
		t.Errorf("%q", shown)
	}
	if left := leftOf(shown); strings.ContainsAny(left, "█\r") {
		t.Errorf("there stays\n%q", left)
	}
}
