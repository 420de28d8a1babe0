package browser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// picturesDir is the folder that PLIMSOLL_PICTURES names. A test of pictures alone is skipped without it.
func picturesDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PLIMSOLL_PICTURES")
	if dir == "" {
		t.Skip("PLIMSOLL_PICTURES names no folder for pictures")
	}
	return dir
}

// pictured returns the documents of the repository that pictures are made of, by the names of the pictures.
func pictured() map[string]string {
	run := filepath.Join("..", "..", "internal", "report", "testdata")
	set := filepath.Join("..", "..", "internal", "report", "sets", "testdata")
	return map[string]string{
		"good": filepath.Join(run, "good.json"), "thresholds": filepath.Join(run, "goals.json"),
		"failing": filepath.Join(run, "failing.json"), "tiny": filepath.Join(run, "tiny.json"),
		"limited": filepath.Join(run, "blind.json"), "interrupted": filepath.Join(run, "interrupted.json"),
		"sweep": filepath.Join(set, "plateau.json"), "sweep-failing": filepath.Join(set, "failing.json"),
		"sweep-grid": filepath.Join(set, "grid.json"), "loadline": filepath.Join(set, "line.json"),
	}
}

// TestPictures writes pictures of whole pages, and of the list, in both themes and two widths, for a person to look at.
func TestPictures(t *testing.T) {
	picturesDir(t)
	l, p := newLab(t), program(t)
	pages := []string{"compare-worse", "compare-unshown"} // written by internal/view
	for name, document := range pictured() {
		p.render(t, l, name, document)
		pages = append(pages, name)
	}
	for _, name := range pages {
		for suffix, v := range looks() {
			tb := l.open(t, name+".html", v)
			tb.narrow()
			tb.clean()
			tb.picture(name + suffix)
		}
	}
	for name, document := range pictured() {
		p.save(t, name, document)
	}
	url, _, _ := p.serving(t, "view", "last")
	for suffix, v := range looks() {
		tb := l.openURL(t, url, v)
		tb.run(chromedp.Navigate(url + "runs"))
		tb.until(`document.querySelectorAll("#rows tbody tr").length > 0`)
		tb.narrow()
		tb.clean(url)
		tb.picture("list" + suffix)
	}
}

// looks are the ways to look at a page, by the ends of the pictures' names.
func looks() map[string]view {
	return map[string]view{
		"-light": {width: 1440, height: 900}, "-dark": {dark: true, width: 1440, height: 900},
		"-phone": {width: 390, height: 844, phone: true}, "-phone-dark": {dark: true, width: 390, height: 844, phone: true},
	}
}

// TestDocumentPictures writes the pictures of docs/pictures, the tops of pages:
//
//	PLIMSOLL_PICTURES=../../docs/pictures go test -run TestDocumentPictures
func TestDocumentPictures(t *testing.T) {
	dir := picturesDir(t)
	l, p := newLab(t), program(t)
	document := filepath.Join(t.TempDir(), "run.json")
	withThresholds(t, filepath.Join("..", "..", "docs", "pictures", "run.json"), document)
	p.render(t, l, "page-run", document)
	for _, shot := range []struct {
		page, name string
		view       view
	}{
		{"page-run", "page-run", view{width: 1440, height: 1330}},
		{"page-run", "page-run-dark", view{dark: true, width: 1440, height: 1330}},
		{"page-run", "page-run-phone", view{width: 390, height: 1560, phone: true}},
		{"compare-worse", "page-compare", view{width: 1440, height: 1400}},
	} {
		tb := l.open(t, shot.page+".html", shot.view)
		tb.narrow()
		tb.clean()
		full, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		tb.write(filepath.Join(dir, shot.name+".png"), small(t, full, int(shot.view.height)))
	}
}

// withThresholds copies a run document and adds thresholds, one of which the run misses.
func withThresholds(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	doc["thresholds"] = json.RawMessage(`[
		{"threshold": "p50<5ms", "unit": "ns", "limit": 5e6, "value": 3082239, "free": 3039231, "met": true},
		{"threshold": "p99<400ms", "unit": "ns", "limit": 4e8, "value": 513802239, "free": 475791359, "met": false},
		{"threshold": "failed<0.1%", "unit": "share", "limit": 0.001, "value": 0, "met": true}]`)
	if text, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// small returns the top of a picture with at most 256 colours.
func small(t *testing.T, full []byte, height int) []byte {
	t.Helper()
	whole, err := png.Decode(bytes.NewReader(full))
	if err != nil {
		t.Fatal(err)
	}
	size := image.Rect(0, 0, whole.Bounds().Dx(), min(height, whole.Bounds().Dy()))
	counts := map[color.Color]int{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			counts[whole.At(x, y)]++
		}
	}
	palette := color.Palette{}
	for c := range counts {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int { return counts[b] - counts[a] })
	if rest := palette; len(palette) > 256 {
		const frequent = 128 // and then those that are farthest from all chosen ones: thin lines have rare colours
		palette = slices.Clone(palette[:frequent])
		for len(palette) < 256 {
			palette = append(palette, slices.MaxFunc(rest[frequent:], func(a, b color.Color) int {
				return cmp.Compare(distance(a, palette.Convert(a)), distance(b, palette.Convert(b)))
			}))
		}
	}
	nearest := map[color.Color]uint8{}
	for c := range counts {
		nearest[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(size, palette)
	for y := range size.Dy() {
		for x := range size.Dx() {
			out.SetColorIndex(x, y, nearest[whole.At(x, y)])
		}
	}
	var text bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, out); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// distance is how far two colours are apart, squared.
func distance(a, b color.Color) (sum int64) {
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, d := range []int64{int64(r) - int64(r2), int64(g) - int64(g2), int64(bl) - int64(b2)} {
		sum += d * d
	}
	return sum
}

// render writes the page of a document. A missed threshold and an invalid run have exit statuses of their own.
func (p *plimsoll) render(t *testing.T, l *lab, name, document string) {
	t.Helper()
	page := filepath.Join(l.pages, name+".html")
	out, err := p.command("report", document, "--html", page).CombinedOutput()
	if _, missing := os.Stat(page); missing != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// save puts a document among the saved runs, under an id of its own.
func (p *plimsoll) save(t *testing.T, name, document string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var head struct{ Schema string }
	if err := json.Unmarshal(text, &head); err != nil {
		t.Fatal(err)
	}
	file := "run.json"
	if head.Schema != "plimsoll.run/v1" {
		file = "set.json"
	}
	sum := 0
	for _, c := range name {
		sum = (sum*31 + int(c)) % 0x10000
	}
	folder := filepath.Join(p.state, "plimsoll", "runs", fmt.Sprintf("20260504T093000.000Z-%04x", sum))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
		t.Fatal(err)
	}
}
