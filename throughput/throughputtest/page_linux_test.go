package throughputtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/plimsoll/plimsoll/throughput/awsthroughput"
)

// The functions up to TestPage stand in docs/throughput.md as they stand here.

func observed(observer throughput.Observer) *http.Client {
	return &http.Client{Transport: throughput.Wrap(http.DefaultTransport, observer)}
}

func putObject(ctx context.Context, cfg aws.Config, bucket, key string, body io.ReadSeeker) error {
	cfg.HTTPClient = &http.Client{
		Transport: throughput.Wrap(awshttp.NewBuildableClient().GetTransport(), nil),
		// Only the SDK's own client takes the session token off when it goes to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	cfg.APIOptions = append(cfg.APIOptions, awsthroughput.Middleware)
	observer := throughput.ObserverFunc(func(ctx context.Context, t *throughput.Timeline) {
		call, _ := awsthroughput.From(ctx)
		fmt.Printf("%s %s, attempt %d: status %d, %d bytes\n",
			call.Service, call.Operation, call.Attempt, t.Status, t.RequestBytes)
		if rate, ok := t.WriteThroughputDelivered(); ok {
			fmt.Printf("delivered at %.1f MB/s (%s)\n", rate/1e6, t.WriteQuality())
		}
	})
	_, err := s3.NewFromConfig(cfg).PutObject(
		throughput.WithObserver(ctx, observer), // the attempts of this call, its retries too
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: body})
	return err
}

func upload(ctx context.Context, url string, body io.Reader) error {
	client := &http.Client{
		Transport: throughput.Wrap(http.DefaultTransport, throughput.ObserverFunc(report)),
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close() // the attempt is over soon after, and report gets its timeline
}

func report(_ context.Context, t *throughput.Timeline) {
	fmt.Println("quality:", t.WriteQuality())
	for _, rate := range t.Rates() {
		fmt.Printf("%-27s %8.1f MB/s\n", rate.Name, rate.Value/1e6)
	}
	for _, d := range t.Durations() {
		fmt.Printf("%-27s %8.1f ms\n", d.Name, d.Value.Seconds()*1e3)
	}
}

func deliver(ctx context.Context, conn *throughput.Conn, host string, body []byte) error {
	conn.Begin(ctx, throughput.Request{Method: "PUT", Host: host, ContentLength: int64(len(body))})
	fmt.Fprintf(conn, "PUT / HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", host, len(body))
	conn.BodyBegins()
	n, err := conn.Write(body)
	conn.RequestEnds(int64(n), err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		conn.Fail(err)
		return err
	}
	conn.AnswerBegins(throughput.Answer{Proto: answer.Proto, Status: answer.StatusCode, Length: answer.ContentLength})
	read, err := io.Copy(io.Discard, answer.Body)
	conn.AnswerEnds(read, err)
	return err
}

func push(tunnel io.Writer, source io.Reader) error {
	w := throughput.NewWriter(tunnel)
	_, err := io.Copy(w, source)
	p := w.Progress()
	if rate, ok := p.Throughput(); ok {
		fmt.Printf("%d bytes in %d writes, %.1f MB/s\n", p.Bytes, p.Calls, rate/1e6)
	}
	return err
}

// TestPage runs the examples of docs/throughput.md over a link of 100 Mbit/s, compares their text, and
// their output but for the digits.
func TestPage(t *testing.T) {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	page := readPage(t)
	body := make([]byte, 4<<20)
	for _, example := range []struct {
		name      string
		functions []string
		attempts  int
		run       func(ctx context.Context, server string) error
	}{
		{"aws", []string{"putObject"}, 2, func(ctx context.Context, server string) error {
			return putObject(ctx, aws.Config{
				Region: "eu-west-1", BaseEndpoint: aws.String(server),
				Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
			}, "127-0-0-1", "key", bytes.NewReader(body))
		}},
		{"http", []string{"upload", "report"}, 1, func(ctx context.Context, server string) error {
			return upload(ctx, server, bytes.NewReader(body))
		}},
		{"conn", []string{"deliver"}, 1, func(ctx context.Context, server string) error {
			return deliverOver(ctx, strings.TrimPrefix(server, "http://"), body)
		}},
		{"custom", []string{"push"}, 0, func(context.Context, string) error {
			return pushToSink(t, body)
		}},
	} {
		t.Run(example.name, func(t *testing.T) {
			code, output := pageExample(t, page, example.name)
			compareCode(t, code, example.functions...)
			var want []string
			printed := capture(t, func() int {
				over := make(chan *throughput.Timeline, 16) // more than there can be
				ctx := throughput.WithObserver(t.Context(),
					throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
				if err := example.run(ctx, serveThrottled(t)); err != nil {
					t.Fatal(err)
				}
				want = known(output, over, example.attempts)
				return len(want)
			})
			t.Logf("\n%s", printed)
			got := strings.Split(strings.TrimSuffix(masked(printed), "\n"), "\n")
			if example.attempts > 1 { // the end of one may be told after that of the next
				slices.Sort(want)
				slices.Sort(got)
			}
			if !slices.Equal(want, got) {
				t.Errorf("docs/throughput.md shows\n%s\nand it printed\n%s", output, printed)
			}
		})
	}
}

// The first example of the page prints nothing. There is no other one that nobody runs.
func TestPageBegins(t *testing.T) {
	page := readPage(t)
	code, _ := pageExample(t, page, "client")
	compareCode(t, code, "observed")
	over := make(chan *throughput.Timeline, 1)
	client := observed(throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	resp, err := client.Get(serveThrottled(t))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got := <-over; got.Method != http.MethodGet || got.Status != http.StatusOK {
		t.Errorf("observed %s %d", got.Method, got.Status)
	}
	if n := strings.Count(page, "<!-- throughput: "); n != 5 {
		t.Errorf("docs/throughput.md has %d examples, and 5 are run here", n)
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "throughput.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// compareCode holds the code of an example to the functions that run here.
func compareCode(t *testing.T, code string, functions ...string) {
	t.Helper()
	for _, name := range functions {
		if source := functionSource(t, name); !strings.Contains(code, source) {
			t.Errorf("docs/throughput.md has not what runs here:\n%s", source)
		}
	}
}

// known is what an example shows, masked, but for figures that these attempts do not have: on a
// machine that is busy elsewhere the end of the drain may be seen only with the answer, and the
// server's time be absent, or the delivered rate, as they should be.
func known(output string, over <-chan *throughput.Timeline, attempts int) (lines []string) {
	list := make([]*throughput.Timeline, attempts)
	for i := range list {
		list[i] = <-over
	}
	seen := map[string]int{}
	for line := range strings.Lines(masked(output)) {
		name, _, _ := strings.Cut(line, " ")
		at := seen[name]
		seen[name]++
		has := true
		switch name {
		case "delivered", "write_throughput_delivered":
			_, has = list[at].WriteThroughputDelivered()
		case "server_time":
			_, has = list[at].ServerTime()
		}
		if has {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// deliverOver runs deliver over a connection whose attempts are reported.
func deliverOver(ctx context.Context, host string, body []byte) error {
	c, err := net.Dial("tcp", host)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	transport := &throughput.Transport{Observer: throughput.ObserverFunc(report)}
	return deliver(ctx, transport.NewConn(c), host, body)
}

// pushToSink runs push over a connection that is no HTTP.
func pushToSink(t *testing.T, body []byte) error {
	l := newThrottle(t, 100e6)
	defer func() { _ = l.Close() }()
	done := make(chan struct{})
	defer func() { <-done }()
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		_ = l.Close() // ends the waiting for it
		return err
	}
	defer func() { _ = c.Close() }()
	return push(c, struct{ io.Reader }{bytes.NewReader(body)})
}

// masked leaves out what differs from run to run: numbers, their widths, and what a machine that may be
// busy elsewhere lets be told of a body that was sent whole: within 5 %, less surely, or that the client
// itself was waited for.
func masked(s string) string {
	s = regexp.MustCompile(` *[0-9.]+`).ReplaceAllString(s, " N")
	told := fmt.Sprintf(`(quality: |\()(%s|%s|%s)(\)|\n)`, throughput.OK, throughput.BelowResolution, throughput.Paced)
	return regexp.MustCompile(told).ReplaceAllString(s, "${1}Q${3}")
}

// serveThrottled is a server that is busy for the first request to a bucket, as stores are.
func serveThrottled(t *testing.T) string {
	var requests atomic.Int64
	l := newThrottle(t, 100e6)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 && strings.HasSuffix(r.URL.Path, "/key") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		time.Sleep(serverDelay) // a store's: without one, the answer and the last acknowledgement come as one
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + l.Addr().String()
}

// capture returns what f prints, and what is printed after it until there are as many lines as it
// says.
func capture(t *testing.T, f func() (lines int)) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	lines := f()
	var text strings.Builder
	from := bufio.NewReader(r)
	for ; lines > 0; lines-- {
		line, err := from.ReadString('\n')
		text.WriteString(line)
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	rest, _ := io.ReadAll(from)
	_ = r.Close()
	return text.String() + string(rest)
}

// pageExample is the Go code and the output that follow the mark of an example.
func pageExample(t *testing.T, page, name string) (code, output string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "<!-- throughput: "+name+" -->")
	_, rest, isCode := strings.Cut(rest, "```go\n")
	code, rest, _ = strings.Cut(rest, "```\n")
	_, rest, hasOutput := strings.Cut(rest, "```text\n")
	output, _, _ = strings.Cut(rest, "```\n")
	if !found || !isCode || !hasOutput {
		t.Fatalf("docs/throughput.md has no example %s with its output", name)
	}
	return code, output
}

func functionSource(t *testing.T, name string) string {
	t.Helper()
	const file = "page_linux_test.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return string(source[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset])
		}
	}
	t.Fatalf("there is no function %s", name)
	return ""
}
