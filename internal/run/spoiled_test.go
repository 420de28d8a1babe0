package run

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestSpoiledFiles: a file that an error has ended does not keep its name, and the run fails, though its document and the
// other files are written.
func TestSpoiledFiles(t *testing.T) {
	dir := t.TempDir()
	path, document, other := filepath.Join(dir, "b.csv"), filepath.Join(dir, "run.json"), filepath.Join(dir, "other")
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runEnding(io.Discard, Conclusion{})
	r.path, r.job.Files = document, []File{
		{Flag: "csv", What: "blocks", Path: path},
		{What: "other", Path: other, Make: func(io.Writer, *rundoc.Run) error { return nil }},
	}
	file := &rundoc.SamplesFile{Path: path, Written: 7}
	r.Spoiled(file, &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC})
	if file.Path != path+".partial" || file.Error != syscall.ENOSPC.Error() {
		t.Errorf("%+v", file)
	}
	files, err := r.save(&rundoc.Run{}, nil)
	want := "the blocks are not whole: " + path + ": no space left on device; the first 7 are in " + path + ".partial"
	if err == nil || err.Error() != want || len(files) != 2 {
		t.Errorf("%v, %v, want %s", files, err, want)
	}
	for name, there := range map[string]bool{path: false, path + ".partial": true, document: true, other: true} {
		if _, err := os.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}
