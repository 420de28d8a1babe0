package bandwidth

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// Check is what the comparison of what was read with what was written came to.
type Check struct {
	Bytes int64 // that were compared
	// What was not what was written, in how many blocks of how many files; one that is read again counts again.
	Wrong, WrongBlocks, WrongFiles int64
	// Where is where the first of them are, in the first file with some, and File its path.
	Where []content.Stretch
	File  string
	// Refused says why a download failed whose file is not the one that was written, by its length or the store's own
	// checksum; "" where none is.
	Refused string
}

// mostStretches is how many places a Check names.
const mostStretches = 5

// Mismatch says how much is wrong, and where; "" where nothing is. block is the size of one, and file what people call
// the one with the places, or "" where there is no other one.
func (c *Check) Mismatch(block int64, file string) string {
	if c.Wrong == 0 {
		return c.Refused
	}
	block = max(block, 1)
	var places []string
	for _, s := range c.Where {
		from, to := s.First/block+1, s.Last/block+1
		in := fmt.Sprintf("block %d", from)
		if to != from {
			in = fmt.Sprintf("blocks %d–%d", from, to)
		}
		place := fmt.Sprintf("byte %d", s.First)
		if s.Last != s.First {
			place = fmt.Sprintf("bytes %d–%d", s.First, s.Last)
		}
		places = append(places, place+" ("+in+")")
	}
	if c.Wrong == 1 && len(c.Where) == 1 {
		return fmt.Sprintf("byte %d%s differs from what was written (block %d)", c.Where[0].First,
			after(" of ", file), c.Where[0].First/block+1)
	}
	text := fmt.Sprintf("%s differ from what was written, in %s of %s", units.Count(c.Wrong, "byte", "bytes"),
		units.Count(c.WrongBlocks, "block", "blocks"), units.Count(c.WrongFiles, "download", "downloads"))
	if len(places) == 0 {
		return text
	}
	text += "; first differences"
	if c.WrongFiles > 1 {
		text += " in one of them" + after(", ", file)
	} else {
		text += after(" of ", file)
	}
	return text + ": " + strings.Join(places, ", ")
}

// after is a name behind a word; "" where there is no name.
func after(word, name string) string {
	if name == "" {
		return ""
	}
	return word + name
}

// refused notes why a download failed, if that shows that what is there is not what was written.
func (c *Check) refused(at step, why *op.Failure) {
	if c.Refused == "" && why.Err != nil &&
		(why.Cause == store.Corrupt || why.Cause == store.Truncated && at == open) {
		c.Refused = why.Err.Error()
	}
}

// compared notes that a block of a file was compared, and what of it was wrong.
func (b *Bandwidth) compared(d *downloading, length, wrong int64, where []content.Stretch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &b.check
	c.Bytes += length
	if wrong == 0 {
		return
	}
	c.Wrong += wrong
	c.WrongBlocks++
	if !d.wrong {
		d.wrong, d.firstWrong = true, c.WrongFiles == 0
		c.WrongFiles++
	}
	if d.firstWrong {
		c.File = d.path
		c.Where = append(c.Where, where[:min(len(where), mostStretches-len(c.Where))]...)
	}
}
