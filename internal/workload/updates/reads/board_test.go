package reads

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// sent enters a batch of the window whose key is its name.
func sent(b *Board, name string, due int64) {
	b.Sent([]byte(name), []byte("of "+name), true, true, due)
}

// has is what a server answers that has these batches.
func has(names ...string) map[string]kvapi.Value {
	found := map[string]kvapi.Value{}
	for _, n := range names {
		found[n] = kvapi.Value{Text: "of " + n, IsText: true}
	}
	return found
}

func TestFirstReadThatFindsABatchCounts(t *testing.T) {
	b := new(Board)
	if keys, _ := b.Ask(nil, nil); len(keys) != 0 {
		t.Errorf("asks for %q before the first batch", keys)
	}
	sent(b, "a", 100)
	sent(b, "b", 150)
	keys, first := b.Ask(nil, nil)
	if !slices.Equal(keys, []string{"a", "b"}) {
		t.Fatalf("%q", keys)
	}
	_, second := b.Ask(nil, nil)
	_, third := b.Ask(nil, nil)
	b.Answer(second, has("a"), 210, 260) // the second read is answered first
	b.Answer(first, has(), 200, 270)     // it began before a was read, and says nothing of it
	b.Answer(third, has("a", "b"), 220, 300)
	f := b.Found()
	if f.Batches != 2 || f.Seen != 2 || f.Wrong != 0 || f.Times.Summary.MinNS != 150 || f.Times.Summary.MaxNS != 160 ||
		// a was never missed before; b was missed by the read that began at 210
		f.Resolution.Summary.MinNS != 90 || f.Resolution.Summary.MaxNS != 160 {
		t.Errorf("%+v", f)
	}
	if keys, none := b.Ask(nil, nil); !slices.Equal(keys, []string{"b"}) || len(none) != 0 {
		t.Errorf("asks for %q when all was read", keys)
	}
}

func TestReadOfAnotherValueDoesNotCount(t *testing.T) {
	b := new(Board)
	sent(b, "a", 100)
	_, asked := b.Ask(nil, nil)
	b.Answer(asked, map[string]kvapi.Value{"a": {Text: "of b", IsText: true}}, 110, 120)
	b.Answer(asked, map[string]kvapi.Value{"a": {}}, 110, 120)
	if f := b.Found(); f.Wrong != 2 || f.Seen != 0 || b.Open() != 1 {
		t.Errorf("%+v", f)
	}
	// A set's value is not compared, and the warm-up's batches do not count.
	b.Sent([]byte("s"), nil, false, true, 100)
	b.Sent([]byte("w"), []byte("of w"), true, false, 100)
	_, asked = b.Ask(nil, nil)
	found := has("w")
	found["s"] = kvapi.Value{}
	b.Answer(asked, found, 110, 120)
	if f := b.Found(); f.Seen != 1 || f.Batches != 2 || b.Open() != 1 {
		t.Errorf("%+v", f)
	}
}

func TestBoardIsBounded(t *testing.T) {
	b := new(Board)
	for i := range maxOpen + 3 {
		b.Sent([]byte{byte(i), byte(i >> 8), byte(i >> 16)}, nil, false, i%2 == 0, 1)
	}
	f := b.Found()
	if diff := cmp.Diff([]int64{maxOpen / 2, 2}, []int64{f.Batches, f.Unwatched}); diff != "" {
		t.Error(diff)
	}
}
