package aws

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// dial connects to a server and gives up on reads that do not end.
func dial(t testing.TB, server *running) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// say writes text and reads until the server closes.
func say(t *testing.T, server *running, text string) string {
	t.Helper()
	conn := dial(t, server)
	go func() { _, _ = io.WriteString(conn, text) }() // it fails where the server has closed already
	said, _ := io.ReadAll(conn)
	return string(said)
}

// What is no request gets 400 and the end of its connection; nothing of it is answered as if
// it were one.
func TestMalformedRequestsGet400(t *testing.T) {
	server := start(t, nil)
	for name, text := range map[string]string{
		"no version":         "GET /\r\n\r\n",
		"no target":          "GET HTTP/1.1\r\n\r\n",
		"other version":      "GET / HTTP/2.0\r\n\r\n",
		"no slash":           "GET x HTTP/1.1\r\n\r\n",
		"spaces":             "GET /a b HTTP/1.1\r\n\r\n",
		"no colon":           "GET / HTTP/1.1\r\nhost\r\n\r\n",
		"no name":            "GET / HTTP/1.1\r\n: x\r\n\r\n",
		"folded":             "GET / HTTP/1.1\r\na: b\r\n c: d\r\n\r\n",
		"space before colon": "GET / HTTP/1.1\r\na : b\r\n\r\n",
		"negative length":    "PUT /b/k HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"long length":        "PUT /b/k HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"no length":          "PUT /b/k HTTP/1.1\r\nContent-Length:\r\n\r\n",
		"two lengths":        "PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"two hosts":          "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"two framings":       "PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"other coding":       "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
		"no chunk":           "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
		"endless size":       "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		"chunk too long":     "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n",
		"long line": "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("0", 2*maxLine),
		// The bound of 64 KiB is in figures here: a larger one would wait for more.
		"endless trailers": "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" +
			strings.Repeat("a: b\r\n", 64<<10),
		"long head": "GET / HTTP/1.1\r\nA: " + strings.Repeat("x", 64<<10),
		"tls":       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		if said := say(t, server, text); !strings.HasPrefix(said, "HTTP/1.1 400 Bad Request\r\n") && said != "" {
			t.Errorf("%s: %q", name, said)
		} else if said == "" && !strings.Contains(name, "endless trailers") && !strings.Contains(name, "long") {
			t.Errorf("%s: closed without a word", name) // unless bytes were left unread: that resets
		}
	}
	if seen := server.exchanges(); len(seen) != 0 {
		t.Errorf("answered %+v", seen)
	}
}

// What is a request is answered, however it comes: in one piece with others, byte by byte,
// chunked, with a long body, or by old clients.
func TestUnusualRequestsAreAnswered(t *testing.T) {
	chunked := "PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1 " +
		"\r\nc\r\n0\r\nx-amz-trailer: 1\r\n\r\n"
	long := "PUT /b/k HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 300000)
	overwriting := "POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nTransfer-Encoding: " +
		"chunked\r\n\r\n10000\r\n" +
		strings.Repeat("x", 0x10000) + "\r\n0\r\n\r\n"
	last := "GET /b/k HTTP/1.1\r\nConnection: close\r\n\r\n"
	form := "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nAction=\r\nb\r\nPublish&a=b\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		text, pieces string
		want         []string
	}{
		"pipelined": {text: headObject + overwriting + chunked + getItem + long + form + getCallerIdentity + last,
			want: []string{"HeadObject", "PutItem", "PutObject", "GetItem", "PutObject", "Publish", "GetCallerIdentity",
				"GetObject"}},
		"bytes": {pieces: headObject + chunked + getItem + form +
			last, want: []string{"HeadObject", "PutObject", "GetItem", "Publish", "GetObject"}},
		"1.0": {text: "GET /b/k HTTP/1.0\r\n\r\n", want: []string{"GetObject"}},
		"absolute": {text: "GET http://127.0.0.1/b/k HTTP/1.1\r\nconnection: CLOSE\r\n\r\n",
			want: []string{"GetObject"}},
		"in host": {text: "GET /k HTTP/1.1\r\nHost: bucket.localhost:80\r\nConnection: close\r\n\r\n",
			want: []string{"GetObject"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t, nil)
			conn := dial(t, server)
			go func() {
				_, _ = io.WriteString(conn, c.text)
				for i := range len(c.pieces) {
					_, _ = io.WriteString(conn, c.pieces[i:i+1])
				}
			}()
			said, err := io.ReadAll(conn)
			if err != nil || !bytes.HasSuffix(said, []byte("plimsoll canned object.........\n")) {
				t.Errorf("%v, %q", err, said[max(0, len(said)-300):])
			}
			var got []string
			var bytesIn int64
			for _, e := range server.exchanges() {
				got = append(got, e.Operation)
				bytesIn += e.RequestBytes
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if want := int64(len(c.text) + len(c.pieces)); bytesIn != want {
				t.Errorf("%d bytes in requests, want %d", bytesIn, want)
			}
		})
	}
}

// A client that says 100-continue hears that it may go on, and only then sends its body.
func TestExpect(t *testing.T) {
	server := start(t, nil)
	conn := dial(t, server)
	if _, err := io.WriteString(conn,
		"PUT /b/k HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for _, want := range []int{100, 200} {
		response, err := http.ReadResponse(reader, nil)
		if err != nil || response.StatusCode != want {
			t.Fatalf("%v, %v, want %d", response, err, want)
		}
		if want == 100 {
			if _, err := io.WriteString(conn, "body"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Names that are sent come back in answers, so they must not be able to say anything there.
func TestNamesAreHarmless(t *testing.T) {
	server := start(t, nil)
	evil := `<x>"&\` + "\t'%00\xff"
	for name, text := range map[string]string{
		"target": "POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810." + evil + "\r\nConnection: close\r\n\r\n",
		"action": "POST / HTTP/1.1\r\nContent-Length: 16\r\nConnection: close\r\n\r\nAction=" + evil[:9],
		"path":   "GET /v1/apps/" + evil + " HTTP/1.1\r\nConnection: close\r\n\r\n",
		"method": "G<T /b/k HTTP/1.1\r\nConnection: close\r\n\r\n",
		"topic": "POST / HTTP/1.1\r\nContent-Length: 40\r\nConnection: " +
			"close\r\n\r\nAction=CreateTopic&Name=%3Cx%3E%22%26%0d",
		"bucket": "PUT /" + evil + " HTTP/1.1\r\nConnection: close\r\n\r\n",
	} {
		said := say(t, server, text)
		_, body, found := strings.Cut(said, "\r\n\r\n")
		if !found || strings.Contains(said, "<x>") || strings.Contains(body, `"&`) ||
			strings.ContainsAny(body, "\t\x00\\%") || !utf8.ValidString(body) {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// More connections than are allowed are closed at once; those that complete nothing, later.
func TestConnectionsAreBounded(t *testing.T) {
	server := start(t, func(c *Config) { c.MaxConnections, c.IdleTimeout = 2, time.Second })
	first, second, third := dial(t, server), dial(t, server), dial(t, server)
	if _, err := io.WriteString(first, "GET / HT"); err != nil {
		t.Fatal(err)
	}
	for name, conn := range map[string]net.Conn{"one too many": third, "half a request": first, "silent": second} {
		if said, err := io.ReadAll(conn); len(said) != 0 || isTimeout(err) {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// At the end, a request that is here in full is answered, and then its connection ends.
func TestShutdownAnswers(t *testing.T) {
	for name, over := range map[string]bool{"plain": false, "http2": true} {
		t.Run(name, func(t *testing.T) {
			server := start(t, func(c *Config) { c.TLS, c.Latency = over, 100*time.Millisecond })
			client := server.client(over)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, server.URL()+"/b", nil)
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, 1)
			go func() {
				response, err := client.Do(request)
				if err == nil {
					err = response.Body.Close()
				}
				failed <- err
			}()
			for !server.router.gone.has("bucket b") { // it is carried out, and waits to be answered
				runtime.Gosched()
			}
			server.stop()
			if err := <-failed; err != nil {
				t.Error(err)
			}
		})
	}
}

// warm waits for a connection.
func warm(server *running) {
	for there := false; !there; runtime.Gosched() {
		there = server.connections.Open() > 0
	}
}

// A request that would be answered too late is cut off with the server.
func TestShutdownCuts(t *testing.T) {
	server := start(t, func(c *Config) {
		c.Latency, c.ShutdownTimeout = time.Minute, 50*time.Millisecond
	})
	conn := dial(t, server)
	if _, err := io.WriteString(conn, getItem); err != nil {
		t.Fatal(err)
	}
	warm(server)
	server.stop()
	if said, _ := io.ReadAll(conn); len(said) != 0 {
		t.Errorf("%q", said)
	}
}

// dial2 begins a connection with HTTP/2.
func dial2(t testing.TB, server *running) (*tls.Conn, *http2.Framer) {
	t.Helper()
	raw := dial(t, server)
	// it is the server that is tested
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err := conn.HandshakeContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	return conn, http2.NewFramer(conn, conn)
}

// fields encodes headers.
func fields(pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

// A connection with HTTP/2 that breaks the rules ends, and says why where it can.
func TestHTTP2Breaches(t *testing.T) {
	server := start(t, func(c *Config) { c.TLS = true })
	get := fields(":method", "GET", ":scheme", "https", ":authority", "x", ":path", "/b/k")
	for name, breach := range map[string]func(*tls.Conn, *http2.Framer){
		"no preface":     func(c *tls.Conn, _ *http2.Framer) { _, _ = c.Write(bytes.Repeat([]byte("x"), 100)) },
		"half a preface": func(c *tls.Conn, _ *http2.Framer) { _, _ = c.Write([]byte("PRI")); _ = c.CloseWrite() },
		"huge frame": preface(func(c *tls.Conn,
			_ *http2.Framer) {
			_, _ = c.Write([]byte{0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1})
		}),
		"data of nothing": preface(func(_ *tls.Conn, f *http2.Framer) { _ = f.WriteData(1, true, []byte("x")) }),
		"even stream": preface(func(_ *tls.Conn, f *http2.Framer) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 2, BlockFragment: get, EndHeaders: true,
				EndStream: true})
		}),
		"again": preface(func(_ *tls.Conn, f *http2.Framer) {
			for range 2 {
				_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: get, EndHeaders: true,
					EndStream: true})
			}
		}),
		"window overflow": preface(func(_ *tls.Conn, f *http2.Framer) {
			_ = f.WriteWindowUpdate(0, maxWindow)
		}),
		"bad hpack": preface(func(_ *tls.Conn, f *http2.Framer) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff},
				EndHeaders: true})
		}),
	} {
		conn, framer := dial2(t, server)
		breach(conn, framer)
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("%s: the connection goes on", name)
		}
	}
}

func preface(then func(*tls.Conn, *http2.Framer)) func(*tls.Conn, *http2.Framer) {
	return func(c *tls.Conn, f *http2.Framer) {
		_, _ = c.Write([]byte(http2.ClientPreface))
		_ = f.WriteSettings()
		then(c, f)
	}
}

// An answer waits for a client that takes it in small pieces, others go on meanwhile, and one
// that is called off is forgotten.
func TestHTTP2Windows(t *testing.T) {
	server := start(t, func(c *Config) { c.TLS = true })
	conn, framer := dial2(t, server)
	_, _ = conn.Write([]byte(http2.ClientPreface))
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100},
		http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
	for i, method := range []string{"GET", "GET", "HEAD"} {
		block := fields(":method", method, ":scheme", "https", ":authority", "x", ":path", "/b/k")
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block,
			EndHeaders: true, EndStream: true}); err != nil {
			t.Fatal(err)
		}
	}
	got := map[uint32]int{}
	ended := map[uint32]bool{}
	for !ended[1] || !ended[5] {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("%v: %v, %v", err, got, ended)
		}
		id := frame.Header().StreamID
		switch f := frame.(type) {
		case *http2.HeadersFrame:
			ended[id] = f.StreamEnded()
		case *http2.DataFrame:
			got[id] += len(f.Data())
			ended[id] = f.StreamEnded()
			if id == 1 && len(f.Data()) > 100 {
				t.Errorf("%d bytes at once", len(f.Data()))
			}
			if id == 1 {
				_ = framer.WriteWindowUpdate(1, uint32(len(f.Data())))
			} else if id == 3 {
				_ = framer.WriteRSTStream(3, http2.ErrCodeCancel)
			}
		}
	}
	if got[1] != objectSize || got[3] > 100 || got[5] != 0 {
		t.Errorf("bodies %v", got)
	}
}

// Requests that are called off at once still count until their time, so that a client cannot
// pile them up.
func TestHTTP2RapidReset(t *testing.T) {
	server := start(t, func(c *Config) { c.TLS, c.Latency, c.ShutdownTimeout = true, time.Minute, 50*time.Millisecond })
	conn, framer := dial2(t, server)
	_, _ = conn.Write([]byte(http2.ClientPreface))
	_ = framer.WriteSettings()
	go func() {
		for i := range uint32(2 * maxStreams) {
			// An encoder of its own each time, which refers to nothing that was sent before.
			block := fields(":method", "HEAD", ":scheme", "https", ":path", "/b/k")
			_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i +
				1, BlockFragment: block, EndHeaders: true, EndStream: true})
			_ = framer.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
		}
	}()
	for refused := 0; refused < maxStreams; {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("%v after %d were refused", err, refused)
		}
		if f, ok := frame.(*http2.RSTStreamFrame); ok {
			if f.ErrCode != http2.ErrCodeRefusedStream || f.StreamID <= 2*maxStreams {
				t.Fatalf("stream %d: %v", f.StreamID, f.ErrCode)
			}
			refused++
		}
	}
}
