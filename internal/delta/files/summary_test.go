package files

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

func TestSummary(t *testing.T) {
	z := NewSummarizer(10)
	set := delta.Row{Key: []byte("s"), Type: delta.Set, Value: delta.AppendSet(nil, "aa", "b"), Commit: 5}
	rows := []delta.Row{
		{Key: []byte("a"), Value: []byte("new"), Commit: 3},
		{Key: []byte("a"), Value: []byte("old"), Commit: 2},
		{Key: []byte("bb"), Value: []byte("first"), Commit: 2},
		{Key: []byte("bb"), Value: []byte("last"), Commit: 2},
		{Key: []byte("c"), Value: []byte(""), Commit: 1},
		{Key: []byte("c"), Kind: delta.Delete, Commit: 1},
		{Key: []byte("d"), Kind: delta.Delete, Commit: 9},
		{Key: []byte("d"), Value: []byte("too late"), Commit: -8},
		set,
	}
	for i := range rows {
		z.Add(&rows[i])
	}
	want := Summary{Rows: 9, Updates: 7, Deletes: 2, Sets: 1, Keys: 5,
		Commit: &Span{-8, 9, 17. / 9}, Key: &Span{1, 2, 11. / 9}, Value: &Span{0, 8, 26. / 7},
		State: &State{Live: 3, Digest: delta.Hash(&rows[0]) + delta.Hash(&rows[3]) + delta.Hash(&set)}}
	if diff := cmp.Diff(want, z.Summary()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Summary{State: &State{}}, NewSummarizer(1).Summary()); diff != "" {
		t.Errorf("no rows:\n%s", diff)
	}
}

func TestEstimateOfKeys(t *testing.T) {
	for _, n := range []int{1, 101, 5000, 40_000, 300_000} {
		z := NewSummarizer(0)
		for i := range n {
			r := delta.Row{Key: fmt.Appendf(nil, "key-%d", i)}
			z.Add(&r)
			z.Add(&r)
		}
		s := z.Summary()
		if off := float64(s.Keys)/float64(n) - 1; s.State != nil || s.KeysError == 0 || off > 4*s.KeysError ||
			off < -4*s.KeysError {
			t.Errorf("%d keys: %d, state %v, error %v", n, s.Keys, s.State, s.KeysError)
		}
	}
	exact, over := NewSummarizer(2), NewSummarizer(2)
	for _, k := range []string{"a", "b", "a", "b", "c"} {
		r := delta.Row{Key: []byte(k)}
		if over.Add(&r); k != "c" {
			exact.Add(&r)
		}
	}
	if s := exact.Summary(); s.KeysError != 0 || s.Keys != 2 || s.State == nil {
		t.Errorf("two keys, limit two: %+v", s)
	}
	long := NewSummarizer(2)
	long.maxBytes = 3
	for _, k := range []string{"aa", "aa", "bb"} {
		long.Add(&delta.Row{Key: []byte(k)})
	}
	if s := long.Summary(); s.KeysError == 0 || s.Keys != 2 || s.State != nil {
		t.Errorf("four bytes of keys, limit three: %+v", s)
	}
	if s := over.Summary(); s.KeysError == 0 || s.Keys != 3 || s.State != nil {
		t.Errorf("three keys, limit two: %+v", s)
	}
}
