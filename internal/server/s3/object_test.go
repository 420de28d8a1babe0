package s3

import (
	"strings"
	"testing"
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
