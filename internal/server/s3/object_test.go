package s3

import (
	"strings"
	"testing"

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

// code is the code of a refusal, or "".
func code(err error) string {
	if err == nil {
		return ""
	}
	return refusal.Of(err).Code
}
