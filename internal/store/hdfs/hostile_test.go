package hdfs

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plimsoll/plimsoll/internal/store"
)

// openAt opens the store of a namenode.
func openAt(ctx context.Context, t *testing.T, address string, timeout time.Duration) (store.Store, error) {
	t.Helper()
	t.Setenv("HADOOP_USER_NAME", "alice")
	s, err := Open(ctx, store.Config{
		URL: &url.URL{Scheme: "hdfs", Host: address, Path: "/"}, Block: 1000, Timeout: timeout,
		Requests: &store.Requests{},
	})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// The error says what responds at the address of the namenode.
func TestOpenRejectsOtherServers(t *testing.T) {
	closed := listen(t, func(net.Conn) {})
	for name, test := range map[string]struct {
		answer            string
		cause, text, hint string
	}{
		"html": {"HTTP/1.1 400 Bad Request\r\n\r\n<html>", store.Protocol,
			`the response is not Hadoop RPC: it begins with "HTTP"`, "such as 8020"},
		"huge":      {"\xff\xff\xff\xff", store.Protocol, "the response is not Hadoop RPC", "8020"},
		"nothing":   {"\x00\x00\x00\x00", store.Protocol, "the response is not Hadoop RPC", "8020"},
		"cut":       {"\x00\x00\x01\x00abc", store.Reset, ": ", ""},
		"garbage":   {"\x00\x00\x00\x04\x03\xff\xff\xff", store.Protocol, "the response is not Hadoop RPC", "8020"},
		"no header": {"\x00\x00\x00\x02\x7f\x00", store.Protocol, "the response is not Hadoop RPC", "8020"},
		"fatal": {
			string(answerFrame(message(0xffffffff, 2, 9, "org.apache.hadoop.security.AccessControlException",
				"SIMPLE authentication is not enabled.\n\tat java"), nil)),
			store.AccessDenied, "SIMPLE authentication is not enabled.", "",
		},
		"escape": {
			string(answerFrame(message(1, 1, 9, "java.io.IOException", "\x1b[1mred\x1b"), nil)),
			store.Other, "[1mred", "",
		},
		"busy": {string(answerFrame(message(1, 1, 9, "org.apache.hadoop.ipc.RetriableException", "later"), nil)),
			store.SlowDown, "later", ""},
	} {
		t.Run(name, func(t *testing.T) {
			address := listen(t, func(c net.Conn) {
				_, _ = io.WriteString(c, test.answer)
				if name == "cut" {
					return
				}
				_, _ = io.Copy(io.Discard, c)
			})
			_, err := openAt(t.Context(), t, address, time.Minute)
			mustFail(t, err, test.cause, test.text, test.hint)
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q", err)
			}
		})
	}
	_, err := openAt(t.Context(), t, closed, time.Minute)
	if cause := store.CauseOf(err); cause != store.Reset {
		t.Errorf("closed at once: %s, %v", cause, err)
	}
	_, err = openAt(t.Context(), t, "127.0.0.1:1", time.Minute)
	mustFail(t, err, store.Refused, "connection refused", "namenode is running")
}

// html is an answer of a web server.
const html = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html><body><h1>400 " +
	"Bad Request</h1></body></html>"

// Invalid data of a datanode is an error.
func TestHostileDatanode(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		hangUp bool
		cause  string
	}{
		"html":        {html, false, store.Protocol},
		"huge answer": {"\xff\xff\xff\xff\x0f", false, store.Protocol},
		"long varint": {"\xff\xff\xff\xff\xff\xff\xff", false, store.Protocol},
		"hangs up":    {"", true, store.Reset},
		"cut answer":  {"\x20abc", true, store.Reset},
		"error":       {string(protowire.AppendBytes(nil, message(1, nil, nil, nil, "no"))), false, store.Other},
		"no chunks": {string(opAnswer(0)) + string(packet(2000)) + strings.Repeat("x", 2000), false,
			store.Protocol},
		"negative":      {string(opAnswer(512)) + string(packet(-5000)), false, store.Protocol},
		"empty packets": {string(opAnswer(512)) + string(packet(0)), false, store.Protocol},
		"cut data":      {string(opAnswer(512)) + string(packet(1000)) + "12345678abc", true, store.Reset},
		"wrong data": {string(opAnswer(512)) + string(packet(1000)) + strings.Repeat("x", 1008), false,
			store.Corrupt},
	} {
		t.Run(name, func(t *testing.T) {
			namenode := fakeNamenode(t, fileAnswers(t, fakeDatanode(t, []byte(test.answer), test.hangUp)))
			s, err := openAt(t.Context(), t, namenode, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.Open(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			err = f.ReadRange(t.Context(), make([]byte, 1000), 0)
			mustFail(t, err, test.cause, "", "")
			r, err := f.Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(r)
			mustFail(t, err, test.cause, "", "")
			_ = r.Close()
		})
	}
}

// A write to a failing datanode returns its error and leaves no goroutine behind.
func TestHostileDatanodeOnWrite(t *testing.T) {
	fine := protowire.AppendBytes(nil, message(0, "none"))
	ack := func(number int64, status uint64) string {
		return string(
			protowire.AppendBytes(nil, appendVarint(appendVarint(nil, 1, protowire.EncodeZigZag(number)), 2, status)))
	}
	for name, test := range map[string]struct {
		answer string
		hangUp bool
		cause  string
	}{
		"html":            {html, false, store.Protocol},
		"hangs up":        {"", true, store.Reset},
		"then hangs up":   {string(fine), true, store.Reset},
		"refuses":         {string(fine) + ack(1, 1), false, store.Other},
		"other number":    {string(fine) + ack(7, 0), false, store.Protocol},
		"huge ack":        {string(fine) + "\xff\xff\xff\xff\x0f", false, store.Protocol},
		"nonsense as ack": {string(fine) + "\x05\xff\xff\xff\xff\xff", false, store.Protocol},
	} {
		t.Run(name, func(t *testing.T) {
			answers := fileAnswers(t, fakeDatanode(t, []byte(test.answer), test.hangUp))
			s, err := openAt(t.Context(), t, fakeNamenode(t, answers), time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			w, err := s.Create(t.Context(), "/x", 1000)
			if err != nil {
				t.Fatal(err)
			}
			p, err := w.Reserve(t.Context(), 1000)
			if err != nil {
				t.Fatal(err)
			}
			clear(p[0])
			if err = w.Write(t.Context(), 1000); err == nil {
				err = w.Close(t.Context())
			}
			mustFail(t, err, test.cause, "", "")
			if err := w.Abort(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Close asks the namenode again while it has not heard of the last block.
func TestCloseRetriesUntilBlockIsReported(t *testing.T) {
	datanode := string(protowire.AppendBytes(nil, message(0, "none"))) + "\x04\x08\x02\x10\x00\x04\x08\x04\x10\x00"
	answers := fileAnswers(t, fakeDatanode(t, []byte(datanode), false))
	var calls, named int
	namenode := fakeNamenodeFunc(t, func(method string, request []byte) []byte {
		if method != "complete" {
			return answers[method]
		}
		calls++
		_ = eachField(request, func(field protowire.Number, _ uint64, _ []byte) {
			if field == 3 {
				named++
			}
		})
		return message(min(calls/3, 1))
	})
	s, err := openAt(t.Context(), t, namenode, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), "/x", 1000)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Reserve(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	clear(p[0])
	if err := errors.Join(w.Write(t.Context(), 1000), w.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if calls != 3 || named != 3 {
		t.Errorf("%d calls, %d of them with the last block", calls, named)
	}
}

// A write to a datanode that never acknowledges ends with its context.
func TestWriteEndsWithContext(t *testing.T) {
	fine := protowire.AppendBytes(nil, message(0, "none"))
	s, err := openAt(t.Context(), t, fakeNamenode(t, fileAnswers(t, fakeDatanode(t, fine, false))), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]func(store.Writer, context.Context) error{
		"close":  func(w store.Writer, ctx context.Context) error { return w.Close(ctx) },
		"hflush": func(w store.Writer, ctx context.Context) error { return w.Flush(ctx, true) },
	} {
		w, err := s.Create(t.Context(), "/x", 1000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Reserve(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := last(w, ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Abort(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}
