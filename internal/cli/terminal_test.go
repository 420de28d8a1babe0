//go:build linux

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// terminal is a pseudo-terminal of so many columns and lines, and what was shown on it.
type terminal struct {
	*os.File // the end that a program has
	reader   *os.File
	reading  sync.WaitGroup
	mu       sync.Mutex
	shown    bytes.Buffer
}

// listen keeps what is shown.
func (tty *terminal) listen() {
	piece := make([]byte, 4096)
	for {
		n, err := tty.reader.Read(piece)
		tty.mu.Lock()
		tty.shown.Write(piece[:n])
		tty.mu.Unlock()
		if err != nil {
			return // the last program has closed its end
		}
	}
}

// sofar is what was shown until now, with lines that end as in a file.
func (tty *terminal) sofar() string {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return strings.ReplaceAll(tty.shown.String(), "\r\n", "\n")
}

// newTerminal opens a terminal, from which everything is read that is written to it until shownOn closes it.
func newTerminal(t *testing.T, columns, lines uint16) *terminal {
	t.Helper()
	reader, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no pseudo-terminal here: %v", err)
	}
	fd := int(reader.Fd()) // which makes it block, as is right for one that nobody interrupts
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	tty := &terminal{File: writer, reader: reader}
	tty.reading.Go(tty.listen)
	t.Cleanup(func() { _ = tty.Close(); tty.reading.Wait(); _ = reader.Close() })
	return tty
}

// hangUp has the terminal be gone, as when its window is closed.
func (tty *terminal) hangUp() {
	_ = tty.Close()
	_ = tty.reader.Close()
}

// all closes the terminal, and is all that was shown on it, with lines that end as in a file.
func (tty *terminal) all() string {
	_ = tty.Close()
	tty.reading.Wait()
	return tty.sofar()
}

// on runs plimsoll with its stdout on the terminal, and gives what it said on stderr. Its exit status is
// none of this.
func (tty *terminal) on(t *testing.T, variables []string, args ...string) (stderr string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command("plimsoll", args...)
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stdout, cmd.Stderr = tty.File, &said
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return said.String()
}

// plain is a text without what colours it.
func plain(text string) string {
	return regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")
}

// fits complains about lines that are wider than the terminal, unless they are one word.
func fits(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(plain(text)) {
		line = strings.TrimRight(line, "\n")
		if utf8.RuneCountInString(line) > columns && strings.ContainsRune(strings.TrimSpace(line), ' ') {
			t.Errorf("more than %d columns: %q", columns, line)
		}
	}
}

// sizes are those of terminals that reports are read on.
func sizes() []uint16 { return []uint16{40, 80, 120, 200} }

// measured makes a run of each kind, each in a store of its own, and gives the variables that name the
// store.
func measured(t *testing.T, check func(variables []string, columns uint16, shown string)) {
	for i, args := range [][]string{
		{"chat", "--clients", "2", "--messages", "200", "--warmup-clients", "0"},
		{"bandwidth", "1m"},
		{"overhead", "--calls", "20", "--warmup", "0"},
		{"updates", "--duration", "300ms", "--warmup-time", "0", "--rate", "20", "--batch", "10"},
	} {
		t.Run(args[0], func(t *testing.T) {
			variables := []string{"XDG_STATE_HOME=" + t.TempDir(), "TERM=xterm", "PLIMSOLL_PAGER="}
			columns := sizes()[i]
			tty := newTerminal(t, columns, 24)
			stderr := tty.on(t, variables, args...)
			shown := tty.all()
			if !strings.HasPrefix(plain(shown), "Plimsoll "+args[0]) {
				t.Fatalf("%s\n%s", shown, stderr)
			}
			check(variables, columns, shown)
		})
	}
}

// What a person sees after a run, and of a saved one, is one screen, in any width.
func TestAnswerOnATerminal(t *testing.T) {
	peertest.NothingRaces(t, "texts alone")
	t.Parallel()
	measured(t, func(variables []string, columns uint16, shown string) {
		one := func(columns uint16, shown string) {
			t.Helper()
			fits(t, shown, int(columns))
			if n := strings.Count(shown, "\n"); n > 24 {
				t.Errorf("%d lines at %d columns:\n%s", n, columns, shown)
			}
			if !strings.Contains(strings.Join(strings.Fields(plain(shown)), " "), "plimsoll report last --full") {
				t.Errorf("at %d columns, no word of the rest:\n%s", columns, shown)
			}
		}
		one(columns, shown)
		for _, columns := range sizes() {
			tty := newTerminal(t, columns, 24)
			tty.on(t, variables, "report", "last")
			one(columns, tty.all())
			for _, part := range [][]string{{"--full"}, {"--section", "answer"}} {
				tty = newTerminal(t, columns, 24)
				tty.on(t, variables, append([]string{"report", "last"}, part...)...)
				whole := tty.all()
				fits(t, whole, int(columns))
				if part[0] == "--full" && strings.Count(whole, "\n") < 40 {
					t.Errorf("%q at %d columns:\n%s", part, columns, whole)
				}
			}
			tty = newTerminal(t, columns, 24)
			tty.on(t, variables, "runs")
			fits(t, tty.all(), int(columns))
		}
	})
}

// saved is the store of a run that does not change, and the variables that name it.
func saved(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	run := filepath.Join(dir, "plimsoll", "runs", "20261121T100000Z-aaaa")
	if err := writeFixtures(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "first.json"), filepath.Join(run, "run.json")); err != nil {
		t.Fatal(err)
	}
	return []string{"XDG_STATE_HOME=" + dir, "TERM=xterm"}
}

// The whole report goes through a pager, and the answer does not; less is the one that nobody has chosen.
func TestPagerOnATerminal(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"less $*\"\ncat\necho \"less has ended\"\n"
	if err := os.WriteFile(filepath.Join(bin, "less"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER", "")
	_ = os.Unsetenv("PAGER") // and Setenv puts it back
	variables := append(saved(t), "PATH="+bin+":"+os.Getenv("PATH"))
	for _, test := range []struct {
		args  []string
		paged bool
	}{
		{[]string{"report", "last"}, false},
		{[]string{"report", "last", "--full"}, true},
		{[]string{"report", "last", "--section", "times"}, true},
		{[]string{"report", "last", "--full", "--format", "json"}, false},
		{[]string{"report", "last", "--format", "markdown"}, false},
	} {
		tty := newTerminal(t, 80, 24)
		tty.on(t, variables, test.args...)
		got := tty.all()
		paged := strings.HasPrefix(got, "less -FRX\n") && strings.HasSuffix(got, "less has ended\n")
		if paged != test.paged || paged != strings.Contains(got, "less") {
			t.Errorf("%q: %s", test.args, got)
		}
	}
}

// A pipe of the pager's ends as it does in a shell: no program in it is told to ignore that its reader is gone.
func TestPagerOfAPipe(t *testing.T) {
	t.Parallel()
	tty := newTerminal(t, 80, 24)
	stderr := tty.on(t, append(saved(t), "PLIMSOLL_PAGER=yes | head -n 1"), "report", "last", "--full")
	if shown := tty.all(); shown != "y\n" || stderr != "" {
		t.Errorf("%q, %q", shown, stderr)
	}
}

// Colours are where a terminal takes them, and nowhere else.
func TestColoursOnATerminal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variable string
		want     bool
	}{{"PLIMSOLL_PAGER=", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		variables := append(saved(t), "PLIMSOLL_PAGER=", test.variable)
		tty := newTerminal(t, 80, 24)
		tty.on(t, variables, "report", "last")
		if got := tty.all(); strings.Contains(got, "\x1b") != test.want {
			t.Errorf("%s: %q", test.variable, got)
		}
		tty = newTerminal(t, 40, 24)
		cmd := exec.Command("plimsoll", "report", "last~3", "--full")
		cmd.Env = append(os.Environ(), variables...)
		cmd.Stderr = tty.File
		_ = cmd.Run() // it fails
		got := tty.all()
		if strings.Contains(got, "\x1b") != test.want {
			t.Errorf("%s: %q", test.variable, got)
		}
		// It is one line, however narrow the terminal is.
		if !strings.HasPrefix(plain(got), "plimsoll: last~3 is too far back: the saved runs number 1\n") {
			t.Errorf("%q", got)
		}
	}
}

// A terminal has the answer alone, with the comparison in its first table.
func TestComparisonOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	variables := []string{"XDG_STATE_HOME=" + dir, "TERM=xterm"}
	baseline := filepath.Join(dir, "baseline.json")
	for _, args := range [][]string{{"--save-baseline", baseline}, {"--baseline", baseline}} {
		tty := newTerminal(t, 60, 24)
		stderr := tty.on(t, variables, append([]string{"overhead", "S3/HeadObject", "--calls", "50", "--warmup", "0"}, args...)...)
		shown := tty.all()
		fits(t, shown, 60)
		above, answer, found := strings.Cut(plain(shown), "Plimsoll overhead")
		compared := strings.Contains(answer, "difference, %")
		if !found || above != "" || compared != (args[0] == "--baseline") || !strings.Contains(answer, "plimsoll report last --full") {
			t.Errorf("%s\n%s", shown, stderr)
		}
	}
}

// What --verbose asks for comes above the answer.
func TestVerboseOnATerminal(t *testing.T) {
	t.Parallel()
	variables := []string{"XDG_STATE_HOME=" + t.TempDir(), "TERM=xterm"}
	for _, verbose := range []bool{false, true} {
		args := []string{"bandwidth", "1m", "--block", "512k"}
		if verbose {
			args = append(args, "--verbose")
		}
		tty := newTerminal(t, 80, 24)
		stderr := tty.on(t, variables, args...)
		shown := tty.all()
		fits(t, shown, 80)
		listed, answer, found := strings.Cut(plain(shown), "Plimsoll bandwidth")
		if !found || strings.Contains(listed, "write block 1 ") != verbose || !strings.Contains(answer, "--full") {
			t.Errorf("verbose %v: %s\n%s", verbose, shown, stderr)
		}
	}
}
