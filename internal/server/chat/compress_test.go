package chat

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gorilla/websocket"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// TestCompressionOffers: what an offer asks for is granted, and what cannot be understood is not taken (RFC 7692, sections 5 and 7).
func TestCompressionOffers(t *testing.T) {
	for _, test := range []struct {
		offer string
		want  int
	}{
		{"", 0},
		{"permessage-deflate", 15},
		{"Permessage-Deflate ; client_max_window_bits", 15},
		{"permessage-deflate; client_max_window_bits=9; server_no_context_takeover; client_no_context_takeover", 15},
		{"permessage-deflate; server_max_window_bits=9", 9},
		{`permessage-deflate; server_max_window_bits="10"`, 10},
		{"permessage-deflate; server_max_window_bits=15", 14},
		{"permessage-deflate; server_max_window_bits=7", 0},
		{"permessage-deflate; server_max_window_bits=16", 0},
		{"permessage-deflate; server_max_window_bits=09", 0},
		{"permessage-deflate; server_max_window_bits", 0},
		{"permessage-deflate; client_max_window_bits=16", 0},
		{"permessage-deflate; server_no_context_takeover=1", 0},
		{"permessage-deflate; client_max_window_bits; client_max_window_bits", 0},
		{"permessage-deflate; unknown", 0},
		{"permessage-deflate; unknown, permessage-deflate; server_max_window_bits=8, permessage-deflate", 8},
		{"x-webkit-deflate-frame, bbf-usp-protocol", 0},
		{"permessage-deflate;", 0},
	} {
		if got := negotiate(http.Header{"Sec-Websocket-Extensions": {"other; a=b", test.offer}}); got != test.want {
			t.Errorf("%q: a window of %d bits, want %d", test.offer, got, test.want)
		}
	}
}

// TestCompress: messages come back as they were, in fewer bytes, to a client of others that compresses.
func TestCompress(t *testing.T) {
	text := strings.Repeat("what is said again and again ", 500)
	for name, compress := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c *Config) { c.Echo, c.Compress = true, compress })
			var came atomic.Int64
			between := peertest.Between(t, s.port.Addr().String(), func(server io.Writer, client io.Reader) error {
				_, _ = io.Copy(server, io.TeeReader(client, counter{&came}))
				return nil
			})
			dialer := websocket.Dialer{EnableCompression: true}
			c, response, err := dialer.Dial("ws://"+between+"/chat/1", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			answer := response.Header.Get("Sec-WebSocket-Extensions")
			if strings.Contains(answer, extension) != compress {
				t.Errorf("the answer to the offer is %q", answer)
			}
			for range 10 {
				send(t, c, text)
				if got := receive(t, c); string(got) != text {
					t.Fatalf("%d bytes came back of %d", len(got), len(text))
				}
			}
			for metric(t, s, `plimsoll_chat_bytes_total{direction="sent"}`) != 10*len(text) {
				// The last reply is counted after it has left.
			}
			if bytes := metric(t, s, `plimsoll_chat_bytes_total{direction="received"}`); bytes != 10*len(text) {
				t.Errorf("%d bytes are counted of %d", bytes, 10*len(text))
			}
			if got := int(came.Load()); got < 10*len(text) != compress || compress && got > len(text) {
				t.Errorf("%d bytes were on the wire for %d", got, 10*len(text))
			}
		})
	}
}

// counter counts what is written to it.
type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// TestCompressedSubprotocols: names that clients choose take no memory without a bound.
func TestCompressedSubprotocols(t *testing.T) {
	c := Default()
	c.Compress = true
	u := newUpgraders(&c, new(responder))
	for i := range maxUpgraders + 5 {
		h := http.Header{"Sec-Websocket-Extensions": {extension}, "Sec-Websocket-Protocol": {strings.Repeat("x", i+1)}}
		if _, compressed := u.of(&http.Request{Header: h}); compressed != (i < maxUpgraders) {
			t.Errorf("name %d: compressed %v", i, compressed)
		}
	}
	h := http.Header{"Sec-Websocket-Extensions": {extension}, "Sec-Websocket-Protocol": {"x"}}
	if _, compressed := u.of(&http.Request{Header: h}); !compressed {
		t.Error("a name that was there first is not compressed any more")
	}
}

// deflated is a message of so many zeros, compressed, as a frame of a client.
func deflated(t *testing.T, zeros int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 1<<20)
	for ; zeros > 0; zeros -= len(block) {
		_, _ = w.Write(block[:min(zeros, len(block))])
	}
	_ = w.Flush()
	f := ws.NewFrame(ws.OpBinary, true, bytes.TrimSuffix(b.Bytes(), []byte{0, 0, 0xff, 0xff}))
	f.Header.Rsv = ws.Rsv(true, false, false)
	return ws.MustCompileFrame(ws.MaskFrame(f))
}

const offering = "Sec-WebSocket-Extensions: permessage-deflate\r\n"

// TestInflatedSizeIsBounded: a small frame of what becomes 64 MiB costs its connection, and no memory.
func TestInflatedSizeIsBounded(t *testing.T) {
	s := serve(t, func(c *Config) { c.Echo, c.Compress, c.MaxMessage = true, true, 512<<10 })
	bomb := deflated(t, 64<<20)
	if len(bomb) > s.cfg.MaxMessage {
		t.Fatalf("the frame has %d bytes", len(bomb))
	}
	_, r := rawDialWith(t, s, offering, deflated(t, 512<<10)) // what is allowed
	if f, err := readFrame(r); err != nil || f.Header.OpCode != ws.OpBinary {
		t.Fatalf("%+v, %v", f.Header, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, r = rawDialWith(t, s, offering, bomb)
	f, err := readFrame(r)
	if err != nil || f.Header.OpCode != ws.OpClose {
		t.Fatalf("%+v, %v", f.Header, err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

// TestHostileCompressedFrames: none of them costs more than its connection.
func TestHostileCompressedFrames(t *testing.T) {
	s := serve(t, func(c *Config) { c.Echo, c.Compress = true, true })
	for name, frame := range map[string][]byte{
		"length of 2^63":             {0xc1, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4},
		"fragment of 2^64-1":         {0x41, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4},
		"nothing that was deflated":  {0xc1, 0x84, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"a distance before the text": {0xc1, 0x83, 0, 0, 0, 0, 0x02, 0x12, 0x00},
		"no UTF-8":                   {0xc1, 0x86, 0, 0, 0, 0, 0x00, 0x01, 0x00, 0xfe, 0xff, 0xff},
	} {
		t.Run(name, func(t *testing.T) {
			c, r := rawDialWith(t, s, offering, frame)
			_ = c.(interface{ CloseWrite() error }).CloseWrite()
			for {
				f, err := readFrame(r)
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil || f.Header.OpCode != ws.OpClose {
					t.Fatalf("%+v, %v", f, err)
				}
			}
		})
	}
	_, r := rawDialWith(t, s, offering, deflated(t, 100))
	if f, err := readFrame(r); err != nil || f.Header.OpCode != ws.OpBinary {
		t.Errorf("%+v, %v", f.Header, err)
	}
}

// FuzzCompressed: whatever a client says in a compressed message, the server is there for the next one.
func FuzzCompressed(f *testing.F) {
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, false)
	f.Add([]byte{0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00}, true)
	f.Add([]byte{0x02, 0x12, 0x00}, false)
	cfg := Default()
	cfg.Echo, cfg.Compress, cfg.MaxMessage = true, true, 1<<10
	f.Fuzz(func(t *testing.T, data []byte, split bool) {
		s := serve(t, func(c *Config) { *c = cfg; c.Listen = "127.0.0.1:0" })
		frame := ws.NewFrame(ws.OpText, !split, data)
		frame.Header.Rsv = ws.Rsv(true, false, false)
		sent := ws.MustCompileFrame(ws.MaskFrame(frame))
		if split {
			end := ws.NewFrame(ws.OpContinuation, true, data)
			sent = append(sent, ws.MustCompileFrame(ws.MaskFrame(end))...)
		}
		c, r := rawDialWith(t, s, offering, sent)
		_ = c.(interface{ CloseWrite() error }).CloseWrite()
		for {
			frame, err := readFrame(r)
			if err != nil {
				return // after its end
			}
			if frame.Header.Length > int64(cfg.MaxMessage)+16 {
				t.Fatalf("%d bytes came back", frame.Header.Length)
			}
		}
	})
}
