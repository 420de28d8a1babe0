package bandwidth

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// Two files are counted both, and places are named of one.
func TestCorruptFilesAreCounted(t *testing.T) {
	b := &Bandwidth{}
	one, two := &downloading{path: "/one"}, &downloading{path: "/two"}
	b.compared(one, 100, 0, nil)
	b.compared(one, 100, 3, []content.Stretch{{First: 101, Last: 103}})
	b.compared(two, 100, 2, []content.Stretch{{First: 1, Last: 2}})
	b.compared(one, 100, 1, []content.Stretch{{First: 200, Last: 200}})
	want := Check{Bytes: 400, Wrong: 6, WrongBlocks: 3, WrongFiles: 2,
		Where: []content.Stretch{{First: 101, Last: 103}, {First: 200, Last: 200}}, File: "/one"}
	if diff := cmp.Diff(want, b.check); diff != "" {
		t.Error(diff)
	}
	const text = "6 bytes differ from what was written, in 3 blocks of 2 downloads; first differences in one of them, mem:/one: " +
		"bytes 101–103 (block 2), byte 200 (block 3)"
	single := Check{Bytes: 100, Wrong: 1, WrongBlocks: 1, WrongFiles: 1, Where: []content.Stretch{{First: 7, Last: 7}}}
	if got := single.Mismatch(100, "mem:/x-2"); got != "byte 7 of mem:/x-2 differs from what was written (block 1)" {
		t.Error(got)
	}
	if got := b.check.Mismatch(100, "mem:"+b.check.File); got != text {
		t.Error(got)
	}
}
