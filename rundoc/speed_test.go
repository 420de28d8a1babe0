package rundoc_test

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// manyBlocks is the document of a bandwidth run with as many single operations as one holds.
func manyBlocks(t testing.TB) []byte {
	run, d := soundBandwidth(t)
	for i := range rundoc.MaxBlocks {
		d.Blocks = append(d.Blocks, rundoc.Block{
			Operation: rundoc.OperationUploadBlock, Stream: 1 + i%8, Iteration: 1, Bytes: 1 << 20,
			Total: int64(i) << 20, StartNS: int64(i) * 1_234_567, DurationNS: 1_034_567,
		})
	}
	run.Detail = d
	var text bytes.Buffer
	if err := rundoc.Write(&text, run); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func BenchmarkJudgeManyRows(b *testing.B) {
	run, err := rundoc.Read(bytes.NewReader(manyBlocks(b)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if v := rundoc.Judge(run); v.Validity != rundoc.Valid {
			b.Fatal(v)
		}
	}
}

// BenchmarkReadManyRows is all that is done with a document before it is shown.
func BenchmarkReadManyRows(b *testing.B) {
	text := manyBlocks(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		run, err := rundoc.Read(bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if v := rundoc.Judge(run); v.Validity != rundoc.Valid {
			b.Fatal(v)
		}
		if d := run.Bandwidth(); len(d.Blocks) != rundoc.MaxBlocks {
			b.Fatal(len(d.Blocks))
		}
	}
}

// BenchmarkWriteManyRows is how a run's document is made and written.
func BenchmarkWriteManyRows(b *testing.B) {
	run, err := rundoc.Read(bytes.NewReader(manyBlocks(b)))
	if err != nil {
		b.Fatal(err)
	}
	d := run.Bandwidth()
	var text bytes.Buffer
	for b.Loop() {
		run.Detail = d
		run.Verdict, run.Warnings = rundoc.Judge(run), rundoc.Warnings(run)
		text.Reset()
		if err := rundoc.Write(&text, run); err != nil {
			b.Fatal(err)
		}
	}
}
