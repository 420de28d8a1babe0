package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// lab is one browser for all tests, and the folder of the pages that it looks at.
type lab struct {
	browser context.Context // a tab of chromedp is a context
	pages   string
}

// chromium is the browser, or why there is none.
func chromium() (path, missing string) {
	if path := os.Getenv("PLIMSOLL_CHROMIUM"); path != "" {
		return path, ""
	}
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, ""
		}
	}
	return "", "there is no chromium: install it (Debian: chromium), or say where it is in PLIMSOLL_CHROMIUM"
}

func newLab(t *testing.T) *lab {
	t.Helper()
	path, missing := chromium()
	if missing != "" {
		t.Skip(missing)
	}
	l := &lab{pages: t.TempDir()}
	l.fixtures(t)
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(2 * time.Minute),
	})
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	l.browser = browser
	return l
}

// fixtures runs the tests of internal packages that write pages, because this module cannot import those packages.
func (l *lab) fixtures(t *testing.T) {
	t.Helper()
	c := exec.Command("go", "test", "-count=1", "-run", "^TestFixtures$", "./internal/page", "./internal/view")
	c.Dir = filepath.Join("..", "..")
	c.Env = append(os.Environ(), "GOWORK=", "PLIMSOLL_PAGES="+l.pages)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("the pages cannot be made: %v\n%s", err, out)
	}
}

// completed reports whether err is that of a run that ended as it should: exit status 0, or 4 because the machine was
// too busy for the measurement to be trusted.
func completed(err error) bool {
	var exit *exec.ExitError
	return err == nil || errors.As(err, &exit) && exit.ExitCode() == 4
}

// tab is a page in the browser, and what it complained of and asked for.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	problems []string
	asked    []string
}

// view is how a page is looked at.
type view struct {
	dark          bool
	width, height int64
	phone         bool
}

var desk = view{width: 1280, height: 900}

// open opens a page by its file's name, and waits until its charts are drawn.
func (l *lab) open(t *testing.T, name string, v view) *tab {
	t.Helper()
	tb := l.openURL(t, "file://"+filepath.Join(l.pages, name), v)
	return tb
}

func (l *lab) openURL(t *testing.T, url string, v view) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(l.browser)
	t.Cleanup(closeTab)
	tb := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tb.hear); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	call(tb, log.Enable, cdp.Empty{})
	call(tb, network.Enable, network.EnableParams{})
	call(tb, runtime.Enable, cdp.Empty{})
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.phone,
	})
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	tb.run(chromedp.Navigate(url))
	tb.until(`document.documentElement.dataset.drawn`)
	return tb
}

// hear notes what goes wrong, and each request.
func (tb *tab) hear(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, describe(a))
		}
		tb.problems = append(tb.problems, "console: "+strings.Join(parts, " "))
	case *runtime.EventExceptionThrown:
		tb.problems = append(tb.problems, "exception: "+e.ExceptionDetails.Text+" "+describe(e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		tb.problems = append(tb.problems, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		tb.asked = append(tb.asked, e.Request.URL)
	}
}

func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return string(o.Value) + o.Description
}

// clean fails the test where the page complained, or asked for anything but itself.
func (tb *tab) clean(allowed ...string) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, p := range tb.problems {
		tb.t.Errorf("the page complains: %s", p)
	}
	for _, url := range tb.asked {
		own := strings.HasPrefix(url, "file:") || strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "blob:")
		if !own && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(url, a) }) {
			tb.t.Errorf("the page asks for %s", url)
		}
	}
}

func (tb *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if err := chromedp.Do(tb.ctx, actions...); err != nil {
		tb.t.Fatal(err)
	}
}

// call has the browser do something of its protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) {
	tb.t.Helper()
	if _, err := chromedp.Call(tb.ctx, command, params); err != nil {
		tb.t.Fatal(err)
	}
}

// eval is the value of an expression, as T.
func eval[T any](tb *tab, expression string, args ...any) T {
	tb.t.Helper()
	if len(args) > 0 {
		expression = fmt.Sprintf(expression, args...)
	}
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.t.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// do evaluates what has no value.
func (tb *tab) do(script string, args ...any) {
	tb.t.Helper()
	eval[bool](tb, script+"; true", args...)
}

// until waits for an expression to be true. The page itself looks again and again; chromedp's own way makes a function
// of text, which the policy of the page forbids.
func (tb *tab) until(expression string, args ...any) {
	tb.t.Helper()
	if len(args) > 0 {
		expression = fmt.Sprintf(expression, args...)
	}
	if !eval[bool](tb, `new Promise((done) => {
		const end = performance.now() + 120000;
		const look = () => (%s) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20);
		look();
	})`, expression) {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		tb.t.Fatalf("waited in vain for %s; %q", expression, tb.problems)
	}
}

// picture saves one for a person to look at, where PLIMSOLL_PICTURES names a folder.
func (tb *tab) picture(name string) {
	tb.t.Helper()
	dir := os.Getenv("PLIMSOLL_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.write(filepath.Join(dir, name+".png"), png)
}

func (tb *tab) write(path string, data []byte) {
	tb.t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.t.Fatal(err)
	}
}

// pdf is the page on paper.
func (tb *tab) pdf() []byte {
	tb.t.Helper()
	out, err := chromedp.Run(tb.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize()))
	if err != nil {
		tb.t.Fatal(err)
	}
	return out
}

// file is one of the folder of pages.
func (l *lab) file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(l.pages, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// panel is what a test has to know of one; its names are those of internal/report/graph.
type panel struct {
	Name, Title string
	Series      []struct {
		Name, Style string
		X, Y, To    []*float64
	}
	Spans []struct {
		Row, Part, Text string
		From, To        float64
	}
	Heat *struct {
		X, Y   []float64
		Counts [][]int64
		Of     string
	}
}

func (l *lab) panels(t *testing.T, name string) []panel {
	t.Helper()
	var all []panel
	if err := json.Unmarshal(l.file(t, name+".panels.json"), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}
