package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Level is what a mode of a server speaks, before it misbehaves.
type Level string

// The levels. Any client meets the modes of any level; those of its own it takes the furthest.
const (
	Raw       Level = "raw"
	HTTP      Level = "http"
	HTTP2     Level = "http2"
	WebSocket Level = "websocket"
	Redis     Level = "redis"
	NATS      Level = "nats"
	Kafka     Level = "kafka"
	SSH       Level = "ssh"
	Hadoop    Level = "hadoop"
	GRPC      Level = "grpc"
)

// Mode is a way in which a server misbehaves.
type Mode struct {
	Name  string
	Level Level
	// Answers says that a client may take what comes for an answer, in whole or in part: it is odd, and not untrue.
	Answers bool

	serve func(*peer)
}

// Modes are all of them, in the order of their levels.
func Modes() []Mode {
	return slices.Concat(rawModes(), lengthModes(), chunkModes(), headModes(), timeModes(), bodyModes(), flowModes(),
		http2Modes(), streamModes(), webSocketModes(), redisModes(), natsModes(), kafkaModes(), sshModes(), hadoopModes(),
		grpcModes())
}

// Server misbehaves in one way towards all who connect.
type Server struct {
	mode      Mode
	listeners [2]net.Listener // the second is elsewhere
	ctx       context.Context // stored context: of the connections, until Close
	cancel    context.CancelFunc
	served    sync.WaitGroup

	mu    sync.Mutex
	heard bytes.Buffer // elsewhere
	met   int          // connections
}

// Listen starts a server on a port of this machine. Close it.
func Listen(m Mode) (*Server, error) {
	s := &Server{mode: m}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for i := range s.listeners {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.listeners[i] = l
	}
	s.served.Go(func() { s.accept(s.listeners[0], m.serve, true) })
	s.served.Go(func() { s.accept(s.listeners[1], (*peer).elsewhere, false) })
	return s, nil
}

// Address is host:port.
func (s *Server) Address() string { return s.listeners[0].Addr().String() }

// Met says how many connections were made.
func (s *Server) Met() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met
}

// Elsewhere is the address of another server, which some modes lead to.
func (s *Server) Elsewhere() string { return s.listeners[1].Addr().String() }

// Heard is what was sent to the server elsewhere.
func (s *Server) Heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.String()
}

// Close ends all connections, and waits until they are.
func (s *Server) Close() error {
	s.cancel()
	var errs []error
	for _, l := range s.listeners {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	s.served.Wait()
	return errors.Join(errs...)
}

func (s *Server) accept(l net.Listener, serve func(*peer), counted bool) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if counted {
			s.mu.Lock()
			s.met++
			s.mu.Unlock()
		}
		s.served.Go(func() {
			defer c.Close()
			defer context.AfterFunc(s.ctx, func() { _ = c.Close() })()
			serve(&peer{Conn: c, server: s, in: bufio.NewReader(c)})
		})
	}
}

// peer is one connection, as its mode sees it.
type peer struct {
	net.Conn
	server *Server
	in     *bufio.Reader
}

// mostHead bounds what is read of a request before it counts as one.
const mostHead = 1 << 20

// head waits for a request, and is what stands before its body; "" where none comes.
func (p *peer) head() string {
	var b strings.Builder
	for b.Len() < mostHead {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return ""
		}
		b.WriteString(line)
		if strings.TrimRight(line, "\r\n") == "" {
			return b.String()
		}
	}
	return b.String()
}

// say sends a text, and reports whether it could.
func (p *peer) say(parts ...string) bool {
	_, err := p.Write([]byte(strings.Join(parts, "")))
	return err == nil
}

// forever sends a text again and again, until nobody takes it.
func (p *peer) forever(text string) {
	piece := bytes.Repeat([]byte(text), max(1, (32<<10)/len(text)))
	for {
		if _, err := p.Write(piece); err != nil {
			return
		}
	}
}

// times sends a text so many times.
func (p *peer) times(n int, text string) bool {
	for range n {
		if !p.say(text) {
			return false
		}
	}
	return true
}

// slowly sends a text byte by byte.
func (p *peer) slowly(text string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range text {
		if !p.say(text[i : i+1]) {
			return
		}
		select {
		case <-tick.C:
		case <-p.server.ctx.Done():
			return
		}
	}
}

// silence says nothing more, and waits until the other end goes.
func (p *peer) silence() {
	for {
		if _, err := p.in.Discard(p.in.Size()); err != nil {
			return
		}
	}
}

// reset ends the connection at once, with what is under way.
func (p *peer) reset() {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	_ = p.Close()
}

// elsewhere answers like a server that knows no harm, and keeps what it hears.
func (p *peer) elsewhere() {
	for {
		head := p.head()
		if head == "" {
			return
		}
		p.server.mu.Lock()
		if p.server.heard.Len() < mostHead {
			p.server.heard.WriteString(head)
		}
		p.server.mu.Unlock()
		if !p.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") {
			return
		}
	}
}
