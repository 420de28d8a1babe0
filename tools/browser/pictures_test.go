package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// shot is a page to be photographed: a document of the repository, as --html shows it.
type shot struct{ name, document string }

func shots() []shot {
	run := filepath.Join("..", "..", "internal", "report", "testdata")
	set := filepath.Join("..", "..", "internal", "report", "sets", "testdata")
	return []shot{
		{"good", filepath.Join(run, "good.json")}, {"thresholds", filepath.Join(run, "goals.json")},
		{"failing", filepath.Join(run, "failing.json")}, {"tiny", filepath.Join(run, "tiny.json")},
		{"blind", filepath.Join(run, "blind.json")}, {"interrupted", filepath.Join(run, "interrupted.json")},
		{"http", filepath.Join("..", "..", "docs", "pictures", "run.json")},
		{"compare", filepath.Join(set, "compare-worse.json")}, {"compare-mixed", filepath.Join(set, "compare-mixed.json")},
		{"sweep", filepath.Join(set, "plateau.json")}, {"sweep-failing", filepath.Join(set, "failing.json")},
		{"grid", filepath.Join(set, "grid.json")}, {"loadline", filepath.Join(set, "line.json")},
		{"plan", filepath.Join(set, "named.json")},
	}
}

// TestPictures writes pictures of pages into the folder that PLIMSOLL_PICTURES names, for a person to look at: all of
// each page, and of the desk and the phone in both themes.
func TestPictures(t *testing.T) {
	dir := os.Getenv("PLIMSOLL_PICTURES")
	if dir == "" {
		t.Skip("PLIMSOLL_PICTURES names no folder")
	}
	l, p := newLab(t), program(t)
	for _, s := range shots() {
		page := filepath.Join(l.pages, s.name+".html")
		out, _ := p.command("report", s.document, "--html", page).CombinedOutput() // a missed threshold is an exit status
		if _, err := os.Stat(page); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for suffix, v := range sizes() {
			tb := l.open(t, s.name+".html", v)
			tb.narrow()
			tb.clean()
			tb.picture(s.name + suffix)
		}
	}
	for i, s := range shots() {
		save(t, p, i, s.document)
	}
	url, _, _ := p.serving(t, "view", "last")
	for suffix, v := range sizes() {
		tb := l.openURL(t, url, v)
		tb.run(chromedp.Navigate(url + "runs"))
		tb.until(`document.querySelectorAll("#rows tbody tr").length > 0`)
		tb.narrow()
		tb.clean(url)
		tb.picture("list" + suffix)
	}
}

// sizes are the ways to look at a page, by the end of the picture's name.
func sizes() map[string]view {
	return map[string]view{
		"-light": {width: 1440, height: 900}, "-dark": {dark: true, width: 1440, height: 900},
		"-phone": {width: 390, height: 844, phone: true}, "-phone-dark": {dark: true, width: 390, height: 844, phone: true},
	}
}

// save puts a document among the saved runs. Fixtures have the same id, and get others.
func save(t *testing.T, p *plimsoll, at int, document string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var head struct{ Schema string }
	if err := json.Unmarshal(text, &head); err != nil {
		t.Fatal(err)
	}
	name := "run.json"
	if head.Schema != "plimsoll.run/v1" {
		name = "set.json"
	}
	folder := filepath.Join(p.state, "plimsoll", "runs", fmt.Sprintf("20260504T0930%02d.000Z-7f3a", at))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}
