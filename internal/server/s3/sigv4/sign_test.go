package sigv4

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is signed of a header is what was sent, also where it stands elsewhere in a request that was received.
func TestSignedHeaders(t *testing.T) {
	r, err := http.NewRequest("PUT", "http://a.example.org/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["X-Amz-Meta-A"] = []string{" one  two\t three ", "", "four"}
	r.TransferEncoding = []string{"chunked"}
	r.Trailer = http.Header{"X-Amz-B": nil, "X-Amz-A": nil}
	c := &check{r: r}
	signed := func(length int64) string {
		r.ContentLength = length
		return c.canonicalHeaders([]string{"host", "content-length", "transfer-encoding", "trailer", "x-amz-meta-a", "none"})
	}
	for length, want := range map[int64]string{-1: "", 0: "0", 1: "1", 1234567890: "1234567890"} {
		want := "host:a.example.org\ncontent-length:" + want + "\ntransfer-encoding:chunked\ntrailer:X-Amz-A,X-Amz-B\n" +
			"x-amz-meta-a:one two three,,four\nnone:\n"
		if diff := cmp.Diff(want, signed(length)); diff != "" {
			t.Errorf("%d bytes: -want +got\n%s", length, diff)
		}
	}
}
