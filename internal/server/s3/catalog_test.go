package s3

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
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

func (z *zeros) Size() int64            { return z.n }
func (*zeros) ReadInto([]byte) error    { return nil }
func (*zeros) Finish() error            { return nil }
func aPart(n int, p []blob.Piece) *part { return &part{number: n, size: p[0].Size, pieces: p} }

// All that the catalog takes of the memory and of the data is given back with what it was for, and where there is no
// room nothing is taken.
func TestCatalogGivesBack(t *testing.T) {
	var memory, data blob.Space
	v, err := blob.InMemory(&data, new(blob.Space))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	c := newCatalog(&memory, nil)
	is := func(what string, bytes int64) {
		t.Helper()
		if data.Used() != bytes {
			t.Errorf("%s: %d bytes of data, want %d", what, data.Used(), bytes)
		}
	}
	// full tries something first without room, then with exactly as much as it takes.
	full := func(what string, do func() error) {
		t.Helper()
		before, kept := memory.Used(), data.Used()
		memory.Limit = before + 1
		if got := code(do()); got != "InsufficientStorage" {
			t.Errorf("%s without room: %q", what, got)
		}
		if memory.Used() != before || data.Used() != kept {
			t.Errorf("%s without room took %d and %d bytes", what, memory.Used()-before, data.Used()-kept)
		}
		memory.Limit = 0
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if memory.Used() <= before {
			t.Errorf("%s takes nothing", what)
		}
	}
	now := time.Now()
	full("a bucket", func() error { return c.createBucket("abc", now) })
	if got := code(c.createBucket("abc", now)); got != "BucketAlreadyOwnedByYou" {
		t.Error(got)
	}
	empty := memory.Used()
	object1 := func(key string, n int64) *object {
		return &object{key: key, etag: `"1"`, size: n, pieces: held(t, v, n)}
	}
	full("an object", func() error { return c.put("abc", object1("k", 10), nil) })
	is("an object", 10)
	one := memory.Used()
	if err := c.put("abc", object1("k", 7), nil); err != nil || memory.Used() != one {
		t.Errorf("in the place of another it takes %d bytes: %v", memory.Used()-one, err)
	}
	is("another in its place", 7)
	if got := code(c.put("abc", object1("k", 5), &writeCondition{noneMatch: "*"})); got != "PreconditionFailed" {
		t.Error(got)
	}
	if got := code(c.put("abd", object1("k", 5), nil)); got != "NoSuchBucket" {
		t.Error(got)
	}
	is("those that were refused", 7)
	o, release, err := c.get("abc", "k")
	if err != nil || o.size != 7 {
		t.Fatalf("%+v, %v", o, err)
	}
	if got := code(c.remove("abc", "k", &writeCondition{match: "x"})); got != "PreconditionFailed" {
		t.Error(got)
	}
	if err := c.remove("abc", "k", nil); err != nil {
		t.Error(err)
	}
	is("one that is removed while it is read", 7)
	release()
	is("one that is removed", 0)
	if err := c.remove("abc", "k", nil); err != nil || memory.Used() != empty {
		t.Errorf("%d bytes, %v", memory.Used()-empty, err)
	}
	for _, get := range []func() error{
		func() error { return c.remove("abd", "k", nil) }, func() error { return c.deleteBucket("abd") }, func() error { return c.hasBucket("abd") },
		func() error { _, _, err := c.get("abd", "k"); return err }, func() error { _, err := c.listUploads("abd"); return err },
		func() error { return c.addUpload(&upload{id: "u", bucket: "abd"}) },
	} {
		if got := code(get()); got != "NoSuchBucket" {
			t.Error(got)
		}
	}

	ofKey := func(id, key string) *upload { return &upload{id: id, bucket: "abc", key: key, parts: map[int]*part{}} }
	full("an upload", func() error { return c.addUpload(ofKey("u", "k")) })
	begun := memory.Used()
	full("a part", func() error { return c.addPart("abc", "k", "u", aPart(2, held(t, v, 20))) })
	withPart := memory.Used()
	if err := c.addPart("abc", "k", "u", aPart(2, held(t, v, 30))); err != nil || memory.Used() != withPart {
		t.Errorf("in the place of another it takes %d bytes: %v", memory.Used()-withPart, err)
	}
	is("a part", 30)
	if got := code(c.addPart("abc", "l", "u", aPart(1, held(t, v, 20)))); got != "NoSuchUpload" {
		t.Error(got)
	}
	is("a part of no upload", 30)
	if err := c.addPart("abc", "k", "u", aPart(1, held(t, v, 3))); err != nil {
		t.Error(err)
	}
	if memory.Used()-withPart != withPart-begun {
		t.Errorf("parts take %d bytes and %d", memory.Used()-withPart, withPart-begun)
	}
	u, parts, err := c.listParts("abc", "k", "u")
	if err != nil || u.id != "u" || len(parts) != 2 || parts[0].number != 1 || parts[1].number != 2 {
		t.Errorf("%+v, %+v, %v", u, parts, err)
	}
	wrong := refusal.BadRequest("Wrong", "")
	if _, err := c.completeUpload("abc", "k", "u", nil, func(*upload) (*object, error) { return nil, wrong }); code(err) != "Wrong" {
		t.Error(err)
	}
	whole := func(u *upload) (*object, error) {
		return &object{key: u.key, etag: `"` + u.id + `"`, size: 30, pieces: u.parts[2].pieces}, nil
	}
	if _, err := c.completeUpload("abc", "k", "u", &writeCondition{match: "x"}, whole); code(err) != "NoSuchKey" {
		t.Error(err)
	}
	is("an upload whose condition does not hold", 33)
	if o, err := c.completeUpload("abc", "k", "u", nil, whole); err != nil || o.size != 30 {
		t.Error(err)
	}
	is("an object of one of two parts", 30)
	if memory.Used() != one-empty+empty {
		t.Errorf("an object of parts takes %d bytes, want %d", memory.Used()-empty, one-empty)
	}
	if err := c.remove("abc", "k", nil); err != nil {
		t.Error(err)
	}
	is("all removed", 0)

	for _, id := range []string{"v", "w"} {
		if err := c.addUpload(ofKey(id, "k")); err != nil {
			t.Error(err)
		}
		if err := c.addPart("abc", "k", id, aPart(1, held(t, v, 9))); err != nil {
			t.Error(err)
		}
	}
	if err := c.abortUpload("abc", "k", "v"); err != nil {
		t.Error(err)
	}
	is("an upload that is aborted", 9)
	if got := code(c.abortUpload("abc", "k", "v")); got != "NoSuchUpload" {
		t.Error(got)
	}
	if err := c.createBucket("other", now); err != nil {
		t.Error(err)
	}
	if err := c.addUpload(&upload{id: "x", bucket: "other", key: "k"}); err != nil {
		t.Error(err)
	}
	if _, err := c.completeUpload("other", "k", "w", nil, whole); code(err) != "NoSuchUpload" {
		t.Error(err)
	}
	if err := c.deleteBucket("abc"); err != nil {
		t.Error(err)
	}
	is("a bucket that is deleted", 0)
	if left, err := c.listUploads("other"); err != nil || len(left) != 1 || left[0].id != "x" {
		t.Errorf("%+v, %v", left, err)
	}
	if err := c.deleteBucket("other"); err != nil || memory.Used() != 0 {
		t.Errorf("%d bytes are left: %v", memory.Used(), err)
	}
}

// Of uploads that were completed the last ones are remembered, since clients ask again.
func TestCompletedAreRemembered(t *testing.T) {
	c := newCatalog(&blob.Space{}, nil)
	if err := c.createBucket("abc", time.Now()); err != nil {
		t.Fatal(err)
	}
	complete := func(i int, key string) error {
		_, err := c.completeUpload("abc", key, fmt.Sprint(i), nil, func(u *upload) (*object, error) { return &object{key: u.key}, nil })
		return err
	}
	for i := range maxCompleted + 1 {
		if err := c.addUpload(&upload{id: fmt.Sprint(i), bucket: "abc", key: "k"}); err != nil {
			t.Fatal(err)
		}
		if err := complete(i, "k"); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.completed) != maxCompleted {
		t.Errorf("%d are remembered", len(c.completed))
	}
	got := []string{code(complete(0, "k")), code(complete(1, "k")), code(complete(maxCompleted, "k")), code(complete(1, "l"))}
	if want := []string{"NoSuchUpload", "", "", "NoSuchUpload"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The keys stay in order, whichever are removed.
func TestKeysStayInOrder(t *testing.T) {
	c := newCatalog(&blob.Space{}, nil)
	if err := c.createBucket("abc", time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"c", "a", "d", "b", "a"} {
		if err := c.put("abc", &object{key: key}, nil); err != nil {
			t.Fatal(err)
		}
	}
	b := c.buckets["abc"]
	if !slices.Equal(b.keys, []string{"a", "b", "c", "d"}) {
		t.Error(b.keys)
	}
	for _, key := range []string{"b", "d", "x"} {
		if err := c.remove("abc", key, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(b.keys, []string{"a", "c"}) || len(b.objects) != 2 {
		t.Error(b.keys)
	}
}

// What cannot be written down is not done, and what was taken for it is given back.
func TestWhatCannotBeWrittenDown(t *testing.T) {
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
