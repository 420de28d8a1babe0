package page

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// pageOfRun is the page of a document among the fixtures of internal/report.
func pageOfRun(t *testing.T, name string, edit func(*rundoc.Run)) string {
	t.Helper()
	run, err := rundoc.ReadFile(filepath.Join("..", "report", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(run)
	}
	page := written(t, Content{Model: ModelOf(report.PageOf(run, report.Kind{}, report.Options{}))})
	_, results, _ := strings.Cut(page, `<section id="answer"`)
	results, _, _ = strings.Cut(results, "</section>")
	return results
}

// inOrder fails where a page lacks one of these, or has them in another order.
func inOrder(t *testing.T, page string, parts ...string) {
	t.Helper()
	at := 0
	for _, part := range parts {
		next := strings.Index(page[at:], part)
		if next < 0 {
			t.Errorf("there is no %s where it belongs in %s", part, page)
			return
		}
		at += next + len(part)
	}
}

func TestTilesShowHeadlineValues(t *testing.T) {
	page := pageOfRun(t, "good", nil)
	inOrder(t, page, `class="banner good"`, "VALID", `class="tiles"`, "<dt>Throughput</dt>", "47,896", "/s<", "95% CI",
		"<dt>p50</dt>", "622", "µs", "<dt>p99</dt>", "1.25", "ms", "<dt>Errors</dt>", "0%", "478,962")
	if strings.Contains(page, "untrusted") || strings.Contains(page, `class="tile bad"`) {
		t.Error("a good run is marked as a bad one")
	}
}

// Without a p99 there is the highest percentile that is known, or the longest time.
func TestTilesWithoutP99(t *testing.T) {
	inOrder(t, pageOfRun(t, "tiny", nil), "<dt>mean</dt>", "<dt>max</dt>", "49.9", "<dt>Errors</dt>")
	h := hdrhistogram.New(1, 1e12, 3)
	for i := range int64(300) {
		if err := h.RecordValue(1e6 * (1 + i)); err != nil {
			t.Fatal(err)
		}
	}
	page := pageOfRun(t, "good", func(run *rundoc.Run) {
		times := rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: 300e6, Sum: 45150e6})
		run.Operations, run.Total = []rundoc.Operation{{Name: "get", Scheduled: 300, OK: 300, ResponseTime: times}}, nil
	})
	inOrder(t, page, "<dt>p50</dt>", "<dt>p95</dt>", "285", "too few operations for p99")
}

// A threshold that was missed, or that could not be evaluated, is never shown as if it were met, and an untrusted run is
// not shown as a good one.
func TestOutcomesOfThresholds(t *testing.T) {
	page := pageOfRun(t, "goals", nil)
	inOrder(t, page, `class="banner doubtful"`, "Thresholds", "3 of 6 not evaluated", `class="banner bad"`, "INVALID", "#reasons",
		`class="tiles untrusted"`, `aria-label="Thresholds"`, `<dl class="facts">`, `id="reasons"`, "Reasons for the verdict INVALID",
		"The generator")
	if strings.Contains(page, `class="banner good"`) {
		t.Error("it is in green")
	}
	rows := regexp.MustCompile(`(?s)<tr><th scope="row">(.*?)</th>.*?class="outcome (\w+)"`).FindAllStringSubmatch(page, -1)
	want := map[string]string{"p99": "doubtful", "p50": "good", "p99.99": "doubtful", "failed": "good", "rate": "good",
		"max{type=TEXT}": "doubtful"}
	for _, row := range rows {
		if want[row[1]] != row[2] {
			t.Errorf("%s is %s, want %s", row[1], row[2], want[row[1]])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d thresholds, want %d", len(rows), len(want))
	}
	inOrder(t, page, "<dt>p99</dt>", "901", "2.44 ms corrected", "500\u00a0ms")

	missed := pageOfRun(t, "good", func(run *rundoc.Run) {
		run.Thresholds = []rundoc.Threshold{{Expr: "p99<1ms", Unit: "ns", Limit: 1e6, Value: new(1.25e6)}}
	})
	inOrder(t, missed, `class="banner bad"`, "Thresholds", "1 of 1 missed", `class="banner quiet"`, "VALID", `class="tile bad"`, "<dt>p99</dt>",
		"threshold missed: &lt;\u00a01.00\u00a0ms", `class="outcome bad"`)
	if strings.Contains(missed, `class="banner good"`) || strings.Contains(missed, `class="outcome good"`) {
		t.Errorf("a missed threshold is in green: %s", missed)
	}
}

// In lists a long URL is short, and there in full for who wants it.
func TestLongURLsAreShortened(t *testing.T) {
	for url, want := range map[string]string{
		"http://localhost:8080/":                                          "http://localhost:8080/",
		"not a URL but a text that is longer than any of those are ":      "not a URL but a text that is longer than any of those are ",
		"https://api.example.com/v2/customers/orders?page=1&size=50":      "api.example.com/v2/customers/orders?…",
		"https://api.example.com/v2/customers/1234567/orders/open/latest": "api.example.com/…/latest",
		"wss://chat.example.com/rooms/general/members/stream":             "wss://chat.example.com/…/stream",
	} {
		if got := shortURL(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	const long = "https://api.example.com/v2/customers/1234567/orders/open/latest?token=1"
	var m markup
	m.words("GET " + long + " 5")
	if got := m.String(); got != `GET <span class="url" title="`+long+`">api.example.com/<wbr>…/<wbr>latest?…</span> 5` {
		t.Error(got)
	}
}
