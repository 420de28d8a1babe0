package s3

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

func TestNamesOfBuckets(t *testing.T) {
	for name, good := range map[string]bool{
		"": false, "ab": false, "abc": true, strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
		"a.b": true, "a-b": true, "az09": true, "0z9a": true, "a..b": false, "a.-b": true,
		"-ab": false, "ab-": false, ".ab": false, "ab.": false, "abC": false, "Abc": false,
		"a`b": false, "a{b": false, "a/b": false, "a:b": false, "a_b": false, "a b": false, "aüb": false,
	} {
		if why := badBucketName(name); (why == "") != good {
			t.Errorf("%q: %q", name, why)
		}
	}
}

func TestStorageClasses(t *testing.T) {
	for name, want := range map[string]string{
		"": standard, "STANDARD": standard, "REDUCED_REDUNDANCY": "REDUCED_REDUNDANCY", "STANDARD_IA": "STANDARD_IA",
		"ONEZONE_IA": "ONEZONE_IA", "INTELLIGENT_TIERING": "INTELLIGENT_TIERING", "GLACIER_IR": "GLACIER_IR",
		"GLACIER": "NotImplemented", "DEEP_ARCHIVE": "NotImplemented", "OUTPOSTS": "NotImplemented",
		"SNOW": "NotImplemented", "EXPRESS_ONEZONE": "NotImplemented", "standard": "InvalidStorageClass",
	} {
		got, err := storageClass(name)
		if err != nil {
			got += err.Code
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// An object of parts has the MD5 sum of their sums, or of their names where they have none.
func TestETags(t *testing.T) {
	for want, of := range map[string][]string{
		`"59adb24ef3cdbe0297f05b395827453f-1"`: {`"d41d8cd98f00b204e9800998ecf8427e"`},
		`"b94aa3ab6cd86e46f8fc895aec1e3cc6-2"`: {`"d41d8cd98f00b204e9800998ecf8427e"`, `"d41d8cd98f00b204e9800998ecf8427e-1"`},
	} {
		var parts []*part
		for _, etag := range of {
			parts = append(parts, &part{etag: etag})
		}
		if got := etagOfParts(parts); got != want {
			t.Errorf("%q: %s, want %s", of, got, want)
		}
	}
	one, other := etagOf(&payload{}), opaqueETag()
	if one == other || len(one) != 36 || len(other) != 36 || !strings.HasSuffix(one, `-1"`) {
		t.Errorf("%s and %s", one, other)
	}
	if a, b := newID(), newID(); a == b || len(a) != 52 {
		t.Errorf("ids %s and %s", a, b)
	}
}

// What an object takes of the memory grows with all that is kept of it.
func TestCostOfObjects(t *testing.T) {
	var none object
	for what, o := range map[string]object{
		"a key": {key: "0123456789"}, "a header": {headers: map[string]string{"a": "0123456789"}},
		"a header's name": {headers: map[string]string{"0123456789": ""}}, "pieces": {pieces: make([]blob.Piece, 1)},
		"parts": {parts: make([]partInfo, 1)},
	} {
		if more := o.cost() - none.cost(); more < 10 || more > 1000 {
			t.Errorf("%s cost %d", what, more)
		}
	}
	if none.cost() < 100 {
		t.Errorf("nothing costs %d", none.cost())
	}
}

func TestEncodingsThatAreKept(t *testing.T) {
	for want, lines := range map[string][]string{
		"": {"aws-chunked", " AWS-Chunked ,"}, "gzip": {"gzip,aws-chunked"}, "gzip, br, zip": {"gzip, br", "zip"},
	} {
		if got := contentEncoding(http.Header{"Content-Encoding": lines}); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}

// Every operation that can be asked for is found, and what no table has has a name of a few.
func TestOperationsAreFound(t *testing.T) {
	s := Server{cfg: Default()}
	for _, o := range operations {
		target := map[string]string{"Service": "/", "Bucket": "/abc", "Object": "/abc/k"}[o.level]
		if o.query != "" {
			target += "?" + o.query
		}
		x := &request{s: &s, r: httptest.NewRequest(o.method, target, http.NoBody)}
		if o.header != "" {
			x.r.Header.Set(o.header, "x")
		}
		x.address()
		x.query = mustQuery(t, x.r.URL.RawQuery)
		if got := x.operation(); got.name != o.name || (got.serve == nil) != (o.serve == nil) {
			t.Errorf("%s %s is %s, want %s", o.method, target, got.name, o.name)
		}
	}
}

// What a host's name addresses, which is compared in any case and with any port.
func TestBucketsOfHosts(t *testing.T) {
	for _, tt := range []struct{ domain, host, want string }{
		{"localhost", "abc.localhost", "abc"}, {"localhost", "ABC.LocalHost:9000", "abc"}, {"localhost", "localhost:9000", ""},
		{"localhost", "a.b.localhost", "a.b"}, {"localhost", "abc.example", ""}, {"", "abc.", ""}, {"", "abc", ""},
		{"localhost", "[::1]:9000", ""},
	} {
		s := Server{cfg: Config{Domain: tt.domain}}
		if got := s.hostBucket(tt.host); got != tt.want {
			t.Errorf("%q at %q: %q, want %q", tt.host, tt.domain, got, tt.want)
		}
	}
}

// The checksums have the sizes of their values, and an order: the cheapest is used first.
func TestChecksumKinds(t *testing.T) {
	var names []string
	for i := range checksumKinds {
		k := &checksumKinds[i]
		names = append(names, k.name)
		if k.new().Size() != k.size || checksumByName(strings.ToLower(k.name)) != k || k.element != "Checksum"+k.name {
			t.Errorf("%+v", k)
		}
		for _, n := range []int{k.size - 1, k.size, k.size + 1} {
			c := checksum{value: make([]byte, n)}
			if _, err := decodeChecksum(k, c.String()); (err == nil) != (n == k.size) {
				t.Errorf("%s of %d bytes: %v", k.name, n, err)
			}
		}
		if isCRC := strings.HasPrefix(k.name, "CRC"); isCRC != (k.width > 0) || isCRC != (k.poly > 0) || isCRC && int(k.width) != 8*k.size {
			t.Errorf("%+v", k)
		}
	}
	if diff := cmp.Diff([]string{"CRC32C", "CRC32", "CRC64NVME", "SHA1", "SHA256", "SHA512"}, names); diff != "" {
		t.Error(diff)
	}
	if checksumByName("MD4") != nil || checksumByName("") != nil {
		t.Error("one that is none")
	}
	if got := (checksum{value: []byte{1}, parts: 1}); got.String() != "AQ==-1" || got.kindOfWhole() != composite {
		t.Errorf("%v, %s", got, got.kindOfWhole())
	}
}

// code is the code of a refusal, or "".
func code(err error) string {
	if err == nil {
		return ""
	}
	return refusal.Of(err).Code
}
