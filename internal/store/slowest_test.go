package store

import (
	"testing"
	"time"
)

// The longest attempts are kept, with what they were about.
func TestLongest(t *testing.T) {
	var l Longest
	for i := range 100 {
		l.add(AboutPart(t.Context(), i), Slow{Took: time.Duration(i*37%100) * time.Second})
	}
	l.add(AboutRange(t.Context(), 1<<23), Slow{Took: time.Hour, Failed: true})
	l.add(t.Context(), Slow{Took: time.Minute * 50})
	list := l.sorted()
	if len(list) != mostSlow || list[0] != (Slow{Of: "range at 8388608", Took: time.Hour, Failed: true}) ||
		list[1] != (Slow{Took: 50 * time.Minute}) || list[2] != (Slow{Of: "part 27", Took: 99 * time.Second}) ||
		list[9] != (Slow{Of: "part 16", Took: 92 * time.Second}) {
		t.Error(list)
	}
}
