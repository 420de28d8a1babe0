package hdfs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// cutDatanode has a block of 1000 bytes and hangs up after 512 of them, between two packets or within one, so many times;
// it counts how often. A reader skips what it has of them already.
func cutDatanode(t *testing.T, content []byte, most int64, clean bool, then func()) (address string, cuts *atomic.Int64) {
	t.Helper()
	cuts = &atomic.Int64{}
	sum := func(p []byte) []byte {
		return binary.BigEndian.AppendUint32(nil, crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)))
	}
	return listen(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		if _, err := in.Discard(3); err != nil {
			return
		}
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return
		}
		if _, err := in.Discard(int(n)); err != nil {
			return
		}
		first := bytes.Join([][]byte{opAnswer(512), packet(512), sum(content[:512]), content[:512]}, nil)
		if cuts.Load() < most {
			cuts.Add(1)
			then()
			if !clean {
				first = append(first, packet(488)[:9]...)
			}
			_, _ = c.Write(first)
			return
		}
		rest := bytes.Join([][]byte{first, packet(488), sum(content[512:]), content[512:], packet(0)}, nil)
		if _, err := c.Write(rest); err == nil {
			_, _ = io.Copy(io.Discard, in)
		}
	}), cuts
}

// A read resumes on a new connection when the datanode hangs up, as often as allowed, unless the file has changed.
func TestReadResumes(t *testing.T) {
	content := make([]byte, 1000)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	stream := func(f store.File) ([]byte, error) {
		r, err := f.Stream(t.Context())
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	whole := func(f store.File) ([]byte, error) {
		p := make([]byte, len(content))
		return p, f.ReadRange(t.Context(), p, 0)
	}
	for _, c := range []struct {
		name    string
		read    func(store.File) ([]byte, error)
		cuts    int64
		retries int
		clean   bool // the library goes on by itself
		replace bool
		cause   string
		counted int64
	}{
		{"stream", stream, 2, 3, false, false, "", 2},
		{"stream, between packets", stream, 2, 3, true, false, "", 2},
		{"range", whole, 1, 3, false, false, "", 1},
		{"stream, too often", stream, 100, 2, false, false, store.Reset, 2},
		{"stream, not again", stream, 1, 0, false, false, store.Reset, 0},
		{"range, not again", whole, 1, 0, false, false, store.Reset, 0},
		{"stream, replaced", stream, 1, 3, false, true, store.Changed, 0},
		{"range, replaced", whole, 1, 3, false, true, store.Changed, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var replaced atomic.Bool
			datanode, cuts := cutDatanode(t, content, c.cuts, c.clean, func() { replaced.Store(c.replace) })
			answers := fileAnswers(t, datanode)
			namenode := fakeNamenodeFunc(t, func(method string, _ []byte) []byte {
				if method == "getFileInfo" && replaced.Load() {
					return message(message(2, "x", 1000, message(0o644), "alice", "users", 2, 1)) // a later time
				}
				return answers[method]
			})
			opened, err := openAt(t.Context(), t, namenode, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			s := opened.(*Store)
			s.config.retries, s.config.pause = c.retries, time.Millisecond
			f, err := s.Open(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := c.read(f)
			if store.CauseOf(err) != c.cause || err == nil && !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			counts := s.config.requests.Reopenings()
			if counts[store.Reset] != c.counted || c.cause == "" && c.counted != cuts.Load() {
				t.Errorf("opened again %v, want %d; the datanode hung up %d times", counts, c.counted, cuts.Load())
			}
		})
	}
}
