package sigv4

import (
	"strings"
	"testing"
)

// A query is decoded in its order, and signed in that of its encoded names and values, without the signature.
func TestQueries(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "a": "a=", "a=": "a=", "b=2&a=1": "a=1&b=2", "a=2&a=1&a=10": "a=1&a=10&a=2", "&&a=1&": "a=1", "a=b=c": "a=b%3Dc",
		"a=b%20c+d": "a=b%20c%20d", "a=;b": "a=%3Bb", "=x": "=x", "a/b=/": "a%2Fb=%2F", "%41=%2F": "A=%2F", "X-Amz-Signature=0&a=1": "a=1",
		"ab=1&a=2": "a=2&ab=1", "x-amz-signature=0": "x-amz-signature=0", "a=%": "refused", "%=a": "refused", "a=1&b=%zz": "refused",
	} {
		q, refused := ParseQuery(raw)
		if refused != nil {
			if want != "refused" || q != nil || refused.Code != "InvalidURI" || refused.Status != 400 {
				t.Errorf("%q: %v, %+v", raw, q, refused)
			}
			continue
		}
		if got := q.canonical(); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	q, refused := ParseQuery("a=1&b&a=2")
	if refused != nil {
		t.Fatal(refused)
	}
	got := strings.Join([]string{q.Get("a"), q.Get("b"), q.Get("c")}, ",")
	if got != "1,," || !q.Has("a") || !q.Has("b") || q.Has("c") || q.Has("") {
		t.Errorf("%q of %v", got, q)
	}
}
