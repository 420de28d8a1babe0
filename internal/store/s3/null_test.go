package s3

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// nullVariable makes the test's binary the server that the benchmarks send to.
const nullVariable = "PLIMSOLL_NULL_S3"

// serveNull is a server that forgets what it is sent and sends what means nothing: as fast a
// peer as net/http can be. It prints its URL and ends with its standard input.
func serveNull() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("http://" + l.Addr().String())
	server := &http.Server{Handler: http.HandlerFunc(null)}
	go func() { _ = server.Serve(l) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
}

// nullObject is the length of every object.
const nullObject = 1 << 30

func null(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	switch r.Method {
	case http.MethodPut:
		buffer := make([]byte, 256<<10)
		for {
			if _, err := r.Body.Read(buffer); err != nil {
				return
			}
		}
	case http.MethodPost:
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Query().Has("uploads") {
			_, _ = io.WriteString(w,
				"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
			return
		}
		_, _ = io.WriteString(w, "<CompleteMultipartUploadResult><ETag>x-1</ETag></CompleteMultipartUploadResult>")
	case http.MethodHead:
		w.Header().Set("Content-Length", strconv.Itoa(nullObject))
	case http.MethodGet:
		nullGet(w, r)
	}
}

func nullGet(w http.ResponseWriter, r *http.Request) {
	from, to := 0, nullObject-1
	if span, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		if _, err := fmt.Sscanf(span, "%d-%d", &from, &to); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, nullObject))
	}
	w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
	if r.Header.Get("Range") != "" {
		w.WriteHeader(http.StatusPartialContent)
	}
	zeros := make([]byte, 1<<20)
	for left := to - from + 1; left > 0; left -= len(zeros) {
		if _, err := w.Write(zeros[:min(left, len(zeros))]); err != nil {
			return
		}
	}
}

// nullServer starts the server in a process of its own and gives its URL.
func nullServer(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nullVariable+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}
