package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	coder "github.com/coder/websocket"
	"github.com/gobwas/ws"
	gorilla "github.com/gorilla/websocket"
	"github.com/lxzan/gws"
)

// libraries are used as their own documents advise for speed: no compression, buffers reused.
var libraries = map[string]library{
	"gws":     {echo: gwsEcho, dial: gwsDial, loop: gwsLoop},
	"coder":   {echo: coderEcho, dial: coderDial},
	"gobwas":  {echo: gobwasEcho, dial: gobwasDial},
	"gorilla": {echo: gorillaEcho, dial: gorillaDial},
}

func serveHTTP(l net.Listener, f http.HandlerFunc) { http.Serve(l, f) }

// read fills buf from r to its end.
func read(r io.Reader, buf []byte) (int, error) {
	n := 0
	for {
		m, err := r.Read(buf[n:])
		n += m
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func expect(n int, err error) error {
	if err == nil && n != len(payload) {
		return fmt.Errorf("%d bytes came back", n)
	}
	return err
}

type gwsServer struct{ gws.BuiltinEventHandler }

func (gwsServer) OnMessage(c *gws.Conn, m *gws.Message) {
	c.WriteMessage(m.Opcode, m.Bytes())
	m.Close()
}

func gwsEcho(l net.Listener) {
	u := gws.NewUpgrader(gwsServer{}, &gws.ServerOption{})
	serveHTTP(l, func(w http.ResponseWriter, r *http.Request) {
		if c, err := u.Upgrade(w, r); err == nil {
			go c.ReadLoop()
		}
	})
}

// gwsClient sends the next message from the callback that gets the last.
type gwsClient struct {
	gws.BuiltinEventHandler
	got  chan int // for dial
	done func() bool
}

func (g *gwsClient) OnMessage(c *gws.Conn, m *gws.Message) {
	n := len(m.Bytes())
	m.Close()
	switch {
	case g.got != nil:
		g.got <- n
	case g.done() || n != len(payload) && *text == "":
		c.NetConn().Close()
	default:
		c.WriteMessage(gws.OpcodeText, payload)
	}
}

func gwsLoop(url string, done func() bool) error {
	c, _, err := gws.NewClient(&gwsClient{done: done}, &gws.ClientOption{Addr: url})
	if err != nil {
		return err
	}
	if err := c.WriteMessage(gws.OpcodeText, payload); err != nil {
		return err
	}
	c.ReadLoop()
	return nil
}

func gwsDial(url string) (func() error, error) {
	h := &gwsClient{got: make(chan int, 1)}
	c, _, err := gws.NewClient(h, &gws.ClientOption{Addr: url})
	if err != nil {
		return nil, err
	}
	go c.ReadLoop()
	return func() error {
		if err := c.WriteMessage(gws.OpcodeText, payload); err != nil {
			return err
		}
		return expect(<-h.got, nil)
	}, nil
}

func coderEcho(l net.Listener) {
	serveHTTP(l, func(w http.ResponseWriter, r *http.Request) {
		c, err := coder.Accept(w, r, nil)
		if err != nil {
			return
		}
		buf := make([]byte, 512)
		for {
			kind, rd, err := c.Reader(context.Background())
			if err != nil {
				return
			}
			n, err := read(rd, buf)
			if err != nil || c.Write(context.Background(), kind, buf[:n]) != nil {
				return
			}
		}
	})
}

func coderDial(url string) (func() error, error) {
	c, _, err := coder.Dial(context.Background(), url, nil)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 512)
	return func() error {
		if err := c.Write(context.Background(), coder.MessageText, payload); err != nil {
			return err
		}
		_, rd, err := c.Reader(context.Background())
		if err != nil {
			return err
		}
		return expect(read(rd, buf))
	}, nil
}

// gobwasRead reads one unfragmented frame, which is all that this benchmark sends.
func gobwasRead(br *bufio.Reader, buf []byte) (int, error) {
	h, err := ws.ReadHeader(br)
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(br, buf[:h.Length])
	if h.Masked {
		ws.Cipher(buf[:n], h.Mask, 0)
	}
	return n, err
}

// gobwasWrite sends a frame in one write, as ws.WriteFrame would not.
func gobwasWrite(c net.Conn, bw *bufio.Writer, p []byte, mask bool) error {
	h := ws.Header{Fin: true, OpCode: ws.OpText, Length: int64(len(p))}
	if mask {
		h.Masked, h.Mask = true, ws.NewMask()
		p = append(bw.AvailableBuffer()[ws.MaxHeaderSize:ws.MaxHeaderSize], p...)
		ws.Cipher(p, h.Mask, 0)
	}
	if err := ws.WriteHeader(bw, h); err != nil {
		return err
	}
	if _, err := bw.Write(p); err != nil {
		return err
	}
	return bw.Flush()
}

func gobwasEcho(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			if _, err := ws.Upgrade(c); err != nil {
				return
			}
			br, bw, buf := bufio.NewReader(c), bufio.NewWriter(c), make([]byte, 512)
			for {
				n, err := gobwasRead(br, buf)
				if err != nil || gobwasWrite(c, bw, buf[:n], false) != nil {
					return
				}
			}
		}()
	}
}

func gobwasDial(url string) (func() error, error) {
	c, early, _, err := ws.Dial(context.Background(), url)
	if err != nil {
		return nil, err
	}
	if early != nil {
		return nil, fmt.Errorf("unexpected early data")
	}
	br, bw, buf := bufio.NewReader(c), bufio.NewWriter(c), make([]byte, 512)
	return func() error {
		if err := gobwasWrite(c, bw, payload, true); err != nil {
			return err
		}
		return expect(gobwasRead(br, buf))
	}, nil
}

func gorillaEcho(l net.Listener) {
	var u gorilla.Upgrader
	serveHTTP(l, func(w http.ResponseWriter, r *http.Request) {
		c, err := u.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		buf := make([]byte, 512)
		for {
			kind, rd, err := c.NextReader()
			if err != nil {
				return
			}
			n, err := read(rd, buf)
			if err != nil || c.WriteMessage(kind, buf[:n]) != nil {
				return
			}
		}
	})
}

func gorillaDial(url string) (func() error, error) {
	c, _, err := gorilla.DefaultDialer.Dial(url, nil)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 512)
	return func() error {
		if err := c.WriteMessage(gorilla.TextMessage, payload); err != nil {
			return err
		}
		_, rd, err := c.NextReader()
		if err != nil {
			return err
		}
		return expect(read(rd, buf))
	}, nil
}
