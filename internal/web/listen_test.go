package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// What is wrong with an address is told, and which way out there is.
func TestAddressErrors(t *testing.T) {
	for address, want := range map[string]string{
		"":        `--ui "" is not an address: it is not a port from 0 to 65535`,
		"65536":   `--ui "65536" is not an address: its port is not a number from 0 to 65535`,
		"a b:1":   `--ui "a b:1" is not an address: its host is not valid`,
		"::1:2":   `--ui "::1:2" is not an address: too many colons in address`,
		"1.2.3.4": `--ui "1.2.3.4" is not an address: it is not a port from 0 to 65535`,
	} {
		_, err := Bind(t.Context(), "--ui", address)
		s, listening := Listen(t.Context(), Options{Flag: "--ui", Address: address})
		if err == nil || err.Error() != want || s != nil || listening == nil || listening.Error() != want {
			t.Errorf("%q: %v, %v", address, err, listening)
		}
		if into := address; into != "" {
			rule := setting.New(AddressSetting(&into, "ui", "")).Check()
			if fault.CodeOf(rule) != fault.Usage || rule.Error() != want {
				t.Errorf("%q: %v", address, rule)
			}
		}
	}
	for _, into := range []string{"", "8080", "[::1]:2"} {
		if err := setting.New(AddressSetting(&into, "ui", "")).Check(); err != nil {
			t.Errorf("%q: %v", into, err)
		}
	}
	err := cannot("--ui", "box:1", &net.OpError{Op: "listen", Err: &net.DNSError{Err: "no such host", Name: "box"}})
	if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) != "use an address of this machine, or only a port, which means 127.0.0.1" {
		t.Errorf("%v, %s", err, fault.HintOf(err))
	}
}

// nowhere is a listener without a port.
type nowhere struct{ peertest.Pipes }

func (nowhere) Addr() net.Addr { return &net.UnixAddr{Name: "nowhere", Net: "unix"} }

func TestAnAddressWithoutAPort(t *testing.T) {
	p := make(peertest.Pipes)
	s := &Server{port: server.Port{Listener: nowhere{p}}}
	if err := s.Serve(t.Context(), page, nil); err == nil {
		t.Error("it was served")
	}
	if _, err := p.Accept(); err == nil {
		t.Error("it still listens")
	}
}

// Whoever is gone, or reads nothing any more, is no listener: at once, within five seconds of an event, however long that
// is, and within five of a sign of life, which comes each fifteen.
func TestDisconnectedListenersAreDropped(t *testing.T) {
	for name, one := range map[string]struct {
		leave func(s *Stream, c net.Conn)
		after time.Duration
	}{
		"closed":     {func(_ *Stream, c net.Conn) { _ = c.Close() }, 0},
		"long event": {func(s *Stream, _ net.Conn) { s.Say(make([]byte, 64<<10)) }, 5 * time.Second},
		"event":      {func(s *Stream, _ net.Conn) { s.Say([]byte("1")) }, 5 * time.Second},
		"no event":   {func(*Stream, net.Conn) {}, 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			stream := NewStream()
			p, end := serve(t, stream)
			c := p.Say(askEvents)
			if got := event(t, bufio.NewReader(c)); got != "retry: 2000" {
				t.Error(got)
			}
			synctest.Wait()
			if one.leave(stream, c); one.after > 0 {
				time.Sleep(one.after - 1)
				synctest.Wait()
				if stream.Listeners() != 1 {
					t.Errorf("%s: it is gone before %v", name, one.after)
				}
				time.Sleep(time.Nanosecond)
			}
			synctest.Wait()
			if stream.Listeners() != 0 {
				t.Errorf("%s: it is still there behind %v", name, one.after)
			}
			_ = c.Close()
			_ = end()
		})
	}
}

// 128 connections are open at a time, and one more is sent away at once.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(peertest.Pipes)
		s := &Server{port: server.Port{Listener: p}, given: "localhost:0", local: true}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		// goroutine: it is waited for below.
		go func() { ended <- s.Serve(ctx, page, nil) }()
		begun, open := time.Now(), 0
		for range 128 + 3 {
			mine := p.Say("")
			synctest.Wait()
			_ = mine.SetReadDeadline(begun.Add(1))
			if _, err := mine.Read(make([]byte, 1)); err == io.EOF { // it was closed, and not only silent
				_ = mine.Close()
				continue
			}
			begun = time.Now()
			open++
			defer mine.Close()
		}
		if open != 128 {
			t.Errorf("%d are open", open)
		}
		cancel()
		<-ended
	})
}
