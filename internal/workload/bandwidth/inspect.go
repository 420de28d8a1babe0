package bandwidth

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Inspect looks at the file of a run that only downloads: how long it is, and whether this
// program wrote it, so that what is read can be compared. A file that is shorter than what is to
// be read is an error. It may be called once, before the run.
func (b *Bandwidth) Inspect(ctx context.Context) error {
	f, err := b.Store.Open(ctx, b.Path)
	if known := (*store.Error)(nil); errors.As(err, &known) && known.Cause == store.NoFile && known.Hint == "" {
		return known.WithHint("check the URL; end it with / to read the files below it; or create a file first with " +
			"--only upload --keep")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if b.Plan.Size > f.Size() {
		// Reading less would be a figure of something else than what was asked for.
		return store.Fail(store.Truncated, "the file has %d bytes, fewer than the %d to be read",
			f.Size(), b.Plan.Size).
			WithHint("omit SIZE to read the whole file")
	}
	if b.Plan.Size == 0 {
		b.Plan.Size, b.toEnd = f.Size(), true
	}
	start := make([]byte, min(content.PageSize, f.Size()))
	if len(start) < content.StampBytes || !b.Compare {
		return nil
	}
	if err := f.ReadRange(ctx, start, 0); err != nil {
		b.addNote("The data is not verified: the beginning of the file could not be read separately.")
		return nil // a server that knows no ranges; the run will tell whether it reads at all
	}
	all := []*content.Pattern{b.patterns[0]}
	for _, kind := range []string{DataRandom, DataText, DataZero} {
		if kind != b.Plan.Data {
			all = append(all, content.NewPattern(kind))
		}
	}
	found, ok := content.Recognise(start, f.Size(), all)
	if !ok {
		b.addNote("The data is not verified: the file was not written by Plimsoll.")
	}
	b.found = found
	return nil
}

// Size is the bytes of each file.
func (b *Bandwidth) Size() int64 { return b.Plan.Size }

// A run that only downloads, of a directory or a prefix, reads files that are there. Of many it reads a sample that has
// the sizes of all: those at evenly spaced ranks, by size.

const (
	// mostListed bounds the memory and the time of a list.
	mostListed = 100_000
	// mostSampled is how many files a sample has at most.
	mostSampled = 1000
)

// sample lists the files below a path, and chooses those to read, of at most so many bytes together.
func sample(ctx context.Context, w store.Walker, path string, most int64, seed uint64) (
	chosen []store.Object, found *rundoc.ObjectsFound, err error,
) {
	var all []store.Object
	found = &rundoc.ObjectsFound{}
	err = w.Walk(ctx, path, func(o store.Object) bool {
		if found.Listed == mostListed {
			found.More = true
			return false
		}
		found.Listed++
		found.ListedBytes += o.Size
		if o.Size > 0 {
			all = append(all, o)
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	found.Empty = found.Listed - int64(len(all))
	if len(all) == 0 {
		return nil, nil, store.Fail(store.NoFile, "nothing to read: %s, all empty",
			units.Count(found.Listed, "file was listed", "files were listed")).
			WithHint("check the URL, or create a file first with --only upload --keep")
	}
	slices.SortFunc(all, func(a, b store.Object) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.Path, b.Path))
	})
	chosen = spaced(all, most)
	if chosen == nil {
		return nil, nil, store.Fail(store.TooLarge, "the smallest of %s has %d bytes, more than the %d to be read",
			units.Count(int64(len(all)), "file", "files"), all[0].Size, most).WithHint("use a larger SIZE")
	}
	found.Sizes, found.ReadSizes = sizesOf(all), sizesOf(chosen)
	found.Read = int64(len(chosen))
	for _, o := range chosen {
		found.ReadBytes += o.Size
	}
	rand.New(rand.NewPCG(seed, 2)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen, found, nil
}

// spaced is as many files at evenly spaced ranks as have most bytes together; nil if even the smallest has more.
func spaced(bySize []store.Object, most int64) []store.Object {
	for n := min(len(bySize), mostSampled); n > 0; n = min(n-1, n*9/10) {
		var chosen []store.Object
		bytes := int64(0)
		for i := range n {
			o := bySize[(2*i+1)*len(bySize)/(2*n)]
			chosen = append(chosen, o)
			bytes += o.Size
		}
		if bytes <= most {
			return chosen
		}
	}
	if bySize[0].Size <= most {
		return bySize[:1:1]
	}
	return nil
}

// sizesOf are the sizes of files in the order of their sizes.
func sizesOf(bySize []store.Object) rundoc.Sizes {
	return rundoc.Sizes{
		Min: bySize[0].Size, Median: bySize[len(bySize)/2].Size, Max: bySize[len(bySize)-1].Size,
	}
}
