package bandwidth

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// What the store changes is counted to the byte, and the first places of it are named.
func TestCorruptBytesAreCounted(t *testing.T) {
	const block = 64 * kib
	for name, test := range map[string]struct {
		streams int
		flipped map[string][][2]int // by file: from, how many
		want    Check
		text    string
	}{
		"two stretches in one block": {1, map[string][][2]int{"/file": {{4000, 200}, {9000, 1}}},
			Check{Bytes: 150 * kib, Wrong: 201, WrongBlocks: 1, WrongFiles: 1, File: "/file",
				Where: []content.Stretch{{First: 4000, Last: 4199}, {First: 9000, Last: 9000}}},
			"201 bytes are not what was written there, in 1 block of 1 download; the first: bytes 4000 to 4199 (block 1), " +
				"byte 9000 (block 1)"},
		"across blocks": {1, map[string][][2]int{"/file": {{block - 5, 10}}},
			Check{Bytes: 150 * kib, Wrong: 10, WrongBlocks: 2, WrongFiles: 1, File: "/file",
				Where: []content.Stretch{{First: block - 5, Last: block - 1}, {First: block, Last: block + 4}}},
			"10 bytes are not what was written there, in 2 blocks of 1 download; the first: bytes 65531 to 65535 (block 1), " +
				"bytes 65536 to 65540 (block 2)"},
		"many places": {1, map[string][][2]int{"/file": {{0, 1}, {100, 1}, {200, 1}, {300, 1}, {400, 1}, {500, 1}, {600, 9}}},
			Check{Bytes: 150 * kib, Wrong: 15, WrongBlocks: 1, WrongFiles: 1, File: "/file",
				Where: []content.Stretch{{First: 0, Last: 0}, {First: 100, Last: 100}, {First: 200, Last: 200},
					{First: 300, Last: 300}, {First: 400, Last: 400}}},
			"15 bytes are not what was written there, in 1 block of 1 download; the first: byte 0 (block 1), byte 100 " +
				"(block 1), byte 200 (block 1), byte 300 (block 1), byte 400 (block 1)"},
		"all of a file": {1, map[string][][2]int{"/file": {{0, 150 * kib}}},
			Check{Bytes: 150 * kib, Wrong: 150 * kib, WrongBlocks: 3, WrongFiles: 1, File: "/file",
				Where: []content.Stretch{{First: 0, Last: block - 1}, {First: block, Last: 2*block - 1},
					{First: 2 * block, Last: 150*kib - 1}}},
			"153,600 bytes are not what was written there, in 3 blocks of 1 download; the first: bytes 0 to 65535 (block 1), " +
				"bytes 65536 to 131071 (block 2), bytes 131072 to 153599 (block 3)"},
		"one of two files": {2, map[string][][2]int{"/file-2": {{7, 1}}},
			Check{Bytes: 300 * kib, Wrong: 1, WrongBlocks: 1, WrongFiles: 1,
				Where: []content.Stretch{{First: 7, Last: 7}}, File: "/file-2"},
			"byte 7 is not what was written there (in block 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				var spoiled sync.Once // both streams open files at the same time
				l.fail = func(call string, _ int) error {
					if call == "open" {
						spoiled.Do(func() {
							for file, stretches := range test.flipped {
								for _, s := range stretches {
									for i := range s[1] {
										l.files[file][s[0]+i] ^= 0x10
									}
								}
							}
						})
					}
					return nil
				}
				p := transferOf()
				p.Streams, p.Load.Clients, p.Block = test.streams, test.streams, block
				o := execute(t, l, p, WholeFile, nil)
				if diff := cmp.Diff(test.want, o.Check); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if got := o.Check.Mismatch(block, ""); got != test.text {
					t.Errorf("%s\nwant\n%s", got, test.text)
				}
			})
		})
	}
}

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
	const text = "6 bytes are not what was written there, in 3 blocks of 2 downloads; the first of one of them, mem:/one: " +
		"bytes 101 to 103 (block 2), byte 200 (block 3)"
	single := Check{Bytes: 100, Wrong: 1, WrongBlocks: 1, WrongFiles: 1, Where: []content.Stretch{{First: 7, Last: 7}}}
	if got := single.Mismatch(100, "mem:/x-2"); got != "byte 7 of mem:/x-2 is not what was written there (in block 1)" {
		t.Error(got)
	}
	if got := b.check.Mismatch(100, "mem:"+b.check.File); got != text {
		t.Error(got)
	}
}
