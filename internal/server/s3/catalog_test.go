package s3

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
)

// held is a blob with one user, of a vault in memory.
func held(t *testing.T, v *blob.Vault, size int64) []blob.Piece {
	t.Helper()
	b, err := v.Receive(&zeros{size})
	if err != nil {
		t.Fatal(err)
	}
	return b.All()
}

// zeros is a source of so many of them.
type zeros struct{ n int64 }

func (z *zeros) Size() int64         { return z.n }
func (*zeros) ReadInto([]byte) error { return nil }
func (*zeros) Finish() error         { return nil }

// What cannot be written down is not done, and what was taken for it is given back.
func TestCatalogUndoesFailedWrites(t *testing.T) {
	dir := t.TempDir()
	k, err := openKeeper(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	var memory, data blob.Space
	v := blob.InDirectory(k.root, &data)
	c := newCatalog(&memory, k)
	for _, name := range []string{"abc", "abe"} {
		if err := c.createBucket(name, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.put("abc", &object{key: "k", pieces: held(t, v, 5)}, nil); err != nil {
		t.Fatal(err)
	}
	took, kept := memory.Used(), data.Used()
	inTheWay := func(name string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	inTheWay("buckets/abd")
	if err := c.createBucket("abd", time.Now()); err == nil || c.hasBucket("abd") == nil {
		t.Error("a bucket is where a file is")
	}
	inTheWay(filepath.Dir(objectFile("abc", "other")))
	if err := c.put("abc", &object{key: "other", pieces: held(t, v, 5)}, nil); err == nil {
		t.Error("an object is where a file is")
	}
	if memory.Used() != took || data.Used() != kept {
		t.Errorf("%d and %d bytes more are taken", memory.Used()-took, data.Used()-kept)
	}
	if err := os.Remove(filepath.Join(dir, objectFile("abc", "k"))); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, objectFile("abc", "k"), "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.remove("abc", "k", nil); err == nil {
		t.Error("an object is gone whose record is not")
	}
	if _, release, err := c.get("abc", "k"); err != nil {
		t.Error(err)
	} else {
		release()
	}
	if err := c.put("abe", &object{key: "k"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, objectFile("abe", "k"))); err != nil {
		t.Fatal(err)
	}
	if err := c.remove("abe", "k", nil); err != nil {
		t.Errorf("one whose record is gone already: %v", err)
	}
	if err := k.write(objectFile("abc", "k"), 1); err == nil {
		t.Error("a file is where a directory is")
	}
	if err := k.write("x/y", func() {}); err == nil {
		t.Error("a function was written down")
	}
	if err := os.MkdirAll(filepath.Join(dir, "z.new", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := k.write("z", 1); err == nil {
		t.Error("what cannot be written first was written")
	}
	if err := k.root.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.deleteBucket("abe"); err == nil || c.hasBucket("abe") != nil {
		t.Errorf("a bucket is gone that could not be removed: %v", err)
	}
}
