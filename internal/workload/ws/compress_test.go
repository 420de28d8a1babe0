package ws_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// TestCompressionSavesBytes: with --compress all messages are answered as without, in fewer bytes on the wire both ways.
func TestCompressionSavesBytes(t *testing.T) {
	const n = 200
	wire := map[bool]int64{}
	for _, compress := range []bool{false, true} {
		url := serveWith(t, func(c *chat.Config) { c.Compress = true })
		var sent atomic.Int64
		address := strings.Split(url, "/")[2]
		between := peertest.Between(t, address, func(server io.Writer, client io.Reader) error {
			_, _ = io.Copy(server, io.TeeReader(client, counter{&sent}))
			return nil
		})
		_, o, _ := sends(t, strings.Replace(url, address, between, 1), n, func(p *load) {
			p.Dial.Compress = compress
			p.Protocol = ws.ChatOf(t, 400)
		})
		if o.OK != n {
			t.Errorf("compress %v: %d of %d ok: %+v", compress, o.OK, n, o.Causes)
		}
		wire[compress] = sent.Load()
	}
	if wire[true] > wire[false]*4/5 {
		t.Errorf("%d bytes with --compress, %d without", wire[true], wire[false])
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// TestServerWithoutCompressionFailsTheConnection: a run that asks for compression does not go on without.
func TestServerWithoutCompressionFailsTheConnection(t *testing.T) {
	w, err := ws.New(ws.Options{Dial: ws.Dial{Compress: true}, Protocol: ws.ChatOf(t, 0), Rooms: 3},
		serve(t, chat.Faults{}), "test")
	if err != nil {
		t.Fatal(err)
	}
	client := w.NewClient(0, 1)
	defer client.Close()
	var why *op.Failure
	if err := client.Connect(t.Context()); !errors.As(err, &why) || why.Cause != "compression-refused" ||
		!strings.Contains(why.Err.Error(), "--compress") {
		t.Errorf("%v", err)
	}
}

// TestInflatedSizeIsBounded: a small frame of what becomes 64 MiB, and bytes that nobody deflated, end their connection
// and take no memory.
func TestInflatedSizeIsBounded(t *testing.T) {
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(make([]byte, 64<<20))
	_ = w.Flush()
	n := deflated.Len()
	for name, frame := range map[string][]byte{
		"a bomb":                  append([]byte{0xc1, 127, 0, 0, 0, 0, 0, byte(n >> 16), byte(n >> 8), byte(n)}, deflated.Bytes()...),
		"no deflate":              {0xc1, 4, 0xff, 0xff, 0xff, 0xff},
		"a length beyond all":     {0xc1, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a distance before it":    {0xc1, 3, 0x02, 0x12, 0x00},
		"text and no UTF-8":       {0xc1, 6, 0x00, 0x01, 0x00, 0xfe, 0xff, 0xff},
		"an uncompressed no UTF8": {0x81, 1, 0xff},
	} {
		t.Run(name, func(t *testing.T) {
			url := scripted(t, func(conn net.Conn, in *bufio.Reader) {
				shakeWith(conn, in, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
				if _, err := in.ReadByte(); err == nil {
					_, _ = conn.Write(frame)
					_, _ = io.Copy(io.Discard, in)
				}
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, o, _ := sends(t, url, 2, func(p *load) {
				p.Dial.Compress, p.Dial.MaxMessage = true, 1<<20
				p.Load.Clients, p.Load.Retry.Max = 1, 1
			})
			runtime.ReadMemStats(&after)
			want := "protocol"
			if name == "a bomb" {
				want = "message-too-big"
			}
			if o.OK != 0 || o.Failed != 2 || cause(o, want) == 0 || len(o.Causes) != 1 {
				t.Errorf("%d ok, %d failed, causes %v", o.OK, o.Failed, o.Causes)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 128<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
		})
	}
}
