package http2

import xhttp2 "golang.org/x/net/http2"

// outbox is what is to be written. One goroutine at a time writes, and takes along what the others have added
// meanwhile.
type outbox struct {
	b        []byte
	spare    []byte
	busy     bool  // somebody writes, and waits for the network
	kept     bool  // the connection has kept something that has to be flushed
	added    int64 // bytes, ever
	written  int64 // likewise
	err      error // why nothing more can be written; what was sent may be answered still
	controls int   // bytes of b that no stream has asked for

	unsent []*Stream // whose requests are all in b, and not all written; in their order
}

// mostAhead is how much of bodies may wait in an outbox.
const mostAhead = 256 << 10

// Write adds what the framer has made.
func (o *outbox) Write(p []byte) (int, error) {
	o.b = append(o.b, p...)
	o.added += int64(len(p))
	return len(p), nil
}

// control adds a frame that no stream has asked for.
func (c *Conn) control(add func(w *xhttp2.Framer) error) {
	before := c.out.added
	_ = add(c.framer)
	if c.out.controls += int(c.out.added - before); c.out.controls > mostControls {
		c.fail(broken(TooManyControls, EnhanceYourCalm, "the server sends control frames faster than it reads the replies",
			nil))
	}
}

// try writes what can be written at once. It is false if something is left for flush.
func (c *Conn) try() bool {
	o := &c.out
	switch {
	case len(o.b) == 0 && !o.kept || c.err != nil || o.err != nil:
		return true
	case o.busy:
		return true // who writes takes it along
	case c.sender == nil || o.kept:
		return false
	}
	all, err := c.sender.Send(o.b)
	o.b, o.controls = o.b[:0], 0
	if err != nil {
		o.err = err
		return true
	}
	if !all {
		o.kept = true
		return false
	}
	c.wrote(o.added)
	return true
}

// kick has written what there is without waiting for it.
func (c *Conn) kick() {
	if c.try() {
		return
	}
	c.out.busy = true
	c.workers.Go(func() { c.write() })
}

// flush writes what there is, and waits until that is done, unless somebody else does it.
func (c *Conn) flush() {
	c.mu.Lock()
	if c.out.busy || c.err != nil || c.out.err != nil || len(c.out.b) == 0 && !c.out.kept {
		c.mu.Unlock()
		return
	}
	c.out.busy = true
	c.mu.Unlock()
	c.write()
}

// write writes until nothing is left. The caller has made the outbox busy, and does not hold the lock.
func (c *Conn) write() {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &c.out
	for (len(o.b) > 0 || o.kept) && c.err == nil {
		b, to, kept := o.b, o.added, o.kept
		o.b, o.spare, o.controls, o.kept = o.spare[:0], nil, 0, false
		c.mu.Unlock()
		var err error
		if len(b) > 0 {
			_, err = c.net.Write(b) // what was kept comes before it
		} else if kept {
			err = c.sender.Flush()
		}
		c.mu.Lock()
		if cap(b) <= roomy || c.sources > 0 {
			o.spare = b[:0]
		}
		if err != nil {
			o.err = err // the reader finds out what it means
			break
		}
		c.wrote(to)
	}
	o.busy = false
}

// roomy is how large a buffer may be that is kept for what is written later, unless a body is being sent.
const roomy = 16 << 10

// wrote says how far the writing has come.
func (c *Conn) wrote(to int64) {
	o := &c.out
	o.written = to
	n := 0
	for n < len(o.unsent) && o.unsent[n].end <= to {
		o.unsent[n].sink.Sent()
		n++
	}
	if n > 0 {
		o.unsent = o.unsent[:copy(o.unsent, o.unsent[n:])]
	}
	if c.sources == 0 {
		if cap(o.b) > roomy && len(o.b) == 0 {
			o.b = nil
		}
		if cap(o.spare) > roomy {
			o.spare = nil
		}
	}
	c.feed()
}

// feed wakes the streams that may have more to send.
func (c *Conn) feed() {
	for _, s := range c.hungry {
		s.nudge()
	}
	c.hungry = c.hungry[:0]
}
