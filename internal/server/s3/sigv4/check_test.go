package sigv4

import (
	"net/http"
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
