package sigv4

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// exampleGet is "GET Object" of the S3 API reference, signed for a scope.
func exampleGet(t *testing.T, scope, signature string) (*http.Request, *Identity) {
	t.Helper()
	r, err := http.NewRequest("GET", "http://examplebucket.s3.amazonaws.com/test.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Range", "bytes=0-9")
	r.Header.Set("X-Amz-Date", exampleDate)
	r.Header.Set("X-Amz-Content-Sha256", EmptySHA256)
	r.Header.Set("Authorization", Algorithm+" Credential="+scope+
		",SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature="+signature)
	return r, &Identity{
		AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1",
	}
}

// The signature of the reference is taken, and no other one: not with any of its digits changed, and not without one.
func TestEveryDigitOfASignature(t *testing.T) {
	const published = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
	now, err := time.Parse(TimeFormat, exampleDate)
	if err != nil {
		t.Fatal(err)
	}
	code := func(signature string) string {
		r, id := exampleGet(t, exampleScope, signature)
		if _, refused := id.Check(r, nil, now); refused != nil {
			return refused.Code
		}
		return ""
	}
	if got := code(published); got != "" {
		t.Fatalf("the published one: %s", got)
	}
	for i := range published {
		other := "0"
		if published[i] == '0' {
			other = "1"
		}
		if got := code(published[:i] + other + published[i+1:]); got != "SignatureDoesNotMatch" {
			t.Errorf("digit %d changed: %q", i, got)
		}
	}
	for _, signature := range []string{published[:63], published + "0", strings.ToUpper(published)} {
		if got := code(signature); got != "SignatureDoesNotMatch" {
			t.Errorf("%s: %q", signature, got)
		}
	}
}

// What was signed for another day, or for no whole day, is refused, however well it is signed.
func TestDateOfTheScope(t *testing.T) {
	now, err := time.Parse(TimeFormat, exampleDate)
	if err != nil {
		t.Fatal(err)
	}
	for date, want := range map[string]string{
		"20130524": "", "20130523": "AuthorizationHeaderMalformed", "2013052": "AuthorizationHeaderMalformed",
		"": "AuthorizationHeaderMalformed", "20130524T": "AuthorizationHeaderMalformed",
	} {
		s := scope{date, "us-east-1", service, terminator}
		r, id := exampleGet(t, id(s), "unsigned")
		a, refused := parseAuthorization(r.Header.Get("Authorization"))
		if refused != nil {
			t.Fatal(refused)
		}
		signature := (&check{r: r}).signature(signingKey(id.SecretKey, s), exampleDate, &a, EmptySHA256)
		r, id = exampleGet(t, a.accessKey+"/"+s.String(), signature)
		code := ""
		if _, refused := id.Check(r, nil, now); refused != nil {
			code = refused.Code
		}
		if code != want {
			t.Errorf("%q: %q, want %q", date, code, want)
		}
	}
}

// id is a credential.
func id(s scope) string { return "AKIAIOSFODNN7EXAMPLE/" + s.String() }

// The presigned URL of the reference is taken for the day for which it was made, and says nothing of a body.
func TestThePresignedURLOfTheReference(t *testing.T) {
	query, refused := ParseQuery("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F" +
		"us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&" +
		"X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
	if refused != nil {
		t.Fatal(refused)
	}
	began := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]string{0: "", 24 * time.Hour: "", 24*time.Hour + 1: "AccessDenied"} {
		r, id := exampleGet(t, exampleScope, "")
		r.Header = nil
		code := ""
		signed, refused := id.Check(r, query, began.Add(after))
		if refused != nil {
			code = refused.Code
		}
		if code != want || want == "" && signed.PayloadHash != "UNSIGNED-PAYLOAD" {
			t.Errorf("after %v: %q, %+v; want %q", after, code, signed, want)
		}
	}
}
