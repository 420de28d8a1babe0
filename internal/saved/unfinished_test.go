package saved_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestUnfinished: runs without a document count, and none is passed over for an older one.
func TestUnfinished(t *testing.T) {
	s := &saved.Runs{Dir: t.TempDir()}
	const old, killed, whole, last = "20260101T000000.000Z-0000", "20260102T000000.000Z-0000", "20260103T000000.000Z-0000",
		"20260104T000000.000Z-0000"
	left := func(id string) string { return filepath.Join(s.Dir, id, saved.UnfinishedFile) }
	for _, id := range []string{old, killed, whole, last} {
		if err := os.MkdirAll(filepath.Join(s.Dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if id == killed || id == last || id == old {
			if err := os.WriteFile(left(id), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if id == old || id == whole { // the old one could not remove it
			if err := rundoc.WriteFile(s.Path(id), &rundoc.Run{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string][2]string{
		"last": {left(last), last}, "latest~1": {"", whole}, "last~2": {left(killed), killed}, "last~3": {"", old},
		"last~4": {"", "last~4"}, killed: {left(killed), killed}, "20260102": {left(killed), "20260102"},
		"2026": {"", "2026"}, old: {"", old}, "none": {"", "none"},
		filepath.Join(s.Dir, killed): {left(killed), ""}, filepath.Join(s.Dir, old): {"", filepath.Join(s.Dir, old)},
		s.Path(old): {"", s.Path(old)},
	} {
		path, document, err := s.Unfinished(name)
		if err != nil || path != want[0] || path == "" && document != want[1] {
			t.Errorf("%s: %q, %q, %v; want %q", name, path, document, err, want)
		}
	}
	s.Clean(time.Now().Add(25 * time.Hour))
	if _, err := os.Stat(left(killed)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a day: %v", err)
	}
}
