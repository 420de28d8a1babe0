package manifest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// textOf is what a file has now.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestManifestFormat: a manifest is read by later versions, so that its text is held to the letter.
func TestManifestFormat(t *testing.T) {
	const head = `{"id":"id","run":"1","topic":"","at_least_once":false,"batch":0,"codec":""}` + "\n"
	var said []error
	path := filepath.Join(t.TempDir(), "manifest")
	// What was there before is longer, and gone.
	if err := os.WriteFile(path, []byte(strings.Repeat("s 0 1\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, Head{ID: "id", Run: 1}, func(err error) { said = append(said, err) })
	if err != nil {
		t.Fatal(err)
	}
	w.Sent(1<<20-1, 1<<64-1)
	const lines = "s 1048575 18446744073709551615\n"
	if diff := cmp.Diff("plimsoll manifest 1 whole\n"+head+lines, textOf(t, path)); diff != "" {
		t.Error(diff)
	}
	w.most = 0
	w.Sent(0, 0)
	if diff := cmp.Diff("plimsoll manifest 1 cut  \n"+head+lines, textOf(t, path)); diff != "" {
		t.Error(diff)
	}
	if err := w.Close(); err != nil || len(said) != 1 || said[0].Error() != "it would exceed 512 MiB" {
		t.Errorf("%v, %v", err, said)
	}
}

// TestAcknowledgementsAreFlushedAfter100ms for a batch to be written with, and no longer.
func TestAcknowledgementsAreFlushedAfter100ms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, path := begun(t, Head{})
		for _, c := range []struct {
			after time.Duration
			there bool
		}{{99 * time.Millisecond, false}, {time.Millisecond, true}} {
			w.Acknowledged(0, 5)
			time.Sleep(c.after)
			synctest.Wait()
			if there := strings.Contains(textOf(t, path), "\na 0 5\n"); there != c.there {
				t.Errorf("after %v more it is written: %t", c.after, there)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCreateReportsErrors says why, whichever step it is that fails.
func TestCreateReportsErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		head       Head
	}{
		{"a head that is no JSON", filepath.Join(dir, "m"), Head{Generation: &delta.Generation{Deletes: math.NaN()}}},
		{"a directory below a file", filepath.Join(file, "below", "m"), Head{}},
		{"a directory in its place", dir, Head{}},
	} {
		if w, err := Create(c.path, c.head, nil); err == nil {
			t.Errorf("%s: begun as %v", c.name, w)
		}
	}
}
