package s3

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// wire writes bytes to the server, ends its side, and gives the status of the answer, or what
// went wrong.
func wire(t *testing.T, s *Server, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, text) // the server may have had enough before
	_ = conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", answer{body: string(body)}.code()))
}

func TestHostileRequests(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.Full = 10 << 20 })
	const host = " HTTP/1.1\r\nHost: x\r\n"
	for name, test := range map[string]struct{ text, want string }{
		"short body":       {"PUT /plimsoll/k" + host + "Content-Length: 100\r\n\r\nshort", "400 IncompleteBody"},
		"short large body": {"PUT /plimsoll/k" + host + "Content-Length: 1000000\r\n\r\nshort", "400 IncompleteBody"},
		"more than there is": {"PUT /plimsoll/k" + host +
			"Content-Length: 20000000\r\n\r\nshort", "507 InsufficientStorage"},
		"too large": {"PUT /plimsoll/k" + host +
			"Content-Length: 5368709121\r\n\r\nshort", "400 EntityTooLarge"},
		"huge length": {"PUT /plimsoll/k" + host +
			"Content-Length: 9223372036854775807\r\n\r\nshort", "400 EntityTooLarge"},
		"beyond":   {"PUT /plimsoll/k" + host + "Content-Length: 9223372036854775808\r\n\r\nshort", "400"},
		"negative": {"PUT /plimsoll/k" + host + "Content-Length: -1\r\n\r\nshort", "400"},
		"no length": {"PUT /plimsoll/k" + host +
			"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "411 MissingContentLength"},
		"two lengths": {"PUT /plimsoll/k" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400"},
		"decoded length": {"PUT /plimsoll/k" + host +
			"Content-Length: 5\r\nX-Amz-Content-Sha256: " +
			"STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nX-Amz-Decoded-Content-Length: -5\r\n\r\n0\r\n\r\n",
			"411 MissingContentLength"},
		"huge chunk": {"PUT /plimsoll/k" + host +
			"Content-Length: 18\r\nX-Amz-Content-Sha256: " +
			"STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nX-Amz-Decoded-Content-Length: 5\r\n\r\n7fffffffffffffff\r\n",
			"400 IncompleteBody"},
		"giant headers": {"GET /" + host + "X-A: " + strings.Repeat("a", 100_000) + "\r\n\r\n", "431"},
		"many headers":  {"GET /" + host + strings.Repeat("X-Amz-Meta-A: b\r\n", 10_000) + "\r\n", "431"},
		"many metadata": {"PUT /plimsoll/k" + host + "Content-Length: 0\r\n" +
			strings.Repeat("X-Amz-Meta-A: bbbbb\r\n", 500) + "\r\n", "400 MetadataTooLarge"},
		"bad escape":        {"GET /plimsoll/%zz" + host + "\r\n", "400"},
		"bad query":         {"GET /plimsoll/k?a=%zz" + host + "\r\n", "400 InvalidURI"},
		"bad utf-8":         {"GET /plimsoll/%ff" + host + "\r\n", "400 InvalidURI"},
		"another method":    {"BREW /plimsoll/k" + host + "\r\n", "501 NotImplemented"},
		"another level":     {"DELETE /" + host + "\r\n", "501 NotImplemented"},
		"a proxy's request": {"GET http://example.org/plimsoll/k" + host + "\r\n", "404 NoSuchKey"},
		"bucket above":      {"GET /../k" + host + "\r\n", "400 InvalidBucketName"},
		"own name":          {"PUT /_plimsoll/k" + host + "Content-Length: 0\r\n\r\n", "400 InvalidBucketName"},
		"not HTTP":          {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"},
		"silence":           {"", "no answer"},
		"half a request":    {"GET /plimsoll/k HTT", "400"},
	} {
		if got := wire(t, s, test.text); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	settle(s)
	if used := s.data.Used(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}

func TestHostileDocuments(t *testing.T) {
	s := serve(t, open)
	c := sdk(t, s)
	id := *begin(t, c, "k", awss3.CreateMultipartUploadInput{})
	part := sendPart(t, c, "k", &id, 1, noise(10), "")
	parts := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", i+1, *part.ETag)
		}
		return "<CompleteMultipartUpload>" + b.String() + "</CompleteMultipartUpload>"
	}
	bomb := `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`
	objects := func(n int) string {
		return "<Delete>" + strings.Repeat("<Object><Key>k</Key></Object>", n) + "</Delete>"
	}
	for name, test := range map[string]struct{ target, body, want string }{
		"10001 parts": {"/plimsoll/k?uploadId=" + id, parts(10001), "MalformedXML"},
		"10000 parts": {"/plimsoll/k?uploadId=" + id, parts(10000), "InvalidPart"},
		"part 10001": {"/plimsoll/k?uploadId=" +
			id, "<CompleteMultipartUpload><Part><PartNumber>10001</PartNumber></Part></CompleteMultipartUpload>",
			"InvalidArgument"},
		"part -1": {"/plimsoll/k?uploadId=" +
			id, "<CompleteMultipartUpload><Part><PartNumber>-1</PartNumber></Part></CompleteMultipartUpload>",
			"InvalidArgument"},
		"not a number": {"/plimsoll/k?uploadId=" +
			id, "<CompleteMultipartUpload><Part><PartNumber>x</PartNumber></Part></CompleteMultipartUpload>",
			"MalformedXML"},
		"no XML":  {"/plimsoll/k?uploadId=" + id, "{}", "MalformedXML"},
		"nothing": {"/plimsoll/k?uploadId=" + id, "", "MalformedXML"},
		"bomb": {"/plimsoll/k?uploadId=" + id, bomb +
			"<CompleteMultipartUpload><Part><ETag>&b;</ETag></Part></CompleteMultipartUpload>", "MalformedXML"},
		"deep": {"/plimsoll/k?uploadId=" + id, "<CompleteMultipartUpload>" +
			strings.Repeat("<a>", 100_000), "MalformedXML"},
		"5 MiB":        {"/plimsoll/k?uploadId=" + id, strings.Repeat(" ", 5<<20), "MaxMessageLengthExceeded"},
		"another root": {"/plimsoll/k?uploadId=" + id, "<Delete></Delete>", "MalformedXML"},
		"1001 keys":    {"/plimsoll?delete", objects(1001), "MalformedXML"},
		"no key":       {"/plimsoll?delete", "<Delete><Object></Object></Delete>", "MalformedXML"},
		"delete 3 MiB": {"/plimsoll?delete", strings.Repeat(" ", 3<<20), "MaxMessageLengthExceeded"},
		"delete a bomb": {"/plimsoll?delete", bomb +
			"<Delete><Object><Key>&b;</Key></Object></Delete>", "MalformedXML"},
	} {
		if got := raw(t, s, "POST", test.target, test.body).code(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	if got := raw(t, s, "POST", "/plimsoll?delete", objects(1000)); got.status != 200 {
		t.Errorf("1000 keys: %+v", got)
	}
}

// A client that declares a body and sends nothing more does not stay for ever.
func TestSilentClients(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.IdleTimeout = time.Millisecond })
	conn, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "PUT /plimsoll/k HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
	text, err := io.ReadAll(conn) // ends when the server does
	if err != nil || !strings.Contains(string(text), "RequestTimeout") {
		t.Errorf("%q, %v", text, err)
	}
	settle(s)
	if used := s.data.Used(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}

func TestTooManyRequests(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.MaxRequests = 1 })
	conn, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn,
		"PUT /plimsoll/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
	buffered := bufio.NewReader(conn)
	if line, err := buffered.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	if got := raw(t, s, "GET", "/plimsoll/k", ""); got.code() != "SlowDown" {
		t.Errorf("the second at the same time: %+v", got)
	}
	_, _ = io.WriteString(conn, "abc")
	_, _ = buffered.ReadString('\n') // the empty line
	if line, err := buffered.ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Errorf("%q, %v", line, err)
	}
}

// The end of the server cuts off what does not end by itself.
func TestShutdownIsBounded(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.ShutdownTimeout = 50 * time.Millisecond; c.Latency = time.Hour })
	conn, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn,
		"PUT /plimsoll/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	late, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = late.Close() })
	_, _ = io.WriteString(late, "GET /plimsoll/k HTTP/1.1\r\nHost: x\r\n\r\n") // is answered in an hour
	for s.admitted.Inside() < 2 {
		runtime.Gosched()
	}
}

// Over TLS the AWS client sends checksums as trailers of unsigned chunks.
func TestTrailingChecksums(t *testing.T) {
	s := serve(t, nil)
	target, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	modes := make(chan string, 10)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			modes <- r.In.Header.Get("X-Amz-Content-Sha256")
		}})
	t.Cleanup(proxy.Close)
	c := sdk(t, s, func(o *awss3.Options) {
		o.BaseEndpoint = aws.String(proxy.URL)
		o.HTTPClient = proxy.Client()
	})
	data := noise(300_000)
	for _, alg := range []types.ChecksumAlgorithm{"CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"} {
		_, err := c.PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: aws.String(DefaultBucket), Key: aws.String("k"), Body: strings.NewReader(string(data)),
			ChecksumAlgorithm: alg,
		})
		if err != nil {
			t.Fatalf("%s: %v", alg, err)
		}
		if mode := <-modes; mode != "STREAMING-UNSIGNED-PAYLOAD-TRAILER" {
			t.Errorf("%s was sent as %v", alg, mode)
		}
		if got := fetch(t, c, "k"); string(got) != string(data) {
			t.Errorf("%s: the data is not what it was", alg)
		}
		<-modes // of the request that read it
	}
}
