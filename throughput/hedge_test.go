package throughput

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
)

// A transport below that sends several requests at once reads several bodies. Each is read to its end, and nothing
// of them is taken for one.
func TestBodiesAtOnce(t *testing.T) {
	k := newKept()
	req := request(t, http.MethodPut, "http://host", bytes.NewReader(make([]byte, 1000)))
	req.ContentLength = -1
	x := newExchange(Wrap(nil, k), req, k)
	out := x.outgoing(req)
	here, there := net.Pipe()
	defer func() { _ = here.Close(); _ = there.Close() }()
	x.hooks.GotConn(httptrace.GotConnInfo{Conn: here})
	done := make(chan int64)
	for range 3 {
		body, err := out.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			n, _ := io.Copy(io.Discard, struct{ io.Reader }{body})
			_ = body.Close()
			done <- n
		}()
	}
	for range 3 {
		if n := <-done; n != 1000 {
			t.Errorf("%d bytes of a body", n)
		}
	}
	x.hooks.WroteRequest(httptrace.WroteRequestInfo{})
	x.current.Load().responded(&http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody})
	if got := k.wait(t, 1)[0]; got.RequestBytes != 1000 || got.WriteQuality() != Unseen || len(got.Rates()) != 0 {
		t.Errorf("%s, %v: %+v", got.WriteQuality(), got.Rates(), got)
	}
}
