package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// saved is the file that a page has the browser save while do is done.
func saved(tb *tab, dir string, do func()) []byte {
	tb.t.Helper()
	events := true
	call(tb, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: dir, EventsEnabled: &events,
	})
	ctx, late := context.WithTimeout(tb.ctx, 30*time.Second)
	defer late()
	progress := chromedp.Events(ctx, browser.DownloadProgress)
	do()
	for event, err := range progress {
		if err != nil {
			tb.t.Fatalf("nothing was saved: %v", err)
		}
		if event.State != browser.DownloadProgressStateCompleted {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, event.GUID))
		if err != nil {
			tb.t.Fatal(err)
		}
		return data
	}
	tb.t.Fatal("nothing was saved")
	return nil
}

// Whoever uses the keyboard alone gets to everything, and sees where they are.
func tabbing(t *testing.T, l *lab) {
	tb := l.open(t, "all.html", desk)
	want := eval[int](tb, `(() => {
		const all = [...document.querySelectorAll("a[href],button,summary,[tabindex='0']")]
			.filter((e) => e.checkVisibility() || e.className === "skip");
		all.forEach((e, i) => { e.dataset.tab = i; });
		return all.length;
	})()`)
	reached, unseen := map[string]bool{}, map[string]bool{}
	for range want + 20 {
		tb.run(chromedp.KeyEvent(kb.Tab))
		at := eval[[]string](tb, `(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return [e.dataset.tab ?? "", e.tagName + "." + e.className, s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 ? "y" : ""];
		})()`)
		if at[0] == "" {
			break
		}
		reached[at[0]] = true
		if at[2] == "" {
			unseen[at[1]] = true
		}
	}
	if len(reached) != want {
		left := eval[[]string](tb, `[...document.querySelectorAll("[data-tab]")].map((e) => e.dataset.tab + " " + e.outerHTML.slice(0, 80))`)
		for _, one := range left {
			if number, _, _ := strings.Cut(one, " "); !reached[number] {
				t.Errorf("Tab does not reach %s", one)
			}
		}
	}
	for what := range unseen {
		t.Errorf("the focus on %s is not to be seen", what)
	}
	if want < 40 {
		t.Errorf("only %d things to reach", want)
	}
	tb.clean()
}

// narrow fails where the page is wider than its window.
func (tb *tab) narrow() {
	tb.t.Helper()
	over := eval[[]string](tb, `(() => {
		const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return [];
		return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 1 &&
			!e.closest(".scroll") && !e.closest("pre")).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).concat(
			document.documentElement.scrollWidth + " of " + width);
	})()`)
	if len(over) > 0 {
		tb.t.Errorf("the page is wider than its window: %q", over)
	}
}

// On a phone nothing is wider than the page, and in the dark everything is drawn for it.
func views(t *testing.T, l *lab) {
	tb := l.open(t, "all.html", view{width: 360, height: 740, phone: true})
	tb.narrow()
	tb.do(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
	tb.until(`document.querySelector("#numbers-scaling table")`)
	tb.narrow()
	tb.do(`document.querySelectorAll("details.numbers").forEach((d) => { d.open = false; })`)
	tb.clean()
	tb.picture("all-phone")

	back := `getComputedStyle(document.body).backgroundColor`
	light := eval[string](tb, back)
	dark := l.open(t, "all.html", view{dark: true, width: 1280, height: 900})
	if eval[string](dark, back) == light {
		t.Error("the dark page is as light as the other")
	}
	colour := `plimsoll.page.chart("throughput").plot.ctx.canvas.toDataURL()`
	before := eval[string](dark, colour)
	dark.picture("all-dark")
	dark.run(chromedp.Click(chromedp.CSS(`.theme`)))
	dark.until(`%s !== %s`, colour, quoted(before))
	if eval[string](dark, back) != light {
		t.Error("the button does not make the page light")
	}
	dark.clean()
	again := l.open(t, "all.html", view{dark: true, width: 1280, height: 900})
	if eval[string](again, back) != light {
		t.Error("the choice is forgotten")
	}
	again.do(`localStorage.clear()`) // for the tests that come
}

// On paper all sections are open, and the charts are light.
func paper(t *testing.T, l *lab) {
	tb := l.open(t, "all.html", view{dark: true, width: 1280, height: 900})
	tb.do(`document.querySelector("#sections details").open = false;
		addEventListener("beforeprint", () => queueMicrotask(() => { window.paper = {
			open: document.querySelector("#sections details").open, dark: plimsoll.theme.dark(),
			width: plimsoll.page.chart("throughput").plot.width }; }))`)
	out := tb.pdf()
	if !bytes.HasPrefix(out, []byte("%PDF")) || len(out) < 20_000 {
		t.Errorf("%d bytes of PDF", len(out))
	}
	if got := eval[string](tb, `JSON.stringify(window.paper)`); got != `{"open":true,"dark":false,"width":660}` {
		t.Errorf("on paper: %s", got)
	}
	tb.until(`plimsoll.theme.dark() && !document.querySelector("#sections details").open`)
	tb.clean()
	if dir := os.Getenv("PLIMSOLL_PICTURES"); dir != "" {
		tb.write(filepath.Join(dir, "all.pdf"), out)
	}
}

// While a run goes on, what comes takes the place of what was there, and what the reader did stays.
func live(t *testing.T, l *lab) {
	next := make(chan []byte)
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(l.file(t, "live.html"))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "retry: 50\n\n")
		w.(http.Flusher).Flush()
		for {
			select {
			case event := <-next:
				if event == nil {
					return
				}
				_, _ = fmt.Fprintf(w, "data: %s\n\n", bytes.TrimSpace(event))
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			case <-gone:
				return
			}
		}
	}))
	defer server.Close()
	defer close(gone)
	tb := l.openURL(t, server.URL, desk)
	state := `document.getElementById("state").textContent`
	tb.until(state+` === %s`, quoted("Live"))
	tb.drag("throughput", 10, 20)
	tb.run(chromedp.Click(chromedp.CSS(`#sections table thead tr > :nth-child(2) .sort`)))
	tb.do(`window.was = plimsoll.page.chart("throughput"); scrollTo(0, 120)`)
	place := eval[float64](tb, `document.querySelector("#panel-throughput").getBoundingClientRect().top`)
	next <- l.file(t, "event-0.json")
	tb.until(`document.title === "Live, event 0" && plimsoll.page.names().length === 3`)
	for what, is := range map[string]string{
		"the zoom":  `plimsoll.page.chart("throughput") === window.was && Math.abs(window.was.view()[0] - 10) < 0.3`,
		"the focus": `document.activeElement.className === "sort"`,
		"the order": `document.querySelector("#sections tbody tr").cells[1].textContent === "2 s"`,
		"the place": fmt.Sprintf(`Math.abs(document.querySelector("#panel-throughput").getBoundingClientRect().top - %g) < 2`, place),
		"the words": `document.querySelector(".now").textContent === "measuring, 4 s of 60 s"`,
	} {
		if !eval[bool](tb, is) {
			t.Errorf("%s is lost", what)
		}
	}
	tb.do(`window.now = Date.now; Date.now = () => window.now() + 60000`) // nothing has come for a minute
	tb.until(state + `.startsWith("No update since")`)
	tb.do(`Date.now = window.now`)
	next <- l.file(t, "event-0.json")
	tb.until(state+` === %s`, quoted("Live"))
	tb.do(`document.querySelector("#sections details").open = false`)
	next <- nil // the connection breaks, and the browser tries again
	tb.until(state+`.includes("lost") || %s`, `document.title === "Live, event 1"`)
	next <- l.file(t, "event-1.json")
	tb.until(`document.title === "Live, event 1" && %s === "Live"`, state)
	if eval[bool](tb, `document.querySelector("#sections details").open`) {
		t.Error("a section that was folded up is open again")
	}
	next <- l.file(t, "event-2.json")
	tb.until(`%s.includes("ended")`, state)
	tb.clean(server.URL)
	tb.picture("live")
}

// axe-core, which knows the rules by which everybody can use a page, has nothing serious to say.
func (tb *tab) axe(what string) {
	tb.t.Helper()
	modules := os.Getenv("PLIMSOLL_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join("..", "npm", "node_modules")
	}
	script, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		tb.t.Logf("no axe-core: %v; make test fetches it", err)
		return
	}
	tb.do("%s;0", script)
	found := eval[[]string](tb, `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) =>
		v.impact + " " + v.id + ": " + v.help + "; " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 150)).join(" | ")))`)
	for _, f := range found {
		if strings.HasPrefix(f, "serious") || strings.HasPrefix(f, "critical") {
			tb.t.Errorf("%s: %s", what, f)
		} else {
			tb.t.Logf("%s: %s", what, f)
		}
	}
}

func accessible(t *testing.T, l *lab) {
	for name, v := range map[string]view{
		"light": desk, "dark": {dark: true, width: 1280, height: 900}, "phone": {width: 360, height: 740, phone: true},
	} {
		tb := l.open(t, "all.html", v)
		if eval[bool](tb, `plimsoll.theme.dark()`) != v.dark {
			t.Errorf("%s: it is not in its colours", name)
		}
		tb.run(chromedp.Click(chromedp.CSS(`#numbers-scaling summary`)), chromedp.WaitVisible(chromedp.CSS(`#numbers-scaling table`)))
		tb.focus("throughput")
		tb.run(chromedp.KeyEvent(kb.ArrowRight))
		tb.axe(name)
	}
}
