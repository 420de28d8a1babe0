package wire

// asking is a request that the next Read sends.
type asking struct {
	p    []byte // nil: none
	sent func()
	err  error // of sending it
	part bool  // it could not be sent at once
}

// Ask has the next Read send p first, behind what was sent before, call sent when the kernel has taken all of it, and
// then wait for what comes. Who calls it reads until the answer is there, and leaves p alone until then.
//
// A Read looks first whether there is something, and asks to be woken when there is not: behind a request there never
// is, and the look costs as much as half of what reading the answer does. It is needed because the poller forgets, when
// a Read begins, what it was told before. Where the request is sent after that, nothing that comes for it is forgotten,
// and the look can be left out. What is forgotten is that the other side had closed the connection before: it answers
// the request by a reset then, and is found so. Only of one that has closed its half alone, and goes on to take what
// comes, does nobody hear any more: such a request ends by its timeout. Who has done nothing for a while asks Gone
// first.
func (c *Conn) Ask(p []byte, sent func()) { c.ask = asking{p: p, sent: sent} }

// AskFailed says why what Ask was given last could not be sent, and whether a part of it may have been; nil if it was.
func (c *Conn) AskFailed() (why error, partly bool) { return c.ask.err, c.ask.part }

// sendAsked sends the request of Ask, and waits until the kernel has taken it.
func (c *Conn) sendAsked() error {
	p := c.ask.p
	c.ask.p = nil
	all, err := c.Send(p)
	if err == nil && !all {
		c.ask.part = true
		err = c.Flush()
	}
	if c.ask.err = err; err == nil {
		c.ask.sent()
	}
	return err
}
