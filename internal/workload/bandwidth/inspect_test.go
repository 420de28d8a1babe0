package bandwidth

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// listing is a Walker of files of these sizes.
type listing []int64

func (l listing) Walk(_ context.Context, prefix string, each func(store.Object) bool) error {
	for i, size := range l {
		if !each(store.Object{Path: fmt.Sprint(prefix, i), Size: size}) {
			return nil
		}
	}
	return nil
}

// A sample has the sizes of all files, and no more bytes than asked for.
func TestSampleHasTheSizesOfAll(t *testing.T) {
	var sizes listing
	for i := range int64(10_000) {
		sizes = append(sizes, (i*7919)%10_000) // each from 0 to 9,999 once
	}
	for most, read := range map[int64]int64{1 << 40: 1000, 1_000_000: 200} {
		chosen, found, err := sample(t.Context(), sizes, "/d/", most, 1)
		if err != nil {
			t.Fatal(err)
		}
		if found.Listed != 10_000 || found.ListedBytes != 49_995_000 || found.Empty != 1 || found.More {
			t.Errorf("%+v", found)
		}
		if found.Read != int64(len(chosen)) || found.Read < read*8/10 || found.Read > read || found.ReadBytes > most {
			t.Errorf("at most %d bytes: %+v", most, found)
		}
		if mean := found.ReadBytes / found.Read; mean < 4950 || mean > 5050 {
			t.Errorf("at most %d bytes: the mean of those read is %d bytes, that of all 5,000", most, mean)
		}
		if found.Sizes.Min != 1 || found.Sizes.Max != 9999 || found.ReadSizes.Median < 4900 ||
			found.ReadSizes.Median > 5100 {
			t.Errorf("%+v", found)
		}
	}
}

func TestSampleThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		sizes listing
		cause string
	}{{nil, store.NoFile}, {listing{0, 0}, store.NoFile}, {listing{500, 200}, store.TooLarge}} {
		if _, _, err := sample(t.Context(), test.sizes, "/", 100, 1); store.CauseOf(err) != test.cause {
			t.Errorf("%v: %v", test.sizes, err)
		}
	}
	_, found, err := sample(t.Context(), make(listing, mostListed+1), "/", 100, 1)
	if found != nil || store.CauseOf(err) != store.NoFile {
		t.Errorf("%+v, %v", found, err)
	}
}

// Each file is read once by one of the streams, whatever its size and the policy, in each iteration; nothing is written.
func TestFilesThatAreThereAreRead(t *testing.T) {
	for _, policy := range []Policy{WholeFile, Random, Vector, Prefetch} {
		for _, duration := range []time.Duration{0, 10 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.open = 10 * time.Millisecond
				var objects []store.Object
				var all int64
				for i, size := range []int{1, 40 * kib, 100, 16 * kib, 33 * kib} {
					o := store.Object{Path: fmt.Sprint("/in/", i), Size: int64(size)}
					l.files[o.Path] = bytes.Repeat([]byte{'x'}, size)
					objects, all = append(objects, o), all+o.Size
				}
				p := transferOf()
				p.Only, p.Streams, p.Repeat, p.Duration = OnlyDownload, 2, 3, duration
				if duration > 0 {
					p.Repeat = 0
				}
				o := execute(t, l, p, policy, nil, objects...)
				switch got := o.Download; {
				case duration == 0 && (got.Files != 3*5 || got.Bytes != 3*all || got.Failed != 0):
					t.Errorf("%s: %+v", policy, got)
				case duration > 0 && (got.Files < 100 || got.Failed != 0 || got.Steady == nil):
					t.Errorf("%s by time: %+v", policy, got)
				}
				if o.Check.Bytes != 0 || len(l.files) != 5 || l.counts["create"]+l.counts["delete"] != 0 {
					t.Errorf("%s: %+v, %d files, %v", policy, o.Check, len(l.files), l.counts)
				}
			})
		}
	}
}

func TestFileThatChangedSinceTheListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.files["/in/a"] = make([]byte, 100)
		p := transferOf()
		p.Only = OnlyDownload
		o := execute(t, l, p, WholeFile, nil, store.Object{Path: "/in/a", Size: 90})
		if o.Download.Failed != 1 || store.CauseOf(o.Failure) != store.Changed {
			t.Errorf("%+v, %v", o.Download, o.Failure)
		}
	})
}
