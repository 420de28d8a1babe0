package s3

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
)

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

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(
		"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"))
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
		c := newCatalog(&blob.Space{}, nil)
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
