package http2

import (
	"errors"

	xhttp2 "golang.org/x/net/http2"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// frame looks at a frame.
func (c *Conn) frame(f xhttp2.Frame) error {
	switch f := f.(type) {
	case *xhttp2.DataFrame:
		return c.data(f)
	case *xhttp2.HeadersFrame:
		return c.headers(f)
	case *xhttp2.ContinuationFrame:
		return c.continued(f)
	case *xhttp2.RSTStreamFrame:
		return c.reset(f)
	case *xhttp2.SettingsFrame:
		return c.settings(f)
	case *xhttp2.PingFrame:
		c.ping(f)
	case *xhttp2.GoAwayFrame:
		c.goAway(f)
	case *xhttp2.WindowUpdateFrame:
		return c.widen(f.StreamID, int64(f.Increment))
	case *xhttp2.PushPromiseFrame:
		return broken(UnaskedPush, ProtocolError, "the server sent PUSH_PROMISE although push is disabled", nil)
	}
	return nil // one that is not known is not looked at (RFC 9113, 4.1)
}

func (c *Conn) reset(f *xhttp2.RSTStreamFrame) error {
	s, err := c.find(f.StreamID)
	if s == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(s)
	s.finish(&Reset{Code(f.ErrCode)})
	c.admit()
	c.kick()
	return nil
}

func (c *Conn) ping(f *xhttp2.PingFrame) {
	if f.IsAck() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.control(func(w *xhttp2.Framer) error { return w.WritePing(true, f.Data) })
	c.kick()
}

// goAway ends the streams that the server has not begun with, and has no others opened.
func (c *Conn) goAway(f *xhttp2.GoAwayFrame) {
	text := f.DebugData()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = &GoAway{Code: Code(f.ErrCode), Text: cause.Line(string(text[:min(len(text), 200)]))}
	for id, s := range c.streams {
		if id > f.LastStreamID {
			c.forget(s)
			s.finish(c.away)
		}
	}
	c.admit()
}

// widen lets us send more.
func (c *Conn) widen(id uint32, more int64) error {
	if id == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.window += more; more == 0 || c.window > mostWindow {
			return broken(BadWindow, FlowControlError, "the connection window grows by 0 or beyond the maximum", nil)
		}
		c.feed()
		return nil
	}
	s, err := c.find(id)
	if s == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.window += more; more == 0 || s.window > mostWindow {
		c.drop(s, broken(BadWindow, FlowControlError, "a stream window grows by 0 or beyond the maximum", nil),
			FlowControlError)
		c.kick()
		return nil
	}
	c.feed()
	return nil
}

func (c *Conn) settings(f *xhttp2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := f.ForeachSetting(c.set); err != nil {
		return err
	}
	if !c.settled && c.err == nil {
		c.settle()
	}
	c.control((*xhttp2.Framer).WriteSettingsAck)
	c.admit()
	c.feed()
	c.kick()
	return nil
}

// set takes one of the server's settings.
func (c *Conn) set(s xhttp2.Setting) error {
	code := xhttp2.ConnectionError(ProtocolError)
	if err := s.Valid(); errors.As(err, &code) || s.ID == xhttp2.SettingEnablePush && s.Val != 0 {
		return broken(BadSettings, Code(code), "a setting has an invalid value: "+s.String(), nil)
	}
	switch s.ID {
	case xhttp2.SettingMaxConcurrentStreams:
		c.mostStreams = int64(s.Val)
	case xhttp2.SettingInitialWindowSize:
		for _, other := range c.streams {
			if other.window += int64(s.Val) - c.streamWindow; other.window > mostWindow {
				return broken(BadWindow, FlowControlError, "a stream window grows beyond the maximum", nil)
			}
		}
		c.streamWindow = int64(s.Val)
	case xhttp2.SettingMaxFrameSize:
		c.mostFrame = int(s.Val)
	}
	return nil
}
