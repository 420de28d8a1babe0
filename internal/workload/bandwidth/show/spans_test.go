package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestUnion(t *testing.T) {
	block := func(from, to int64) rundoc.Block {
		return rundoc.Block{StartNS: from * 1e9, DurationNS: (to - from) * 1e9}
	}
	got := union([]rundoc.Block{block(5, 6), block(0, 2), block(1, 3), block(2, 3), block(6, 7)})
	if diff := cmp.Diff([]span{{0, 3}, {5, 7}}, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Error(diff)
	}
}
