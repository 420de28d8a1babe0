package view

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFixtures writes pages of comparisons for tools/browser.
func TestFixtures(t *testing.T) {
	dir := os.Getenv("PLIMSOLL_PAGES")
	if dir == "" {
		t.Skip("PLIMSOLL_PAGES names no folder: tools/browser sets it")
	}
	for _, name := range []string{"compare-worse", "compare-unshown"} {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(pageOfSet(t, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
