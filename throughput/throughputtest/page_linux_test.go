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
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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

// TestPageExamples compares the examples of docs/throughput.md with the functions of this file, and runs them against a
// local server: they must succeed and print only lines that the page shows. Which lines have a value depends on the
// connection.
func TestPageExamples(t *testing.T) {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	page := readPage(t)
	body := make([]byte, 1<<20)
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
			printed := capture(t, func() {
				over := make(chan *throughput.Timeline, 16) // more than there can be
				ctx := throughput.WithObserver(t.Context(),
					throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
				if err := example.run(ctx, serve(t)); err != nil {
					t.Fatal(err)
				}
				for range example.attempts { // the observer of the context is called after the one that prints
					<-over
				}
			})
			for line := range strings.Lines(printed) {
				if name := firstWord(line); !shows(output, name) {
					t.Errorf("docs/throughput.md shows no line that begins with %s:\n%s", name, line)
				}
			}
		})
	}
}

// firstWord returns the name at the beginning of a line, "N" if it is a number.
func firstWord(line string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if strings.Trim(name, "0123456789.") == "" {
		return "N"
	}
	return name
}

func shows(output, name string) bool {
	for line := range strings.Lines(output) {
		if firstWord(line) == name {
			return true
		}
	}
	return false
}

// The first example of the page prints nothing. There is no other one that nobody runs.
func TestPageBegins(t *testing.T) {
	page := readPage(t)
	code, _ := pageExample(t, page, "client")
	compareCode(t, code, "observed")
	over := make(chan *throughput.Timeline, 1)
	client := observed(throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	resp, err := client.Get(serve(t))
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
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

// serve starts a server that rejects the first request for an object, as a busy store does.
func serve(t *testing.T) string {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 && strings.HasSuffix(r.URL.Path, "/key") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// capture returns what f prints.
func capture(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		printed <- string(text)
	}()
	func() {
		defer w.Close()
		f()
	}()
	text := <-printed
	_ = r.Close()
	return text
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
