package manifest

import (
	"errors"
	"io/fs"
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

// modeOf is who may do what with a file.
func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// TestTheFormStays: a manifest is read by later versions, so that its text is held to the letter.
func TestTheFormStays(t *testing.T) {
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
	if err := w.Close(); err != nil || len(said) != 1 || said[0].Error() != "it would be longer than 512 MiB" {
		t.Errorf("%v, %v", err, said)
	}
}

// TestTheLargestNumbersAreRead of a run that is over, and its head alone as well.
func TestTheLargestNumbersAreRead(t *testing.T) {
	w, path := begun(t, Head{ID: "id"})
	w.Sent(1<<20-1, 1<<64-1)
	w.Acknowledged(1<<20-1, 1<<64-1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var all told
	if _, err := Read(path, &all); err != nil {
		t.Error(err)
	}
	want := []string{"s 1048575 18446744073709551615", "a 1048575 18446744073709551615"}
	if diff := cmp.Diff(want, all.lines); diff != "" {
		t.Error(diff)
	}
	if h, err := ReadHead(path); err != nil || h.ID != "id" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestTheBoundIsThatOfTheFile: what just fits is written, and one byte more is not.
func TestTheBoundIsThatOfTheFile(t *testing.T) {
	for _, c := range []struct{ room, fit int }{{5, 0}, {6, 1}, {11, 1}, {12, 2}} {
		path := filepath.Join(t.TempDir(), "manifest")
		w, err := Create(path, Head{}, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		w.most = int64(len(textOf(t, path)) + c.room)
		for n := range uint64(3) {
			w.Sent(0, n)
		}
		if n := strings.Count(textOf(t, path), "\ns 0 "); n != c.fit {
			t.Errorf("in %d bytes there are %d lines of 6, not %d", c.room, n, c.fit)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAnAcknowledgementWaitsATenthOfASecond for a batch to be written with, and no longer.
func TestAnAcknowledgementWaitsATenthOfASecond(t *testing.T) {
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

// TestAFileThatIsGoneIsTold: what cannot be written is told once, and closing says it too.
func TestAFileThatIsGoneIsTold(t *testing.T) {
	var said []error
	w, err := Create(filepath.Join(t.TempDir(), "manifest"), Head{}, func(err error) { said = append(said, err) })
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	err = w.file.Close()
	w.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	w.Sent(0, 1)
	w.Sent(0, 2)
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if len(said) != 1 || !errors.Is(said[0], os.ErrClosed) {
		t.Errorf("told %v", said)
	}
}

// TestWhatCannotBeBegun says why, whichever step it is that fails.
func TestWhatCannotBeBegun(t *testing.T) {
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

// TestWhatIsCreatedHasTheUsualMode: that of what others create beside it, whatever the mask of the process.
func TestWhatIsCreatedHasTheUsualMode(t *testing.T) {
	w, path := begun(t, Head{})
	defer w.Close()
	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got, want := modeOf(t, filepath.Dir(path)), modeOf(t, dir); got != want {
		t.Errorf("the directory has %v, not %v", got, want)
	}
	if got, want := modeOf(t, path), modeOf(t, file); got != want {
		t.Errorf("the file has %v, not %v", got, want)
	}
}

func TestNoManifestAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if _, err := ReadHead(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(path, new(told)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestAChangeIsSeenByItself: by the size, by the time, or as the file is gone.
func TestAChangeIsSeenByItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	at := time.Unix(1e9, 0)
	write := func(text string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	write("a", at)
	files, err := Stat([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		at         time.Time
		want       bool
	}{
		{"nothing", "a", at, false},
		{"the size alone", "ab", at, true},
		{"the time alone", "b", at.Add(time.Second), true},
	} {
		write(c.text, c.at)
		if got := files[0].Changed(); got != c.want {
			t.Errorf("%s is another: %t", c.name, got)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !files[0].Changed() {
		t.Error("a file that is gone counts as the same")
	}
}

// TestAPathBelowADirectoryThatIsGone has no full path.
func TestAPathBelowADirectoryThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skip("this system keeps the directory that a process is in: ", err)
	}
	if list, err := Stat([]string{"file"}); err == nil {
		t.Errorf("%+v", list)
	}
}
