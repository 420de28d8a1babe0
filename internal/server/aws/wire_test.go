package aws

import (
	"bufio"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// pair is a TCP connection, both ends of it, watched at the server's.
func pair(t *testing.T) (client net.Conn, server *wire) {
	t.Helper()
	var lc net.ListenConfig
	lc.Control = stampListener
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), accepted.Close() })
	return client, newWire(accepted, true)
}

const (
	headObject = "HEAD /bucket/key HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: aws-sdk-go-v2/1.47.7 " +
		"ua/2.1\r\nAuthorization: AWS4-HMAC-SHA256 Credential=plimsoll/20260101/us-west-2/s3/aws4_request\r\n\r\n"
	getItem = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Length: " +
		"2\r\n\r\n{}"

	getCallerIdentity = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: AWS4-HMAC-SHA256 " +
		"Credential=plimsoll/20260101/us-west-2/sts/aws4_request\r\n" +
		"Content-Length: 43\r\n\r\nAction=GetCallerIdentity&Version=2011-06-15"
)

// answering gives a function that has a connection answer the request, over and over, without
// a network.
func answering(t testing.TB, text string, observe func(Exchange)) func() {
	t.Helper()
	cfg := Default()
	cfg.Observe = observe
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	loop := &repeated{text: []byte(text)}
	c := newConn(s, loop, 1)
	c.buf = make([]byte, firstBuf)
	return func() {
		if !c.serveRequest() {
			t.Fatal("the connection ended")
		}
	}
}

// repeated is a connection on which the same request comes again and again.
type repeated struct {
	net.Conn
	text    []byte
	written int
}

func (r *repeated) Read(p []byte) (int, error)  { return copy(p, r.text), nil }
func (r *repeated) Write(p []byte) (int, error) { r.written += len(p); return len(p), nil }

// BenchmarkExchange is what a request costs the responder, without the kernel.
func BenchmarkExchange(b *testing.B) {
	for name, text := range map[string]string{"s3": headObject, "query": getCallerIdentity, "json": getItem} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for f := answering(b, text, nil); b.Loop(); {
				f()
			}
		})
	}
}

// BenchmarkRoundTrip is what it costs a client without a library, over the loopback.
func BenchmarkRoundTrip(b *testing.B) {
	server := start(b, func(c *Config) { c.Observe = nil })
	conn, err := net.Dial("tcp", server.port.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	buf := make([]byte, 4096)
	for b.Loop() {
		if _, err := conn.Write([]byte(getItem)); err != nil {
			b.Fatal(err)
		}
		if _, err := conn.Read(buf); err != nil {
			b.Fatal(err)
		}
	}
}

// roundTrip is the time of one request over conn.
func roundTrip(t testing.TB, conn net.Conn, reader *bufio.Reader) time.Duration {
	t.Helper()
	begun := time.Now()
	if _, err := conn.Write([]byte(getItem)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	body := make([]byte, response.ContentLength)
	if _, err := response.Body.Read(body); err != nil && err.Error() != "EOF" ||
		!strings.Contains(string(body), "canned") {
		t.Fatalf("%q, %v", body, err)
	}
	return took
}

// BenchmarkLatencyIsTrue compares the medians of requests to three servers in turn: they differ
// as their latencies do, whatever else the requests cost here, so that the ratio is 2.
func BenchmarkLatencyIsTrue(b *testing.B) {
	const unit = 3 * time.Millisecond
	var conns [3]net.Conn
	var readers [3]*bufio.Reader
	for i := range conns {
		server := start(b, func(c *Config) { c.Latency = time.Duration(i) * unit })
		conn, err := net.Dial("tcp", server.port.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		conns[i], readers[i] = conn, bufio.NewReader(conn)
	}
	var times [3][]time.Duration
	for b.Loop() {
		for i := range conns {
			times[i] = append(times[i], roundTrip(b, conns[i], readers[i]))
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return float64(times[i][len(times[i])/2])
	}
	none, one, two := median(0), median(1), median(2)
	b.ReportMetric((two-none)/(one-none), "ratio")
	if times[1][0] < unit || times[2][0] < 2*unit {
		b.Errorf("answers came before their time: %v, %v", times[1][0], times[2][0])
	}
}
