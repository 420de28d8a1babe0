package aws

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/peer"

	"golang.org/x/net/http2"
)

// CloudWatch speaks three protocols; the SDK for Go uses one of them. The others' answers are
// read by their text here, and by boto3 where it still chooses them.
func TestCloudWatchProtocols(t *testing.T) {
	server := start(t, nil)
	client := server.client(false)
	form := "Action=GetMetricData&Version=2010-08-01"
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	_, _ = io.WriteString(z, form+strings.Repeat("&x=y", 10000))
	_ = z.Close()
	for name, c := range map[string]struct {
		body   string
		header http.Header
		want   string
	}{
		"query": {form, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			"<GetMetricDataResult><MetricDataResults><member><Id>m1</Id>"},
		"compressed": {compressed.String(), http.Header{"Content-Encoding": {"gzip"}},
			"<GetMetricDataResult><MetricDataResults><member><Id>m1</Id>"},
		"not gzip":   {form, http.Header{"Content-Encoding": {"br"}}, "<GetMetricDataResult>"},
		"no gzip":    {form, http.Header{"Content-Encoding": {"gzip"}}, "NotImplemented"},
		"query, put": {"Version=2010-08-01&Action=PutMetricData", nil, "<PutMetricDataResponse"},
		"json": {"{}", http.Header{"X-Amz-Target": {"GraniteServiceVersion20100801.GetMetricData"}},
			`{"MetricDataResults":[{"Id":"m1",`},
		"json, put": {"{}", http.Header{"X-Amz-Target": {"GraniteServiceVersion20100801.PutMetricData"}}, "{}"},
		"json, unknown": {"{}", http.Header{"X-Amz-Target": {"GraniteServiceVersion20100801.Other"}},
			`#UnknownOperationException","message":"plimsoll serve aws does not implement GraniteServiceVersion20100801.Other:`},
		"cbor, unknown": {"\xa0", http.Header{"Smithy-Protocol": {"rpc-v2-cbor"}}, "#UnknownOperationException"},
		"another service": {"x",
			http.Header{"Authorization": {"AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/lambda/aws4_request, " +
				"Signature=0"}},
			"plimsoll serve aws does not implement POST / of the service lambda:"},
		"another action": {"Action=ListQueues",
			http.Header{"Authorization": {"AWS4-ECDSA-P256-SHA256 Credential=a/20260101/sqs/aws4_request"}},
			"<Code>InvalidAction</Code>"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL()+"/",
			strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range c.header {
			request.Header[k] = v
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %v %s, want %s", name, err, body, c.want)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTrace(t *testing.T) {
	var out bytes.Buffer
	trace := NewTrace(&out)
	received := time.Now()
	for i := range 2 {
		trace.Observe(Exchange{
			Service: DynamoDB, Operation: "GetItem", Conn: 7, Received: received, Answering: received.Add(1000),
			Sent: received.Add(1500), ReceivedKernel: i == 0, Status: 200, RequestBytes: 99,
			Protocol: HTTP11, Agent: "curl/8.1", SentKernel: i == 0,
			Peer: peer.Reading{PID: 5 * i, Age: 6, Waited: 7, Busiest: 8, Timed: i == 1, CPU: 9},
		})
	}
	if n := testing.AllocsPerRun(100,
		func() { trace.Observe(Exchange{Received: received, Answering: received, Sent: received}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := trace.Flush(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatal(rows, err)
	}
	rest := []string{"kernel 0 6   9", "write 5 6 7 8 9"}
	for i, by := range []string{"kernel", "read"} {
		row := rows[i+1]
		var from, answering, to int64
		if _, err := fmt.Sscan(row[3], &from); err != nil {
			t.Error(err)
		}
		if _, err := fmt.Sscan(row[4], &answering); err != nil || answering-from != 1000 {
			t.Error(err, answering-from)
		}
		if _, err := fmt.Sscan(row[5], &to); err != nil {
			t.Error(err)
		}
		if got := strings.Join(append(row[:3:3], row[6:]...),
			" "); got != "DynamoDB GetItem 7 "+by+" 200 99 HTTP/1.1 curl/8.1 "+rest[i] || to-from != 1500 ||
			time.Unix(0, from).Sub(received).Abs() > time.Minute {
			t.Errorf("%q", row)
		}
	}
	full := NewTrace(failing{})
	for range 10000 {
		full.Observe(Exchange{Received: received, Answering: received, Sent: received})
	}
	if err := full.Flush(); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

// Whoever reads along has the first line at once, and each other one a second later at the latest, if there are more.
func TestTraceIsFlushedEverySecond(t *testing.T) {
	var out bytes.Buffer
	trace := NewTrace(&out)
	sent := time.Now()
	for i, want := range []int{2, 2, 4, 4} { // lines, the title among them
		if i == 2 {
			sent = sent.Add(flushEvery)
		}
		trace.Observe(Exchange{Received: sent, Answering: sent, Sent: sent})
		if n := strings.Count(out.String(), "\n"); n != want {
			t.Errorf("%d lines after request %d, want %d", n, i+1, want)
		}
	}
}

var errFull = errors.New("no room")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// What is deleted is gone until it is made again; only so much is remembered.
func TestDeletedNamesAreRemembered(t *testing.T) {
	g := newGone()
	g.add("a")
	g.add("a")
	if !g.has("a") || g.has("b") {
		t.Error("a is not gone, or b is")
	}
	g.remove("a")
	if g.has("a") {
		t.Error("a is gone")
	}
	for i := range 3 * maxGone {
		g.add(fmt.Sprint(i))
	}
	if len(g.names) > maxGone || len(g.order) > maxGone || !g.has(fmt.Sprint(3*maxGone-1)) || g.has("0") {
		t.Errorf("%d names, %d in order", len(g.names), len(g.order))
	}
}

// FuzzRequest gives a connection whatever bytes there are: it must come to an end, with
// answers that net/http can read.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		headObject, getItem, getCallerIdentity, headObject + getItem, "GET / HTTP/1.0\r\n\r\n",
		"PUT /b/k?x-id=PutObject HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n0\r\nt: v\r\n\r\n",
		"POST /service/GraniteServiceVersion20100801/operation/X HTTP/1.1\r\nSmithy-Protocol: rpc-v2-cbor\r\n\r\n",
		"POST /v1/apps/a/events HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
		"GET /?session HTTP/1.1\r\nHost: a--x-s3.h\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\nAction=X",
		"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.CreateTable\r\nContent-Length: " +
			"17\r\n\r\n{\"TableName\":\"t\"}",
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, piece uint8) {
		s, err := New(Default(), nil)
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		s.cfg.Observe = func(e Exchange) {
			answered++
			if e.Status < 200 || e.RequestBytes <= 0 || e.RequestBytes > int64(len(text)) {
				t.Errorf("%+v", e)
			}
		}
		pipe := &canned{text: text, piece: int(piece)}
		newConn(s, pipe, 1).serve()
		check(t, pipe.out.Bytes(), answered)
	})
}

// FuzzFrames gives a connection with HTTP/2 whatever bytes there are after the preface: it must
// come to an end, and leave nothing behind.
func FuzzFrames(f *testing.F) {
	var text bytes.Buffer
	framer := http2.NewFramer(&text, nil)
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1,
		BlockFragment: fields(":method", "GET", ":path", "/b/k"), EndHeaders: true, EndStream: true})
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: fields(":method", "POST", ":path", "/"),
		EndHeaders: true})
	_ = framer.WriteData(3, true, []byte("Action=Publish"))
	_ = framer.WriteWindowUpdate(1, 100)
	_ = framer.WriteWindowUpdate(0, 100)
	_ = framer.WritePing(false, [8]byte{})
	_ = framer.WriteRSTStream(1, http2.ErrCodeCancel)
	_ = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
	f.Add(text.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := New(Default(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.cfg.Observe = func(e Exchange) {
			if e.Status < 200 || e.RequestBytes <= 0 || e.RequestBytes > int64(len(text)) {
				t.Errorf("%+v", e)
			}
		}
		c := newConn(s, &canned{text: append([]byte(http2.ClientPreface), text...)}, 1)
		serveHTTP2(c)
		if c.stream.(*wire).Conn.(*canned).out.Len() == 0 {
			t.Error("not a word")
		}
	})
}

// check reads the answers by net/http. It cannot know which of them were to HEAD, so it looks
// at where each begins.
func check(t *testing.T, out []byte, answered int) {
	t.Helper()
	heads := 0
	for line := range bytes.SplitSeq(out, []byte("\r\n")) {
		if _, rest, found := bytes.Cut(line, []byte("HTTP/1.1 ")); found && !bytes.HasPrefix(rest, []byte("100 ")) {
			heads++
		}
		if bytes.ContainsAny(line, "\x00") {
			t.Errorf("%q", line)
		}
	}
	// One more may be 400, at the end.
	if heads != answered && heads != answered+1 {
		t.Errorf("%d answers to %d requests: %q", heads, answered, out)
	}
}

// canned is a connection with a text to read.
type canned struct {
	repeated
	text  []byte
	piece int
	out   bytes.Buffer
}

func (c *canned) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := len(p)
	if c.piece > 0 {
		n = min(n, c.piece)
	}
	n = copy(p[:n], c.text)
	c.text = c.text[n:]
	return n, nil
}

func (c *canned) Write(p []byte) (int, error) { return c.out.Write(p) }
