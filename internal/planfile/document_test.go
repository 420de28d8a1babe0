package planfile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files that the document shows are read, and the error that it shows is the one that they have.
func TestTheFilesOfTheDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "plan-files.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("there are %d files in the document", len(blocks))
	}
	_, err = read(blocks[0][1], nil)
	if err == nil || !strings.Contains(string(text), "plimsoll: "+err.Error()+"\n") {
		t.Errorf("the document does not show this error: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(blocks[0][1]), "\n")
	f, err := read(strings.Join(lines[:len(lines)-1], "\n"), nil)
	if err != nil || len(f.Runs) != 3 {
		t.Errorf("without its last line: %v", err)
	}
	if _, err := read(blocks[1][1], nil); err != nil {
		t.Error(err)
	}
}
