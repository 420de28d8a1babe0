package live

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/rundoc"
)

// BenchmarkEvent is what an event costs beside the counting: of a run of a minute, with all that was counted.
func BenchmarkEvent(b *testing.B) {
	doc, err := rundoc.ReadFile("../../docs/pictures/run.json")
	if err != nil {
		b.Fatal(err)
	}
	doc.SumUp(nil)
	m := going("", doc)
	b.ReportAllocs()
	for b.Loop() {
		of := modelOf([]onlook.Moment{m})
		line, err := of.Event()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(line)))
	}
}
