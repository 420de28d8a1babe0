package throughput

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

// Who talked over a connection that switched protocols can say that this side has ended, as a proxy does.
func TestHalfClosed(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
		text, _ := io.ReadAll(rw) // to the end of the client's half
		_, _ = c.Write(text)
		_ = c.Close()
	}))
	c, k := client(t, nil)
	req := request(t, "GET", s.URL, nil)
	req.Header.Set("Connection", "upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	both, ok := resp.Body.(interface {
		io.ReadWriter
		CloseWrite() error
	})
	if !ok {
		t.Fatal("the writing half cannot be closed")
	}
	_, _ = io.WriteString(both, "hello")
	if err := both.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(both); err != nil || string(text) != "hello" {
		t.Errorf("%q %v", text, err)
	}
	k.wait(t, 1)
	none := &duplexBody{Writer: io.Discard}
	if err := none.CloseWrite(); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("%v", err)
	}
}
