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

// TestReportFitsTheTerminal checks that the answer of a saved run of each kind is one screen, and that nothing is wider
// than the terminal.
func TestReportFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"chat", "bandwidth", "overhead", "updates"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "rundoc", "testdata", "earlier", kind+".json"))
		if err != nil {
			t.Fatal(err)
		}
		variables := append(stored(t, text), "PLIMSOLL_PAGER=")
		for _, columns := range []uint16{40, 120} {
			tty := newTerminal(t, columns, 24)
			tty.on(t, variables, "report", "last")
			answer := tty.all()
			fits(t, answer, int(columns))
			if n := strings.Count(answer, "\n"); n > 24 || !strings.HasPrefix(plain(answer), "Plimsoll "+kind) {
				t.Errorf("%d lines at %d columns:\n%s", n, columns, answer)
			}
			if !strings.Contains(strings.Join(strings.Fields(plain(answer)), " "), " --full") {
				t.Errorf("no hint at the rest at %d columns:\n%s", columns, answer)
			}
			tty = newTerminal(t, columns, 24)
			tty.on(t, variables, "report", "last", "--full")
			whole := tty.all()
			fits(t, whole, int(columns))
			if strings.Count(whole, "\n") < 40 {
				t.Errorf("the whole report at %d columns:\n%s", columns, whole)
			}
		}
	}
}

// saved saves a run that never changes in a store of its own, and returns the variables that name it.
func saved(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := writeFixtures(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "first.json"))
	if err != nil {
		t.Fatal(err)
	}
	return stored(t, text)
}

// stored saves a document in a store of its own, and returns the variables that name it.
func stored(t *testing.T, document []byte) []string {
	t.Helper()
	dir := t.TempDir()
	run := filepath.Join(dir, "plimsoll", "runs", "20261121T100000Z-aaaa")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "run.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"XDG_STATE_HOME=" + dir, "TERM=xterm"}
}

// TestPagerShowsWholeReports checks that the whole report goes through a pager, less by default, and the answer does not.
func TestPagerShowsWholeReports(t *testing.T) {
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
		if !strings.HasPrefix(plain(got), "plimsoll: last~3 is too far back: there is only 1 saved run\n") {
			t.Errorf("%q", got)
		}
	}
}

// TestRunOnATerminal checks that a run prints its answer alone on a terminal, below what --verbose lists.
func TestRunOnATerminal(t *testing.T) {
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
