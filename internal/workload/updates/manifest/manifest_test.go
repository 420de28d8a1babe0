package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// told is what was read.
type told struct {
	lines []string
	fail  error
}

func (r *told) Sent(publisher int, index uint64) {
	r.lines = append(r.lines, fmt.Sprint("s ", publisher, " ", index))
}

func (r *told) Acknowledged(publisher int, sequence uint64) error {
	r.lines = append(r.lines, fmt.Sprint("a ", publisher, " ", sequence))
	return r.fail
}

// begun begins a manifest, which fails the test when it cannot be gone on with.
func begun(t testing.TB, h Head) (*Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run", "manifest")
	w, err := Create(path, h, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return w, path
}

func TestManifestRoundTrip(t *testing.T) {
	h := Head{ID: "id", Run: 1<<64 - 1, Topic: "nats://host", AtLeastOnce: true, Batch: 5, Codec: "json",
		Generation: &delta.Generation{Seed: 1<<64 - 1, Deletes: .25, Commit: -3}}
	w, path := begun(t, h)
	w.Sent(0, 1<<62)
	w.Acknowledged(0, 0)
	w.Sent(7, 12)
	text, err := os.ReadFile(path) // as if it were killed now
	if err != nil || !strings.HasSuffix(string(text), "\ns 0 4611686018427387904\na 0 0\ns 7 12\n") {
		t.Errorf("%v: %q", err, text)
	}
	if got, err := ReadHead(path); !errors.Is(err, ErrGoesOn) || got.ID != "id" {
		t.Errorf("while it is written: %+v, %v", got, err)
	}
	w.Acknowledged(7, 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var all told
	got, err := Read(path, &all)
	if diff := cmp.Diff(h, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff([]string{"s 0 4611686018427387904", "a 0 0", "s 7 12", "a 7 0"}, all.lines); diff != "" {
		t.Error(diff)
	}
}

// TestTruncatedManifestIsReportedOnce says so, once, and is not taken for a whole one.
func TestTruncatedManifestIsReportedOnce(t *testing.T) {
	var said []error
	path := filepath.Join(t.TempDir(), "manifest")
	w, err := Create(path, Head{ID: "id"}, func(err error) { said = append(said, err) })
	if err != nil {
		t.Fatal(err)
	}
	w.Sent(0, 1)
	w.most = w.size + 5
	w.Sent(0, 2)
	w.Sent(0, 3)
	if err := w.Close(); err != nil || len(said) != 1 || !errors.Is(said[0], errLong) {
		t.Errorf("%v, %v", err, said)
	}
	var all told
	if h, err := Read(path, &all); !errors.Is(err, ErrCut) || h.ID != "id" || len(all.lines) != 0 {
		t.Errorf("%+v, %v, %v", h, err, all)
	}
}

func TestReadRejectsDamagedManifest(t *testing.T) {
	w, path := begun(t, Head{ID: "id"})
	w.Sent(0, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{string(good) + "a 0 ", ""}, // cut off by a crash
		{string(good) + "b 0 1\n", "line 4: \"b 0 1\" is not a valid manifest line"},
		{string(good) + "s 0\n", "is not a valid manifest line"},
		{string(good) + "s -1 0\n", "is not a valid manifest line"},
		{string(good) + "s 1048576 0\n", "is not a valid manifest line"},
		{string(good) + "s a 0\n", "is not a valid manifest line"},
		{string(good) + "s 0 a\n", "is not a valid manifest line"},
		{string(good) + "s 1 18446744073709551616\n", "is not a valid manifest line"},
		{string(good) + "\x00\x00\n", "is not a valid manifest line"},
		{string(good) + "s 1 " + strings.Repeat("0", 5000) + "\n", "is not a valid manifest line"},
		{"", "is not a manifest"},
		{whole, "is not a manifest"},
		{"{}\n{}\n", "is not a manifest"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := Read(path, new(told))
		if strings.HasPrefix(test.text, string(good)) && h.ID != "id" {
			t.Errorf("%.60q: of a damaged line the head is %+v", test.text, h)
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: %v, want %q", test.text, err, test.want)
		}
	}
	if err := os.WriteFile(path, append(good, "a 0 9\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	never := errors.New("never sent")
	if _, err := Read(path, &told{fail: never}); !errors.Is(err, never) {
		t.Error(err)
	}
}

// TestSecondWriterIsRejected: the second one does not spoil what the first one writes.
func TestSecondWriterIsRejected(t *testing.T) {
	w, path := begun(t, Head{ID: "id"})
	if _, err := Create(path, Head{}, nil); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Error(err)
	}
	if h, _ := ReadHead(path); h.ID != "id" {
		t.Errorf("%+v", h)
	}
	w.Remove()
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestConcurrentPublishersKeepOrder at once: the lines of each are in its order.
func TestConcurrentPublishersKeepOrder(t *testing.T) {
	w, path := begun(t, Head{})
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			for n := range uint64(200) {
				w.Sent(p, n)
				w.Acknowledged(p, n)
			}
		})
	}
	all.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got told
	if _, err := Read(path, &got); err != nil || len(got.lines) != 2*8*200 {
		t.Fatalf("%v: %d lines", err, len(got.lines))
	}
	for p := range 8 {
		sent := slices.DeleteFunc(slices.Clone(got.lines), func(l string) bool {
			return !strings.HasPrefix(l, fmt.Sprint("s ", p, " "))
		})
		for n, l := range sent {
			if l != fmt.Sprint("s ", p, " ", n) {
				t.Fatalf("%d: %s", n, l)
			}
		}
	}
}

func TestFileChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := Stat([]string{path})
	if err != nil || files[0].Changed() {
		t.Errorf("%+v, %v", files, err)
	}
	if err := os.WriteFile(path, []byte("ab"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !files[0].Changed() {
		t.Error("a longer file counts as the same")
	}
	if _, err := Stat([]string{path, path + "x"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// BenchmarkSent is what each batch costs.
func BenchmarkSent(b *testing.B) {
	w, _ := begun(b, Head{})
	n := uint64(0)
	for b.Loop() {
		w.Sent(1, n)
		w.Acknowledged(1, n)
		n++
	}
	b.StopTimer()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
