package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// The data of the reference: five minutes of 45,000 unique keys a second, 30 bytes a key and 10
// a value, in batches of 1000.
const (
	benchKeys  = 13_500_000
	benchBatch = 1000
)

// fill makes the rows of a batch, with keys that no other batch has.
func fill(rows []delta.Row, memory []byte, batch int) {
	for i := range rows {
		b := memory[i*40 : i*40+40]
		for j := range b {
			b[j] = 'a'
		}
		binary.BigEndian.PutUint64(b[8:], uint64(batch*len(rows)+i)*0x9e3779b97f4a7c15)
		rows[i] = delta.Row{Key: b[:30:30], Value: b[30:40], Commit: int64(batch)}
	}
}

type applier interface {
	Apply(Batch, []delta.Row) (Applied, error)
}

// golang is the other way: maps of Go in shards, with the order of the rows in the values.
type golang struct{ shards [64]golangShard }

type golangShard struct {
	mu   sync.RWMutex
	rows map[string]golangRow
}

type golangRow struct {
	value     string
	commit    int64
	sequence  uint64
	publisher uint32
	row       uint32
}

func newGolang() *golang {
	g := &golang{}
	for i := range g.shards {
		g.shards[i].rows = make(map[string]golangRow)
	}
	return g
}

func (g *golang) Apply(b Batch, rows []delta.Row) (Applied, error) {
	for i := range rows {
		r := &rows[i]
		sh := &g.shards[r.Key[9]%64]
		sh.mu.Lock()
		if old, ok := sh.rows[string(r.Key)]; !ok || old.commit <= r.Commit {
			sh.rows[string(r.Key)] = golangRow{string(r.Value), r.Commit, b.Sequence, b.Publisher, uint32(i)}
		}
		sh.mu.Unlock()
	}
	return Applied{}, nil
}

// BenchmarkFill fills a store with the reference's data as fast as it goes. Go's map is
// measured beside it.
func BenchmarkFill(b *testing.B) {
	if testing.Short() {
		b.Skip("takes two gigabytes of memory")
	}
	for _, c := range []struct {
		name string
		make func() (applier, func())
	}{
		{"slabs", func() (applier, func()) { s := New(0); return s, s.Close }},
		{"map", func() (applier, func()) { return newGolang(), func() {} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			rows, memory := make([]delta.Row, benchBatch), make([]byte, benchBatch*40)
			for b.Loop() {
				debug.FreeOSMemory()
				before := resident(b)
				s, release := c.make()
				var took []time.Duration
				var total time.Duration
				highest := before
				for batch := range benchKeys / benchBatch {
					fill(rows, memory, batch)
					start := time.Now()
					if _, err := s.Apply(Batch{Sequence: uint64(batch)}, rows); err != nil {
						b.Fatal(err)
					}
					d := time.Since(start)
					took = append(took, d)
					total += d
					if batch%500 == 0 {
						highest = max(highest, resident(b))
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(total.Nanoseconds())/benchKeys, "ns/row")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs/batch")
				b.ReportMetric(float64(took[len(took)-1].Microseconds()), "worst-µs/batch")
				b.ReportMetric(float64(highest-before)/benchKeys, "resident-B/key")
				release()
				runtime.KeepAlive(s)
			}
		})
	}
}

// resident is the memory of the process, in bytes.
func resident(tb testing.TB) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		tb.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// BenchmarkReads reads keys one after the other while batches of 1000 are applied 52 times a
// second, and reports how long a read took.
func BenchmarkReads(b *testing.B) {
	s := New(0)
	defer s.Close()
	rows, memory := make([]delta.Row, benchBatch), make([]byte, benchBatch*40)
	const keys = 1_000_000
	for batch := range keys / benchBatch {
		fill(rows, memory, batch)
		if _, err := s.Apply(Batch{Sequence: uint64(batch)}, rows); err != nil {
			b.Fatal(err)
		}
	}
	for _, updates := range []bool{false, true} {
		b.Run(fmt.Sprintf("updates=%v", updates), func(b *testing.B) {
			var stop atomic.Bool
			var writer sync.WaitGroup
			var applied atomic.Int64
			if updates {
				writer.Go(func() {
					tick := time.NewTicker(time.Second * benchBatch / 52_500)
					defer tick.Stop()
					rows, memory := make([]delta.Row, benchBatch), make([]byte, benchBatch*40)
					for batch := 0; !stop.Load(); batch++ {
						<-tick.C
						fill(rows, memory, batch)
						for i := range rows {
							rows[i].Commit += 1 << 40
						}
						_, _ = s.Apply(Batch{Sequence: uint64(batch)}, rows)
						applied.Add(benchBatch)
					}
				})
			}
			key, buf := make([]byte, 40), make([]byte, 0, 64)
			row := make([]delta.Row, 1)
			took := make([]time.Duration, 0, 1<<20)
			n := uint64(0)
			began := time.Now()
			for b.Loop() {
				n++
				fill(row, key, int(n*7919%keys))
				start := time.Now()
				v, _, ok := s.Get(buf, row[0].Key)
				d := time.Since(start)
				if !ok || len(v) != 10 {
					b.Fatal("a key is missing")
				}
				if len(took) < cap(took) {
					took = append(took, d)
				} else {
					took[n&(1<<20-1)] = d
				}
			}
			rate := float64(applied.Load()) / time.Since(began).Seconds()
			stop.Store(true)
			writer.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
			b.ReportMetric(float64(took[len(took)*999/1000].Nanoseconds()), "p99.9-ns")
			b.ReportMetric(rate, "updates/s")
		})
	}
}
