package sigv4

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A header is read whole or refused, and what is missing or too much is said.
func TestParseAuthorization(t *testing.T) {
	const credential, headers, signature = "Credential=K/D/R/S/T", "SignedHeaders=a;b", "Signature=00"
	const needed, words = "Credential, SignedHeaders and Signature are needed.", "The authorization header is malformed: "
	signed := func(parts ...string) string { return Algorithm + " " + strings.Join(parts, ", ") }
	names := func(n int) string { return "SignedHeaders=a" + strings.Repeat(";a", n-1) }
	for header, want := range map[string]string{
		signed(credential, headers, signature): "", signed(signature, headers, credential): "",
		Algorithm + credential + "," + headers + "," + signature: "", signed(credential, "SignedHeaders=a", signature): "",
		signed(credential, names(100), signature): "",
		signed(credential, names(101), signature): words + "More headers are signed than S3 takes.",
		signed(headers, signature):                words + needed, signed(credential, signature): words + needed,
		signed(credential, headers):                       words + needed,
		signed("Credential=/D/R/S/T", headers, signature): words + needed,
		signed(credential, headers, "Signature="):         words + needed,
		signed(credential, headers, "Signature"):          words + "A part of the header has no value.",
		signed(credential, headers, signature, "More=x"): words + "The header has a part that is neither Credential, " +
			"SignedHeaders nor Signature.",
		signed("Credential=D/R/S/T", headers, signature): words + "The Credential is not KEY/DATE/REGION/s3/aws4_request.",
		"AWS K:x": "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
		"Basic x": "Unsupported Authorization Type",
	} {
		a, refused := parseAuthorization(header)
		if refused != nil {
			if refused.Message != want || refused.Status != 400 || a.headers != nil || a.accessKey != "" {
				t.Errorf("%s: %d %q, %+v; want %q", header, refused.Status, refused.Message, a, want)
			}
			continue
		}
		if want != "" || a.accessKey != "K" || a.scope.String() != "D/R/S/T" || a.signature != "00" || a.headers[0] != "a" {
			t.Errorf("%s: %+v; want %q", header, a, want)
		}
	}
	if key, s, refused := parseCredential("K/with/slashes/D/R/S/T"); key != "K/with/slashes" || s.date != "D" || refused != nil {
		t.Errorf("%q, %+v, %v", key, s, refused)
	}
}

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
