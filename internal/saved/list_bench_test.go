package saved

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// The list of 5,000 runs: with its index, and without one, when all documents are read. The documents have 30 KB, as
// one of a short run of chat, and are one file by links.
func BenchmarkList(b *testing.B) {
	const runs = 5000
	s := &Runs{Dir: b.TempDir()}
	doc := aRun(idAt(0), 32)
	doc.Detail = rundoc.DecodeDetail("another", json.RawMessage(`{"text":"`+strings.Repeat("x", 30_000)+`"}`))
	write(b, s.Path(idAt(0)), doc)
	for i := 1; i < runs; i++ {
		path := s.Path(idAt(i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.Link(s.Path(idAt(0)), path); err != nil {
			b.Fatal(err)
		}
	}
	measure := func(b *testing.B, before func()) {
		b.ReportAllocs()
		for b.Loop() {
			before()
			entries, _, err := s.List(noKind, Choice{})
			if err != nil || len(entries) != runs || entries[runs-1].Load != "32 clients, 10s" {
				b.Fatalf("%d entries, %v", len(entries), err)
			}
		}
	}
	b.Run("cold", func(b *testing.B) { measure(b, func() { _ = os.Remove(s.index()) }) })
	b.Run("warm", func(b *testing.B) { measure(b, func() {}) })
}
