//go:build unix

package s3

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// BenchmarkAgainstRaw moves 1 GiB with this package and with a loop of net/http that makes
// the same requests, in turn, to a server that forgets them. It reports MB/s, and user and
// system processor time for each GiB, of both.
func BenchmarkAgainstRaw(b *testing.B) {
	b.Setenv("AWS_ACCESS_KEY_ID", testKey)
	b.Setenv("AWS_SECRET_ACCESS_KEY", testSecret)
	url := nullServer(b)
	const part = 8 << 20
	for _, c := range []struct {
		name     string
		checksum string
		parts    int
		run      func(*bench) error
		raw      func(*bench) error
	}{
		{"put-1", checksumNone, 1, (*bench).put, (*bench).rawPut},
		{"put-4", checksumNone, 4, (*bench).put, (*bench).rawPut},
		{"put-8", checksumNone, 8, (*bench).put, (*bench).rawPut},
		{"put-8-crc32c", checksumCRC32C, 8, (*bench).put, (*bench).rawPutSummed},
		{"put-single", checksumNone, 1, (*bench).putSingle, (*bench).rawPutSingle},
		{"get-stream", checksumNone, 1, (*bench).stream, (*bench).rawStream},
		{"get-8-ranges", checksumNone, 8, (*bench).ranges, (*bench).rawRanges},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := newBench(b, url, part, c.parts, c.checksum)
			var ours, raw cost
			for b.Loop() {
				raw.add(b, func() error { return c.raw(x) })
				ours.add(b, func() error { return c.run(x) })
			}
			b.ReportMetric(0, "ns/op")
			ours.report(b, "")
			raw.report(b, "raw-")
		})
	}
}

// cost sums up what runs took.
type cost struct {
	walls        []time.Duration
	user, system time.Duration
}

func (c *cost) add(b *testing.B, run func() error) {
	b.Helper()
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	start := time.Now()
	if err := run(); err != nil {
		b.Fatal(err)
	}
	c.walls = append(c.walls, time.Since(start))
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	c.user += time.Duration(after.Utime.Nano() - before.Utime.Nano())
	c.system += time.Duration(after.Stime.Nano() - before.Stime.Nano())
}

// report gives the median rate, which other work of the machine disturbs least, and the mean
// times.
func (c *cost) report(b *testing.B, prefix string) {
	slices.Sort(c.walls)
	runs := float64(len(c.walls))
	b.ReportMetric(nullObject/1e6/c.walls[len(c.walls)/2].Seconds(), prefix+"MB/s")
	b.ReportMetric(c.user.Seconds()/runs, prefix+"user-s/GiB")
	b.ReportMetric(c.system.Seconds()/runs, prefix+"sys-s/GiB")
}

// bench is a store and a client of net/http.
type bench struct {
	store  *bucket
	url    string
	part   int
	parts  int
	client *http.Client
	memory [][]byte
	ctx    context.Context
}

func newBench(b *testing.B, url string, part, parts int, checksum string) *bench {
	u := conf(b, url, func(c *store.Config) {
		c.Block, c.PartSize, c.ActiveParts, c.Checksum = int64(part), int64(part), parts, checksum
	})
	s, err := Open(b.Context(), u)
	if err != nil {
		b.Fatal(err)
	}
	x := &bench{
		store: s.(*bucket), url: url + "/bucket/dir", part: part, parts: parts, ctx: b.Context(),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}},
	}
	for range parts + 2 {
		memory := make([]byte, part)
		dirty(memory)
		x.memory = append(x.memory, memory)
	}
	b.Cleanup(func() {
		x.client.CloseIdleConnections()
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return x
}

// dirty makes memory real: pages that nobody wrote to are all the same one, and copied from
// the nearest cache.
func dirty(p []byte) {
	for i := 0; i < len(p); i += 4096 {
		p[i] |= 1
	}
}

// put writes an object in parts.
func (x *bench) put() error {
	w, err := x.store.Create(x.ctx, "/dir/x", nullObject)
	if err != nil {
		return err
	}
	for at := 0; at < nullObject; at += x.part {
		pieces, err := w.Reserve(x.ctx, x.part)
		if err != nil {
			return err
		}
		dirty(pieces[0])
		if err := w.Write(x.ctx, x.part); err != nil {
			return err
		}
	}
	return w.Close(x.ctx)
}

// putSingle writes objects that fit into one request.
func (x *bench) putSingle() error {
	for at := 0; at < nullObject; at += x.part {
		w, err := x.store.Create(x.ctx, "/dir/x", int64(x.part))
		if err != nil {
			return err
		}
		pieces, err := w.Reserve(x.ctx, x.part)
		if err != nil {
			return err
		}
		dirty(pieces[0])
		if err := w.Write(x.ctx, x.part); err != nil {
			return err
		}
		if err := w.Close(x.ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *bench) rawPutSingle() error {
	for at := 0; at < nullObject; at += x.part {
		dirty(x.memory[0])
		if err := x.request(http.MethodPut, "", x.memory[0], io.Discard, ""); err != nil {
			return err
		}
	}
	return nil
}

func (x *bench) rawPut() error { return x.rawParts(func([]byte) string { return "" }) }

func (x *bench) rawPutSummed() error {
	return x.rawParts(func(p []byte) string {
		return fmt.Sprintf("&crc=%d", crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)))
	})
}

// rawParts writes an object in parts, after something was computed of each. It has as much
// memory as a program needs that makes its data meanwhile.
func (x *bench) rawParts(compute func([]byte) string) error {
	if err := x.request(http.MethodPost, "?uploads", nil, io.Discard, ""); err != nil {
		return err
	}
	if err := x.each(func(slot, i int) error {
		m := x.memory[i%len(x.memory)]
		dirty(m)
		return x.request(http.MethodPut, fmt.Sprintf("?partNumber=%d&uploadId=1%s", i+1, compute(m)), m, io.Discard, "")
	}); err != nil {
		return err
	}
	return x.request(http.MethodPost, "?uploadId=1", []byte("<x></x>"), io.Discard, "")
}

// each calls do for each part, on as many goroutines as there are parts in flight.
func (x *bench) each(do func(slot, i int) error) error {
	next := make(chan int)
	errs := make(chan error, x.parts)
	var group sync.WaitGroup
	for slot := range x.parts {
		group.Go(func() {
			for i := range next {
				if err := do(slot, i); err != nil {
					errs <- err
					for range next {
					}
					return
				}
			}
		})
	}
	for i := range nullObject / x.part {
		next <- i
	}
	close(next)
	group.Wait()
	close(errs)
	return <-errs
}

// request makes a request and reads its answer.
func (x *bench) request(method, query string, body []byte, to io.Writer, span string) error {
	var from io.Reader
	if body != nil {
		from = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(x.ctx, method, x.url+query, from)
	if err != nil {
		return err
	}
	if span != "" {
		req.Header.Set("Range", span)
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s: %s", method, resp.Status)
	}
	if method == http.MethodGet {
		_, err = io.ReadFull(resp.Body, to.(*fixed).p)
		return err
	}
	_, err = io.Copy(to, resp.Body)
	return err
}

// fixed is memory to read into.
type fixed struct{ p []byte }

func (*fixed) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func (x *bench) stream() error {
	f, err := x.store.Open(x.ctx, "/dir/x")
	if err != nil {
		return err
	}
	r, err := f.Stream(x.ctx)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	return readAll(r, x.memory[0])
}

func readAll(r io.Reader, p []byte) error {
	for range nullObject / len(p) {
		if _, err := io.ReadFull(r, p); err != nil {
			return err
		}
	}
	return nil
}

func (x *bench) rawStream() error {
	req, err := http.NewRequestWithContext(x.ctx, http.MethodGet, x.url, nil)
	if err != nil {
		return err
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return readAll(resp.Body, x.memory[0])
}

func (x *bench) ranges() error {
	f, err := x.store.Open(x.ctx, "/dir/x")
	if err != nil {
		return err
	}
	return x.each(func(slot, i int) error { return f.ReadRange(x.ctx, x.memory[slot], int64(i*x.part)) })
}

func (x *bench) rawRanges() error {
	return x.each(func(slot, i int) error {
		span := fmt.Sprintf("bytes=%d-%d", i*x.part, (i+1)*x.part-1)
		return x.request(http.MethodGet, "", nil, &fixed{x.memory[slot]}, span)
	})
}
