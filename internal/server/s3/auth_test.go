package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

// answer is what a request without a client library gets.
type answer struct {
	status int
	header http.Header
	body   string
}

// code is the code of an error.
func (a answer) code() string {
	_, rest, found := strings.Cut(a.body, "<Code>")
	if !found {
		return ""
	}
	code, _, _ := strings.Cut(rest, "</Code>")
	return code
}

// raw sends a request as it is. A header without a value is left out.
func raw(t testing.TB, s *Server, method, target, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		} else if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := httpClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// The examples of the S3 API reference were made with these.
const (
	exampleKey    = "AKIAIOSFODNN7EXAMPLE"
	exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	exampleScope  = exampleKey + "/20130524/us-east-1/s3/aws4_request"
	exampleDate   = "20130524T000000Z"
)

// exampleServer is where and when the examples were signed.
func exampleServer(t testing.TB, change ...func(*Config)) *Server {
	t.Helper()
	return serve(t, func(c *Config) {
		c.AccessKey, c.SecretKey, c.Bucket, c.Domain = exampleKey, exampleSecret, "examplebucket", "s3.amazonaws.com"
		c.ClockSkew = time.Until(time.Date(2013, 5, 24, 0, 0, 30, 0, time.UTC))
		for _, f := range change {
			f(c)
		}
	})
}

// Requests of the S3 API reference, with the signatures that it prints.
func TestPublishedSignatures(t *testing.T) {
	s := exampleServer(t)
	signed := func(headers, signature string) string {
		return sigv4.Algorithm + " Credential=" + exampleScope + ",SignedHeaders=" + headers + ",Signature=" + signature
	}
	host := []string{"Host", "examplebucket.s3.amazonaws.com", "X-Amz-Date", exampleDate}
	got := raw(t, s, "PUT", "/test$file.text", "Welcome to Amazon S3.", append(host[:2:2],
		"Date", "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Date", exampleDate, "X-Amz-Storage-Class", "REDUCED_REDUNDANCY",
		"X-Amz-Content-Sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
		"Authorization", signed("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))...)
	if got.status != 200 {
		t.Errorf("PUT: %+v", got)
	}
	got = raw(t, s, "GET", "/test.txt", "",
		append(host, "Range", "bytes=0-9", "X-Amz-Content-Sha256", sigv4.EmptySHA256,
			"Authorization", signed("host;range;x-amz-content-sha256;x-amz-date",
				"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))...)
	if got.code() != "NoSuchKey" { // the signature is fine
		t.Errorf("GET: %+v", got)
	}
	got = raw(t, s, "GET", "/?lifecycle", "", append(host, "X-Amz-Content-Sha256", sigv4.EmptySHA256,
		"Authorization", signed("host;x-amz-content-sha256;x-amz-date",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))...)
	if got.code() != "NotImplemented" {
		t.Errorf("GET lifecycle: %+v", got)
	}
	got = raw(t, s, "GET", "/?max-keys=2&prefix=J", "", append(host, "X-Amz-Content-Sha256", sigv4.EmptySHA256,
		"Authorization", signed("host;x-amz-content-sha256;x-amz-date",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))...)
	if got.status != 200 {
		t.Errorf("list: %+v", got)
	}
	got = raw(t, s, "GET",
		"/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404", "", host[:2]...)
	if got.code() != "NoSuchKey" {
		t.Errorf("presigned: %+v", got)
	}
}

// chunkedExample is the chunked upload of the S3 API reference, with a signature changed on
// request.
func chunkedExample(s *Server, t testing.TB, trailer bool, wrong int) answer {
	t.Helper()
	mode, length := "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", 66824
	headers := "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class"
	signatures := []string{
		"4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
		"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
		"0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
		"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
	}
	if trailer {
		mode += "-TRAILER"
		headers = "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer"
		signatures = []string{
			"106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
			"b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
			"1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
			"2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
			"d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435",
		}
	}
	if wrong >= 0 {
		signatures[wrong] = strings.Repeat("0", 64)
	}
	var body strings.Builder
	fmt.Fprintf(&body, "10000;chunk-signature=%s\r\n%s\r\n", signatures[1], strings.Repeat("a", 65536))
	fmt.Fprintf(&body, "400;chunk-signature=%s\r\n%s\r\n", signatures[2], strings.Repeat("a", 1024))
	fmt.Fprintf(&body, "0;chunk-signature=%s\r\n", signatures[3])
	announced := ""
	if trailer {
		announced = "x-amz-checksum-crc32c"
		fmt.Fprintf(&body, "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:%s\r\n", signatures[4])
	}
	body.WriteString("\r\n")
	if !trailer && body.Len() != length {
		t.Fatalf("the example has %d bytes, want %d", body.Len(), length)
	}
	return raw(t, s, "PUT", "/examplebucket/chunkObject.txt", body.String(), "Host", "s3.amazonaws.com",
		"X-Amz-Date", exampleDate, "X-Amz-Storage-Class", "REDUCED_REDUNDANCY", "Content-Encoding", "aws-chunked",
		"X-Amz-Content-Sha256", mode, "X-Amz-Decoded-Content-Length", "66560", "X-Amz-Trailer", announced,
		"Authorization", sigv4.Algorithm+" Credential="+exampleScope+",SignedHeaders="+headers+",Signature="+
			signatures[0])
}

func TestPublishedChunks(t *testing.T) {
	s := exampleServer(t)
	for _, trailer := range []bool{false, true} {
		last := 3
		if trailer {
			last = 4
		}
		if got := chunkedExample(s, t, trailer, -1); got.status != 200 {
			t.Errorf("trailer %t: %+v", trailer, got)
		}
		for wrong := 0; wrong <= last; wrong++ {
			if got := chunkedExample(s, t, trailer, wrong); got.code() != "SignatureDoesNotMatch" {
				t.Errorf("trailer %t, signature %d wrong: %+v", trailer, wrong, got)
			}
		}
	}
	if used := s.data.Used(); used != 66560 {
		t.Errorf("%d bytes are used", used)
	}
}

func TestWrongCredentials(t *testing.T) {
	s := serve(t, func(c *Config) { c.Region = "eu-central-1" })
	try := func(change func(*awss3.Options)) string {
		_, err := sdk(t, s, change).HeadBucket(t.Context(), &awss3.HeadBucketInput{Bucket: aws.String(DefaultBucket)})
		if err == nil {
			return ""
		}
		_, err = sdk(t, s, change).ListObjectsV2(t.Context(),
			&awss3.ListObjectsV2Input{Bucket: aws.String(DefaultBucket)})
		if err != nil && strings.Contains(err.Error(), DefaultSecretKey) {
			t.Errorf("the error holds the secret: %v", err)
		}
		return codeOf(err)
	}
	as := func(key, secret, token string) func(*awss3.Options) {
		return func(o *awss3.Options) { o.Credentials = credentials.NewStaticCredentialsProvider(key, secret, token) }
	}
	got := []string{
		try(func(*awss3.Options) {}),
		try(as("nobody", DefaultSecretKey, "")),
		try(as(DefaultAccessKey, "wrong", "")),
		try(as(DefaultAccessKey, DefaultSecretKey, "token")),
		try(func(o *awss3.Options) { o.Region = "us-west-2" }),
		try(func(o *awss3.Options) { o.Credentials = aws.AnonymousCredentials{} }),
	}
	want := []string{"", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "AuthorizationHeaderMalformed",
		"AccessDenied"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	region := raw(t, s, "GET", "/", "", "X-Amz-Content-Sha256", sigv4.EmptySHA256, "X-Amz-Date", time.Now().UTC().
		Format(sigv4.TimeFormat),
		"Authorization", sigv4.Algorithm+" Credential="+DefaultAccessKey+"/"+time.Now().UTC().
			Format("20060102")+"/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00")
	if !strings.Contains(region.body, "<Region>eu-central-1</Region>") {
		t.Errorf("the right region is not named: %s", region.body)
	}
}

func TestSessionToken(t *testing.T) {
	s := serve(t, func(c *Config) { c.SessionToken = "tok/en+=" })
	put(t, sdk(t, s), "k", noise(10))
	other := sdk(t, s, func(o *awss3.Options) {
		o.Credentials = credentials.NewStaticCredentialsProvider(DefaultAccessKey, DefaultSecretKey, "")
	})
	_, err := other.ListBuckets(t.Context(), nil)
	wantCode(t, err, "InvalidToken")
}

func TestClockSkew(t *testing.T) {
	for skew, want := range map[time.Duration]string{
		14 * time.Minute: "", -14 * time.Minute: "", 16 * time.Minute: "RequestTimeTooSkewed",
		-16 * time.Minute: "RequestTimeTooSkewed",
	} {
		s := serve(t, func(c *Config) { c.ClockSkew = skew })
		_, err := sdk(t, s).ListBuckets(t.Context(), nil)
		wantCode(t, err, want)
		// A client that tries again learns the time from the header Date.
		c := sdk(t, s, func(o *awss3.Options) { o.Retryer = retry.NewStandard() })
		if _, err := c.ListBuckets(t.Context(), nil); err != nil {
			t.Errorf("%v: %v", skew, err)
		}
	}
}

func TestAnonymous(t *testing.T) {
	s := serve(t, func(c *Config) { c.Anonymous = true })
	if got := raw(t, s, "PUT", "/plimsoll/k", "data"); got.status != 200 {
		t.Errorf("%+v", got)
	}
	if got := raw(t, s, "GET", "/plimsoll/k", ""); got.body != "data" {
		t.Errorf("%+v", got)
	}
	// A signature is checked nevertheless.
	c := sdk(t, s, func(o *awss3.Options) { o.Credentials = credentials.NewStaticCredentialsProvider("a", "b", "") })
	_, err := c.ListBuckets(t.Context(), nil)
	wantCode(t, err, "InvalidAccessKeyId")
	if got := raw(t, s, "PUT", "/plimsoll/k", "0\r\n\r\n", "X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
		"X-Amz-Decoded-Content-Length", "0"); got.code() != "AccessDenied" {
		t.Errorf("signed chunks of nobody: %+v", got)
	}
}

func TestPresigned(t *testing.T) {
	s := serve(t, nil)
	c := sdk(t, s)
	p := awss3.NewPresignClient(c)
	in := &awss3.GetObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("a b")}
	write, err := p.PresignPutObject(t.Context(), &awss3.PutObjectInput{Bucket: in.Bucket, Key: in.Key})
	if err != nil {
		t.Fatal(err)
	}
	if got := raw(t, s, "PUT", strings.TrimPrefix(write.URL, s.URL()), "hello"); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	read, err := p.PresignGetObject(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	target := strings.TrimPrefix(read.URL, s.URL())
	if got := raw(t, s, "GET", target, ""); got.body != "hello" {
		t.Errorf("%+v", got)
	}
	got := []string{
		raw(t, s, "GET", strings.Replace(target, "a%20b", "a%20c", 1), "").code(),
		raw(t, s, "DELETE", target, "").code(),
		raw(t, s, "GET", target+"&response-content-type=text/html", "").code(),
		raw(t, s, "GET", strings.Replace(target, "Expires=900", "Expires=901", 1), "").code(),
		raw(t, s, "GET", strings.Replace(target, "Expires=900", "Expires=9000000", 1), "").code(),
		raw(t, s, "GET", target, "", "X-Amz-Meta-A", "1").code(),
		raw(t, s, "GET", target, "", "Authorization", "AWS4-HMAC-SHA256 x").code(),
		raw(t, s, "GET", "/plimsoll/a?AWSAccessKeyId=x&Signature=y&Expires=1", "").code(),
		presignedAt(t, s, -time.Hour), presignedAt(t, s, time.Hour), presignedAt(t, s, -800*time.Second),
	}
	want := []string{
		"SignatureDoesNotMatch", "SignatureDoesNotMatch", "SignatureDoesNotMatch", "SignatureDoesNotMatch",
		"AuthorizationQueryParametersError", "AccessDenied", "InvalidArgument", "InvalidRequest",
		"AccessDenied", "AccessDenied", "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// presignedAt is what a URL gets that was signed at another time, and is valid for 900 s.
func presignedAt(t *testing.T, s *Server, when time.Duration) string {
	t.Helper()
	req, err := http.NewRequest("GET", s.URL()+"/plimsoll/a%20b?X-Amz-Expires=900", nil)
	if err != nil {
		t.Fatal(err)
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	url, _, err := signer.PresignHTTP(t.Context(),
		aws.Credentials{AccessKeyID: DefaultAccessKey, SecretAccessKey: DefaultSecretKey},
		req, sigv4.UnsignedBody, "s3", DefaultRegion, time.Now().Add(when))
	if err != nil {
		t.Fatal(err)
	}
	return raw(t, s, "GET", strings.TrimPrefix(url, s.URL()), "").code()
}

func TestSignedPayload(t *testing.T) {
	s := serve(t, nil)
	send := func(digest, body string, more ...string) string {
		req, err := http.NewRequest("PUT", s.URL()+"/plimsoll/k", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Amz-Content-Sha256", digest)
		for i := 0; i < len(more); i += 2 {
			req.Header.Set(more[i], more[i+1])
		}
		creds := aws.Credentials{AccessKeyID: DefaultAccessKey, SecretAccessKey: DefaultSecretKey}
		signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
		if err := signer.SignHTTP(context.Background(), creds, req, digest, "s3", DefaultRegion,
			time.Now()); err != nil {
			t.Fatal(err)
		}
		resp, err := httpClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return answer{body: string(text)}.code()
	}
	trailer := "5\r\nhello\r\n0\r\nx-amz-checksum-crc32c:%s\r\n\r\n"
	unsigned := []string{"X-Amz-Decoded-Content-Length", "5", "X-Amz-Trailer", "x-amz-checksum-crc32c"}
	streaming := "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	got := []string{
		send(hexSHA256([]byte("hello")), "hello"),
		send(hexSHA256([]byte("hello")), "hellO"),
		send(sigv4.UnsignedBody, "hello"),
		send("nonsense", "hello"),
		send(hexSHA256([]byte("hello")), "hello", "Content-Md5", "XUFAKrxLKna5cZ2REBfFkg=="),
		send(hexSHA256([]byte("hello")), "hello", "Content-Md5", "XUFAKrxLKna5cZ2REBfFkA=="),
		send(sigv4.UnsignedBody, "hello", "Content-Md5", "XUFA"),
		send(sigv4.UnsignedBody, "hello", "X-Amz-Checksum-Crc32c", "mnG7TA=="),
		send(sigv4.UnsignedBody, "hello", "X-Amz-Checksum-Crc32c", "mnG7TQ=="),
		send(sigv4.UnsignedBody, "hello", "X-Amz-Checksum-Crc32", "NhCmhg=="),
		send(sigv4.UnsignedBody, "hello", "X-Amz-Checksum-Crc32c", "mnG7TA==", "X-Amz-Checksum-Crc32", "NhCmhg=="),
		send(streaming, fmt.Sprintf(trailer, "mnG7TA=="), unsigned...),
		send(streaming, fmt.Sprintf(trailer, "AAAAAA=="), unsigned...),
		send(streaming, "5\r\nhello\r\n0\r\n\r\n", unsigned...),
		send(streaming, "4\r\nhell\r\n0\r\n\r\n", unsigned...),
		send(streaming, "6\r\nhello!\r\n0\r\n\r\n", unsigned...),
		send(streaming, "hello\r\n", unsigned...),
		send(streaming, "5\r\nhello\r\n0\r\n\r\n"),
		send("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "", "X-Amz-Decoded-Content-Length", "0"),
	}
	want := []string{
		"", "XAmzContentSHA256Mismatch", "", "InvalidArgument", "", "BadDigest", "InvalidDigest",
		"", "BadDigest", "", "InvalidRequest", "", "BadDigest", "MalformedTrailerError",
		"IncompleteBody", "IncompleteBody", "InvalidRequest", "MissingContentLength", "NotImplemented",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.data.Used() != 5 {
		t.Errorf("%d bytes are used", s.data.Used())
	}
}

// What the server did is told to those alone who sign, or have its keys; that it is there, to everybody, and no more.
func TestMetricsNeedASignature(t *testing.T) {
	s := serve(t, nil)
	const metrics, health = "/_plimsoll/metrics", "/_plimsoll/health"
	for name, test := range map[string]struct {
		authorization string
		status        int
	}{
		"nothing": {"", 401}, "the keys": {keys, 200}, "a wrong secret": {"Basic cGxpbXNvbGw6cGxpbXNvbGw=", 401},
		"no secret": {"Basic cGxpbXNvbGw6", 401}, "another": {"Bearer x", 401},
		"no signature": {"AWS4-HMAC-SHA256 Credential=plimsoll/20260101/us-east-1/s3/aws4_request", 401},
	} {
		got := raw(t, s, "GET", metrics, "", "Authorization", test.authorization)
		if got.status != test.status || strings.Contains(got.body, "plimsoll_s3_") != (test.status == 200) {
			t.Errorf("%s: %d %.200s", name, got.status, got.body)
		}
	}
	if got := raw(t, s, "GET", health, ""); got.status != 200 || strings.TrimSpace(got.body) != `{"status":"UP"}` {
		t.Errorf("health: %+v", got)
	}
	signer := awss3.NewPresignClient(sdk(t, s))
	signed, err := signer.PresignGetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String("_plimsoll"), Key: aws.String("metrics")})
	if err != nil {
		t.Fatal(err)
	}
	if got := raw(t, s, "GET", strings.TrimPrefix(signed.URL, s.URL()), ""); got.status != 200 {
		t.Errorf("signed: %d %.200s", got.status, got.body)
	}
	if got := raw(t, serve(t, open), "GET", metrics, ""); got.status != 200 {
		t.Errorf("of a server that asks for no signature: %d", got.status)
	}
}

// A bucket can be part of the host's name.
func TestVirtualHosts(t *testing.T) {
	s := serve(t, nil)
	port := s.port.Addr().(*net.TCPAddr).Port
	c := sdk(t, s, func(o *awss3.Options) {
		o.UsePathStyle = false
		o.BaseEndpoint = aws.String(fmt.Sprintf("http://localhost:%d", port))
		transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.port.Addr().String())
		}}
		t.Cleanup(transport.CloseIdleConnections)
		o.HTTPClient = &http.Client{Transport: transport}
	})
	put(t, c, "plimsoll/k", []byte("x"))
	if got := fetch(t, c, "plimsoll/k"); !bytes.Equal(got, []byte("x")) {
		t.Errorf("%q", got)
	}
	put(t, c, "_plimsoll/health", []byte("a key like any other"))
	if got := fetch(t, c, "_plimsoll/health"); string(got) != "a key like any other" {
		t.Errorf("%q", got)
	}
	if got := fetch(t, sdk(t, s), "plimsoll/k"); !bytes.Equal(got, []byte("x")) {
		t.Errorf("by path: %q", got)
	}
}

func hexSHA256(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
