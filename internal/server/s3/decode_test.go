package s3

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// chunked encodes data in chunks of a size, signed if signer is not nil.
func chunked(data []byte, size int, signer *chunkSigner, trailers ...string) []byte {
	var b bytes.Buffer
	header := func(chunk []byte) {
		fmt.Fprintf(&b, "%x", len(chunk))
		if signer != nil {
			text := strings.Join([]string{algorithm + "-PAYLOAD", signer.date, signer.scope, signer.previous, emptySHA256, hexSHA256(chunk)}, "\n")
			signer.previous = hex.EncodeToString(sum(signer.key, text))
			fmt.Fprintf(&b, ";chunk-signature=%s", signer.previous)
		}
		b.WriteString("\r\n")
	}
	for chunk := range slices.Chunk(data, size) {
		header(chunk)
		b.Write(chunk)
		b.WriteString("\r\n")
	}
	header(nil)
	for _, t := range trailers {
		b.WriteString(t + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func testSigner() *chunkSigner {
	return &chunkSigner{key: []byte("key"), date: exampleDate, scope: "scope", previous: "seed"}
}

func TestChunkReader(t *testing.T) {
	data := noise(10_000)
	for _, size := range []int{1, 7, 1 << 10, 4093, 10_000, 20_000} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader,
			"bytes": iotest.OneByteReader, "data with error": iotest.DataErrReader,
		} {
			for _, signed := range []bool{false, true} {
				var writer, reader *chunkSigner
				if signed {
					writer, reader = testSigner(), testSigner()
				}
				encoded := chunked(data, size, writer)
				r := newChunkReader(wrap(bytes.NewReader(encoded)), int64(len(data)), reader, false)
				got, err := io.ReadAll(r)
				if err == nil {
					err = r.finish()
				}
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("chunks of %d, %s, signed %t: %d bytes, %v", size, name, signed, len(got), err)
				}
			}
		}
	}
	// Any byte that is changed is noticed, and so is any end.
	encoded := chunked(data[:300], 100, testSigner())
	decode := func(text []byte) error {
		r := newChunkReader(bytes.NewReader(text), 300, testSigner(), false)
		if _, err := io.ReadAll(r); err != nil {
			return err
		}
		return r.finish()
	}
	for i := range encoded {
		broken := bytes.Clone(encoded)
		broken[i] ^= 0x01
		if decode(broken) == nil && !bytes.ContainsRune([]byte("\r\n"), rune(encoded[i])) {
			t.Errorf("byte %d (%q) was changed, and nobody noticed", i, encoded[i])
		}
		if i < len(encoded)-4 && decode(encoded[:i]) == nil {
			t.Errorf("it ended after %d of %d bytes, and nobody noticed", i, len(encoded))
		}
	}
	lost := errors.New("lost")
	r := newChunkReader(io.MultiReader(bytes.NewReader(encoded[:150]), iotest.ErrReader(lost)), 300, nil, false)
	if _, err := io.ReadAll(r); !errors.Is(err, lost) {
		t.Errorf("%v, want the reader's own error", err)
	}
}

// The CRC of a whole follows from those of its parts.
func TestCombine(t *testing.T) {
	data := noise(100_000)
	for i := range checksumKinds {
		k := &checksumKinds[i]
		if k.width == 0 {
			continue
		}
		of := func(p []byte) []byte {
			h := k.new()
			h.Write(p)
			return h.Sum(nil)
		}
		for _, at := range []int{0, 1, 7, 8, 65_536, 99_999, 100_000} {
			if got := k.combine(of(data[:at]), of(data[at:]), int64(len(data)-at)); !bytes.Equal(got, of(data)) {
				t.Errorf("%s at %d: %x, want %x", k.name, at, got, of(data))
			}
		}
	}
}

func TestParseRange(t *testing.T) {
	for header, want := range map[string][3]int64{
		"bytes=0-": {0, 10, int64(rangeValid)}, "bytes=9-9": {9, 1, int64(rangeValid)}, "bytes=-1": {9, 1, int64(rangeValid)},
		"bytes=2-99999999999999999999": {2, 8, int64(rangeValid)}, "bytes=-99999999999999999999": {0, 10, int64(rangeValid)},
		"bytes=10-": {0, 0, int64(rangeUnsatisfiable)}, "bytes=99999999999999999999-": {0, 0, int64(rangeUnsatisfiable)},
		"bytes=-0": {0, 0, int64(rangeUnsatisfiable)}, "bytes=-": {}, "bytes=": {}, "": {}, "bytes=a-b": {}, "bytes=+1-2": {}, "bytes=1--2": {},
		"bytes= 1-2": {1, 2, int64(rangeValid)}, "Bytes=1-2": {},
	} {
		offset, size, v := parseRange(header, 10)
		if got := [3]int64{offset, size, int64(v)}; got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func FuzzChunkReader(f *testing.F) {
	f.Add(chunked([]byte("hello"), 3, testSigner()), int64(5), true, false)
	f.Add(chunked([]byte("hello"), 3, nil, "x-amz-checksum-crc32c:mnG7TA=="), int64(5), false, true)
	f.Add([]byte("0\r\n\r\n"), int64(0), false, false)
	f.Add([]byte("ffffffffffffffff\r\n"), int64(1), false, false)
	f.Add([]byte("5\nhello\n0\n\n"), int64(5), false, false)
	f.Fuzz(func(t *testing.T, text []byte, size int64, signed, trailer bool) {
		size = min(max(size, 0), 1<<20)
		var signer *chunkSigner
		if signed {
			signer = testSigner()
		}
		r := newChunkReader(bytes.NewReader(text), size, signer, trailer)
		got, err := io.ReadAll(r)
		if int64(len(got)) > size || len(got) > len(text) {
			t.Fatalf("%d bytes of %d", len(got), size)
		}
		if err != nil {
			return
		}
		if int64(len(got)) != size {
			t.Fatalf("it ended without an error after %d bytes of %d", len(got), size)
		}
		if r.finish() != nil {
			return
		}
		// What was accepted is the same however it is read.
		again := newChunkReader(iotest.OneByteReader(bytes.NewReader(text)), size, nil, trailer)
		if signed {
			again.signer, again.digest = testSigner(), r.digest
			r.digest.Reset()
		}
		other, err := io.ReadAll(again)
		if err != nil || !bytes.Equal(got, other) {
			t.Fatalf("byte by byte: %q, not %q (%v)", other, got, err)
		}
	})
}

func FuzzAuthorization(f *testing.F) {
	f.Add(algorithm + " Credential=" + exampleScope + ",SignedHeaders=host;range,Signature=00")
	f.Add("AWS a:b")
	f.Add(algorithm + " Credential=////,SignedHeaders=,Signature=")
	f.Fuzz(func(t *testing.T, header string) {
		a, err := parseAuthorization(header)
		if err != nil {
			if err.Code == "" || err.Status < 400 {
				t.Errorf("%+v", err)
			}
			return
		}
		again, err := parseAuthorization(fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
			algorithm, a.accessKey, a.scope, strings.Join(a.headers, ";"), a.signature))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(a) {
			t.Errorf("%+v, and written again %+v, %v", a, again, err)
		}
	})
}

func FuzzRange(f *testing.F) {
	f.Add("bytes=0-10", int64(5))
	f.Add("bytes=-5", int64(0))
	f.Add("bytes=9223372036854775807-9223372036854775807", int64(9223372036854775807))
	f.Fuzz(func(t *testing.T, header string, total int64) {
		if total < 0 {
			return
		}
		offset, size, v := parseRange(header, total)
		if v == rangeValid && (offset < 0 || size < 1 || offset > total-size) {
			t.Errorf("%q of %d: %d bytes at %d", header, total, size, offset)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("list-type=2&prefix=a%20b+c&delimiter")
	f.Add("&&=;%2")
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, err := parseQuery(raw)
		if err != nil {
			return
		}
		again, err := parseQuery(canonicalQuery(pairs))
		if err != nil || canonicalQuery(again) != canonicalQuery(pairs) {
			t.Errorf("%q is %v, and canonical %v, %v", raw, pairs, again, err)
		}
	})
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"))
	f.Add([]byte("<Delete><Quiet>true</Quiet><Object><Key>k</Key></Object></Delete>"))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if parts, err := parseCompletion(text); err == nil {
			for i, p := range parts {
				if p.PartNumber < 1 || p.PartNumber > maxParts || i > 0 && p.PartNumber <= parts[i-1].PartNumber {
					t.Errorf("part %d is number %d", i, p.PartNumber)
				}
			}
		}
		if d, err := parseDelete(text); err == nil && (len(d.Objects) == 0 || len(d.Objects) > maxDeletes) {
			t.Errorf("%d objects", len(d.Objects))
		}
	})
}

// FuzzList compares pages with a list of all.
func FuzzList(f *testing.F) {
	f.Add("a/b a/c b c/", "", "/", 1)
	f.Add("a a/ a/b ab", "a", "/", 2)
	f.Add("\xff \xff\xff a", "\xff", "\xff", 1)
	f.Fuzz(func(t *testing.T, text, prefix, delimiter string, page int) {
		page = min(max(page, 1), 5)
		c := newCatalog(&space{}, nil)
		b := &bucket{name: DefaultBucket, objects: map[string]*object{}}
		c.buckets[b.name] = b
		for _, key := range strings.Fields(text) {
			if b.objects[key] == nil {
				b.objects[key] = &object{key: key}
				b.keys = append(b.keys, key)
			}
		}
		slices.Sort(b.keys)
		var want []string
		for _, key := range b.keys {
			rest, found := strings.CutPrefix(key, prefix)
			if !found {
				continue
			}
			if before, _, grouped := strings.Cut(rest, delimiter); grouped && delimiter != "" {
				key = prefix + before + delimiter
			}
			if !slices.Contains(want, key) {
				want = append(want, key)
			}
		}
		var got []string
		q := listing{prefix: prefix, delimiter: delimiter, max: page}
		for range len(b.keys) + 1 {
			l, err := c.list(b.name, &q)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range l.objects {
				got = append(got, o.key)
			}
			got = append(got, l.prefixes...)
			if !l.truncated {
				break
			}
			q.after = l.last
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
