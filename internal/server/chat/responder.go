package chat

import (
	"time"

	"github.com/lxzan/gws"
)

// responder answers what the WebSocket library reads. It is one for all connections; the
// library calls it from each connection's reading goroutine.
type responder struct {
	metrics  *metrics
	decoders decoders
	replies  replies
	clock    stamps
	sender   *sender // nil without faults
	hub      *hub    // nil without --broadcast
	bare     bool    // messages come back as they are
}

var _ gws.Event = (*responder)(nil)

// OnOpen has nothing to do: the server counts connections itself.
func (s *responder) OnOpen(*gws.Conn) {}

// OnClose has nothing to do either.
func (s *responder) OnClose(*gws.Conn, error) {}

// OnPong needs no answer: its bytes were the sign of life.
func (s *responder) OnPong(*gws.Conn, []byte) {}

// OnPing answers a ping. A failure ends the connection, which is all there is to do.
func (s *responder) OnPing(socket *gws.Conn, payload []byte) {
	_ = socket.WritePong(payload)
}

// OnMessage checks a message and answers it.
func (s *responder) OnMessage(socket *gws.Conn, m *gws.Message) {
	defer m.Close()
	c := socket.NetConn().(*conn)
	if c.ending.Load() {
		return // it was dropped or shut down; what had already been read goes unanswered
	}
	c.answering = true // and stays so when that panics
	if s.bare {
		s.echo(c, m.Opcode, m.Bytes())
	} else {
		s.answer(c, m.Opcode == gws.OpcodeText, m.Bytes())
	}
	c.answering = false
}

// echo sends a message back as it came.
func (s *responder) echo(c *conn, op gws.Opcode, data []byte) {
	received := time.Now()
	s.metrics.echoed(len(data))
	r := s.replies.get()
	r.op = byte(op)
	r.buf = append(r.buf, data...)
	if s.sender != nil {
		s.sender.send(c.out, r, s.sender.decide(received), received)
	} else {
		s.send(c, r)
	}
	s.metrics.processing.Observe(time.Since(received).Seconds())
}

func (s *responder) answer(c *conn, isText bool, data []byte) {
	received := time.Now()
	d := s.decoders.get()
	defer s.decoders.put(d)
	msg := message{broken: 1 << ruleFrame}
	if isText {
		msg = d.read(data)
	}
	s.metrics.message(&msg, len(data))
	r := s.replies.get()
	taken := msg.valid()
	if s.sender != nil {
		taken = s.sendFaulty(c, r, &msg, received)
	} else {
		s.render(r, &msg, received)
		s.send(c, r)
	}
	if taken && c.box != nil {
		s.hub.send(c, &msg, received)
	}
	s.metrics.processing.Observe(time.Since(received).Seconds())
}

func (s *responder) render(r *reply, msg *message, received time.Time) {
	if msg.valid() {
		r.echo(msg, received, &s.clock)
	} else {
		r.refuse(msg, received, &s.clock)
	}
}

// send writes the reply from the reading goroutine: no hop, no timer.
func (s *responder) send(c *conn, r *reply) {
	r.stamp(time.Now(), &s.clock)
	if err := c.answer(r); err == nil {
		s.metrics.sent.Add(float64(len(r.payload())))
	}
	s.replies.put(r)
}

// sendFaulty reports whether the message is not refused.
func (s *responder) sendFaulty(c *conn, r *reply, msg *message, received time.Time) (taken bool) {
	d := s.sender.decide(received)
	if d.fault == refuse && !msg.valid() {
		d.fault = none // it is refused for its own sake
	}
	if d.fault == refuse {
		r.refuseAsked(msg, received, &s.clock)
	} else {
		s.render(r, msg, received)
	}
	s.sender.send(c.out, r, d, received)
	return msg.valid() && d.fault != refuse
}
