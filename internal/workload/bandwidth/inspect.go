package bandwidth

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// Inspect looks at the file of a run that only downloads: how long it is, and whether this
// program wrote it, so that what is read can be compared. A file that is shorter than what is to
// be read is an error. It may be called once, before the run.
func (b *Bandwidth) Inspect(ctx context.Context) error {
	f, err := b.Store.Open(ctx, b.Path)
	if known := (*store.Error)(nil); errors.As(err, &known) && known.Cause == store.NoFile && known.Hint == "" {
		return known.WithHint("correct the URL, end it with / to read what is below it, or leave a file there first with " +
			"--only upload --keep")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if b.Plan.Size > f.Size() {
		// Reading less would be a figure of something else than what was asked for.
		return store.Fail(store.Truncated, "the file has %d bytes, fewer than the %d that are to be read",
			f.Size(), b.Plan.Size).
			WithHint("leave the size out to read all of it")
	}
	if b.Plan.Size == 0 {
		b.Plan.Size, b.toEnd = f.Size(), true
	}
	start := make([]byte, min(content.PageSize, f.Size()))
	if len(start) < content.StampBytes || !b.Compare {
		return nil
	}
	if err := f.ReadRange(ctx, start, 0); err != nil {
		b.addNote("What is read is not compared with anything: the file's beginning could not be read on its own.")
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
		b.addNote("What is read is not compared with anything: the file is not one that plimsoll wrote.")
	}
	b.found = found
	return nil
}

// Size is the bytes of each file.
func (b *Bandwidth) Size() int64 { return b.Plan.Size }
