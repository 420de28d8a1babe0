package browser

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// plimsoll is the program, with a directory of its own for runs.
type plimsoll struct {
	path, state string
}

func program(t *testing.T) *plimsoll {
	t.Helper()
	path := os.Getenv("PLIMSOLL_BINARY")
	if path == "" {
		t.Skip("PLIMSOLL_BINARY names no program: make test sets it")
	}
	return &plimsoll{path: path, state: filepath.Join(t.TempDir(), "state")}
}

func (p *plimsoll) command(args ...string) *exec.Cmd {
	c := exec.Command(p.path, args...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+p.state)
	return c
}

// serving starts a command that says where its page is, on either stream. ended waits for its end.
func (p *plimsoll) serving(t *testing.T, args ...string) (url string, c *exec.Cmd, ended func() error) {
	t.Helper()
	c = p.command(args...)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = write, write
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	lines := bufio.NewScanner(read)
	address := regexp.MustCompile(`http://\S+`)
	for url == "" && lines.Scan() {
		url = address.FindString(lines.Text())
	}
	read2 := make(chan struct{})
	go func() {
		defer close(read2)
		for lines.Scan() { // so that it is not held up
		}
	}()
	over := false
	ended = func() error {
		over = true
		<-read2
		return c.Wait()
	}
	t.Cleanup(func() {
		if !over {
			_ = c.Process.Kill()
			_ = ended()
		}
		_ = read.Close()
	})
	if url == "" {
		t.Fatal("it does not say where its page is")
	}
	return url, c, ended
}

// TestPageFollowsRun: a page that is open during a run follows it and shows the report at the end, also when the server
// is gone.
func TestPageFollowsRun(t *testing.T) {
	l, p := newLab(t), program(t)
	url, _, ended := p.serving(t, "chat", "--duration", "6s", "--clients", "2", "--ui", "0", "--quiet")
	tb := l.openURL(t, url, desk)
	tb.until(`document.getElementById("state").textContent === "Live"`)
	tb.until(`document.getElementById("answer").textContent.includes("MEASURING")`)
	points := `(plimsoll.page.chart("throughput")?.counts?.ok ?? 0)`
	tb.until(points + ` >= 2`)
	before := eval[int](tb, points)
	tb.picture("live-going")
	tb.until(points+` > %d`, before)
	tb.until(`document.getElementById("state").textContent.startsWith("The run has ended")`)
	if err := ended(); !completed(err) {
		t.Error(err)
	}
	answer := eval[string](tb, `document.getElementById("answer").textContent`)
	if strings.Contains(answer, "MEASURING") || !regexp.MustCompile(`VALID|SUSPECT|INVALID`).MatchString(answer) {
		t.Errorf("at the end it says %s", answer)
	}
	if n := eval[int](tb, `plimsoll.page.names().length`); n < 3 {
		t.Errorf("%d charts at the end", n)
	}
	if eval[bool](tb, `document.querySelector(".now") !== null`) {
		t.Error("it still says what goes on")
	}
	tb.picture("live-over")
	tb.clean(url)
}

// TestViewComparesSavedRuns chooses two saved runs in the list and opens them in the same charts.
func TestViewComparesSavedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-browser runs it")
	}
	l, p := newLab(t), program(t)
	for _, label := range []string{"before", "after"} {
		c := p.command("chat", "--messages", "2000", "--label", label, "--quiet")
		if out, err := c.CombinedOutput(); !completed(err) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	url, c, ended := p.serving(t, "view", "last")
	tb := l.openURL(t, url, desk)
	tb.run(chromedp.Navigate(url + "runs"))
	tb.until(`document.querySelectorAll("input[name=with]").length === 2`)
	if n := eval[int](tb, `getComputedStyle(document.body).margin.length`); n == 0 {
		t.Error("the list has no style")
	}
	tb.axe("list")
	tb.picture("list")
	chosen := eval[string](tb, `(() => {
		document.querySelectorAll("input[name=with]").forEach((box) => box.click());
		const form = document.querySelector(".choose").closest("form");
		return form.action + "?" + new URLSearchParams(new FormData(form));
	})()`)
	tb.run(chromedp.Navigate(chosen))
	tb.until(`document.title.includes("2 runs of chat") && document.documentElement.dataset.drawn`)
	if links := eval[string](tb, `document.getElementById("nav").textContent`); !strings.Contains(links, "Run 1") ||
		!strings.Contains(links, "All runs") {
		t.Errorf("it leads to %s", links)
	}
	tb.run(chromedp.Navigate(url + "runs?q=before"))
	tb.until(`document.querySelectorAll("input[name=with]").length === 1`)
	tb.clean(url)
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := ended(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
