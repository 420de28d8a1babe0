package view

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/setdoc"
)

// TestFixtures writes pages of comparisons for tools/browser.
func TestFixtures(t *testing.T) {
	dir := os.Getenv("PLIMSOLL_PAGES")
	if dir == "" {
		t.Skip("PLIMSOLL_PAGES names no folder: tools/browser sets it")
	}
	for _, name := range []string{"compare-worse", "compare-unshown"} {
		set, err := setdoc.ReadFile(filepath.Join("..", "report", "sets", "testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		of, err := run.PageOfSet(sets.Source{Set: set, Name: "last"}, "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := page.Write(f, of); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
