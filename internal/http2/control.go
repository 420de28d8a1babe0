package http2

import "github.com/plimsoll/plimsoll/internal/cause"

// frame reads a frame that is no data.
func (c *Conn) frame(f frame, p []byte) error {
	switch f.kind {
	case frameHeaders:
		return c.headers(f, p)
	case frameContinuation:
		return c.continued(f, p)
	case frameReset:
		return c.reset(f, p)
	case frameSettings:
		return c.settings(f, p)
	case framePing:
		return c.ping(f, p)
	case frameGoAway:
		return c.goAway(f, p)
	case frameWindow:
		return c.widen(f, p)
	case framePush:
		return broken(UnaskedPush, ProtocolError, "the server pushes what nobody asked for", nil)
	case framePriority:
		if len(p) != 5 {
			return broken(BadFrameSize, FrameSizeError, "a frame of a priority has another length than 5", nil)
		}
	}
	return nil // one that is not known is not looked at (RFC 9113, 4.1)
}

func (c *Conn) reset(f frame, p []byte) error {
	if len(p) != 4 {
		return broken(BadFrameSize, FrameSizeError, "a frame that resets a stream has another length than 4", nil)
	}
	s, err := c.find(f)
	if s == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(s)
	s.finish(&Reset{Code(number(p))})
	c.admit()
	c.kick()
	return nil
}

func (c *Conn) ping(f frame, p []byte) error {
	switch {
	case f.stream != 0:
		return broken(BadFrame, ProtocolError, "a ping belongs to a stream", nil)
	case len(p) != 8:
		return broken(BadFrameSize, FrameSizeError, "a ping has another length than 8", nil)
	case f.has(flagAck):
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.control(func(b []byte) []byte { return append(appendFrame(b, 8, framePing, flagAck, 0), p...) })
	c.kick()
	return nil
}

// goAway ends the streams that the server has not begun with, and has no others opened.
func (c *Conn) goAway(f frame, p []byte) error {
	switch {
	case f.stream != 0:
		return broken(BadFrame, ProtocolError, "the end of the connection belongs to a stream", nil)
	case len(p) < 8:
		return broken(BadFrameSize, FrameSizeError, "the end of the connection is said in less than 8 bytes", nil)
	}
	last := number(p) & mostWindow
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = &GoAway{Code: Code(number(p[4:])), Text: cause.Line(string(p[8:min(len(p), 208)]))}
	for id, s := range c.streams {
		if id > last {
			c.forget(s)
			s.finish(c.away)
		}
	}
	c.admit()
	return nil
}

// widen lets us send more.
func (c *Conn) widen(f frame, p []byte) error {
	if len(p) != 4 {
		return broken(BadFrameSize, FrameSizeError, "a frame of a window has another length than 4", nil)
	}
	more := int64(number(p) & mostWindow)
	if f.stream == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.window += more; more == 0 || c.window > mostWindow {
			return broken(BadWindow, FlowControlError, "the window of the connection grows by nothing, or too far", nil)
		}
		c.feed()
		return nil
	}
	s, err := c.find(f)
	if s == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.window += more; more == 0 || s.window > mostWindow {
		c.drop(s, broken(BadWindow, FlowControlError, "the window of a stream grows by nothing, or too far", nil),
			FlowControlError)
		c.kick()
		return nil
	}
	c.feed()
	return nil
}

func (c *Conn) settings(f frame, p []byte) error {
	switch {
	case f.stream != 0:
		return broken(BadFrame, ProtocolError, "settings belong to a stream", nil)
	case f.has(flagAck) && len(p) > 0, len(p)%6 != 0:
		return broken(BadFrameSize, FrameSizeError, "settings have a length that they cannot have", nil)
	case f.has(flagAck):
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; len(p) > 0; p = p[6:] {
		if err := c.set(uint16(p[0])<<8|uint16(p[1]), number(p[2:])); err != nil {
			return err
		}
	}
	if !c.settled && c.err == nil {
		c.settle()
	}
	c.control(func(b []byte) []byte { return appendFrame(b, 0, frameSettings, flagAck, 0) })
	c.admit()
	c.feed()
	c.kick()
	return nil
}

// set takes one of the server's settings.
func (c *Conn) set(id uint16, value uint32) error {
	switch id {
	case settingTable:
		c.resize = c.resize || value < c.tableFrom
		c.tableFrom = value
	case settingPush:
		if value != 0 {
			return broken(BadSettings, ProtocolError, "the server wants pushes", nil)
		}
	case settingStreams:
		c.mostStreams = int64(value)
	case settingWindow:
		if value > mostWindow {
			return broken(BadSettings, FlowControlError, "the window of streams is too large", nil)
		}
		for _, s := range c.streams {
			if s.window += int64(value) - c.streamWindow; s.window > mostWindow {
				return broken(BadWindow, FlowControlError, "the window of a stream grows too far", nil)
			}
		}
		c.streamWindow = int64(value)
	case settingFrame:
		if value < defaultSize || value > 1<<24-1 {
			return broken(BadSettings, ProtocolError, "the size of frames is out of its bounds", nil)
		}
		c.mostFrame = int(value)
	}
	return nil
}
