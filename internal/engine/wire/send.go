package wire

import "sync"

// outlet orders what is written.
type outlet struct {
	turn sync.Mutex // of those who may wait for the kernel

	mu   sync.Mutex // never held while waiting; guards what follows
	busy bool       // one whose turn it is writes
	kept []byte     // what Send could not write
}

// roomy is how much memory an outlet that keeps nothing may hold.
const roomy = 4 << 10

// Send writes as much of p as the kernel takes at once, keeps the rest, and says whether that was all. It never
// waits. Who gets a false must see to it that Flush is called.
func (c *Conn) Send(p []byte) (all bool, err error) {
	o := &c.out
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	if !o.busy && len(o.kept) == 0 {
		if n, err = c.kernel.send(p); err != nil {
			return false, err
		}
	}
	if n == len(p) {
		return true, nil
	}
	o.kept = append(o.kept, p[n:]...)
	return false, nil
}

// Flush writes what Send has kept, and waits until the kernel has taken it. What it has not when there is an
// error stays kept.
func (c *Conn) Flush() error {
	c.out.turn.Lock()
	defer c.out.turn.Unlock()
	defer c.out.leave()
	return c.deliver()
}

// Write writes all of p, behind what Send has kept.
func (c *Conn) Write(p []byte) (int, error) {
	c.out.turn.Lock()
	defer c.out.turn.Unlock()
	defer c.out.leave()
	if err := c.deliver(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// deliver writes what was kept until now. From then on Send keeps all, so that it comes behind.
func (c *Conn) deliver() error {
	kept := c.out.take()
	if len(kept) == 0 {
		return nil
	}
	n, err := c.Conn.Write(kept)
	c.out.giveBack(kept, n)
	return err
}

// take makes the outlet busy, and gives what it has kept.
func (o *outlet) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = true
	kept := o.kept
	if len(kept) > 0 {
		o.kept = nil
	}
	return kept
}

// giveBack keeps what was not written of a buffer that was taken, before what was kept since; and the buffer
// itself, when it is empty and small.
func (o *outlet) giveBack(taken []byte, written int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case written < len(taken):
		o.kept = append(taken[written:], o.kept...)
	case o.kept == nil && cap(taken) <= roomy:
		o.kept = taken[:0]
	}
}

// leave says that Send may write again.
func (o *outlet) leave() {
	o.mu.Lock()
	o.busy = false
	o.mu.Unlock()
}
