package updates

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// TestNoMessageIsLargerThanWasSaid has batches of which the number of rows itself takes one byte more
// than in a smaller batch. What was said is not much more than what they take either.
func TestNoMessageIsLargerThanWasSaid(t *testing.T) {
	for _, codec := range []delta.Codec{delta.Compact, delta.JSON, delta.Avro} {
		for _, batch := range []int{1, 2, 63, 64, 65, 127, 128, 129, 8191, 8192, 8193, 16_383, 16_384} {
			g := &generated{Generation: delta.Generation{Batch: batch, KeyLength: 30, ValueLength: 10, Sets: .5,
				Commit: 1_700_000_000_000_000_000}}
			said, _, err := g.largest(codec, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			longest := 0
			for _, r := range g.kinds() {
				rows := make([]delta.Row, batch)
				for i := range rows {
					rows[i] = r
				}
				message, err := delta.Append(nil, &delta.Header{Codec: codec}, rows)
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, len(message))
			}
			if longest > said || said-longest > 16 {
				t.Errorf("codec %v, %d rows: %d bytes, and %d were said", codec, batch, longest, said)
			}
			// Of what a limit lets through, the largest batch is as large as it may be.
			if _, fits, _ := g.largest(codec, said); fits != batch {
				t.Errorf("codec %v: %d rows are said to fit into the %d bytes of %d", codec, fits, said, batch)
			}
		}
	}
}
