package ws

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// owner is told what comes on a connection, on the goroutine that reads it. What it is given holds until it returns.
type owner interface {
	// opened says that the connection is open as the protocol has it.
	opened()
	// answered is of a message that a rule takes as an answer, with what names the message that it answers.
	answered(k *talk, rule *wsproto.Rule, name []byte, refused bool, raw []byte)
	// delivered is of a message that somebody sent, with its mark.
	delivered(k *talk, mark []byte)
	// unreadable is of one that cannot be read.
	unreadable(k *talk, raw []byte)
	// lost says why the connection has ended.
	lost(k *talk, why *op.Failure)
}

// watcher sees each message that a connection sends and receives besides those of the load, for whoever shows them. A
// run has none.
type watcher interface {
	sends(k *talk, b []byte)
	// stepTook is of a message that a step of the opening was waiting for, or that refuses it.
	stepTook(k *talk, step int, refused bool)
	// ruleTook is of any other one; rule is −1 where none takes it. An error is of one that cannot be read.
	ruleTook(k *talk, rule int, err error)
}

// talk is a connection on which the protocol is spoken.
type talk struct {
	*link
	t       *Traffic
	owner   owner
	watch   watcher         // nil: nobody
	jar     *jar            // of the client
	values  template.Values // what is the same for all that it sends, and what was kept; of the opening until it is open
	decoder codec.Decoder
	matcher *match.Matcher
	message codec.Message
	owed    int   // bytes that the reader wrote while the target left them to flush; the reader's
	why     error // the reader's for closing; its own

	open   atomic.Bool
	mu     sync.Mutex // guards what follows
	begun  bool       // to open
	step   int        // of the opening
	steps  []*match.Matcher
	opened chan *op.Failure // takes how the opening ended
	last   []byte           // that came while it was opened, for who wants to know why it was not
	beats  []*time.Timer
	ended  bool
}

// answerTime bounds how long what is not of the load may take to be sent.
const answerTime = 5 * time.Second

// The causes of a connection that could not be opened as the protocol has it.
const (
	openTimeout = "open-timeout"
	openRefused = "open-refused"
)

// newTalk makes the protocol's side of a connection that is not made yet.
func (t *Traffic) newTalk(o owner, v template.Values) *talk {
	k := &talk{t: t, owner: o, jar: &jar{}, values: v, opened: make(chan *op.Failure, 1)}
	k.decoder, k.matcher = t.protocol.Codec.NewDecoder(), t.receive.NewMatcher()
	k.values.Kept = make([][]byte, len(t.protocol.Kept))
	for _, s := range t.opening {
		k.steps = append(k.steps, s.NewMatcher())
	}
	return k
}

// dial makes the connection, with a buffer of this size.
func (k *talk) dial(ctx context.Context, buffer int) (err error) {
	k.link, err = k.t.dial(ctx, k, &k.values, buffer, k.jar)
	return err
}

// values are what is the same for all that a client sends.
func (t *Traffic) values(number uint64, room int) template.Values {
	v := template.Values{Seed: t.options.Seed, Client: number, Room: uint64(max(room, 0)) + 1}
	if rows := t.protocol.Rows; len(rows) > 0 {
		v.Row = rows[number%uint64(len(rows))]
	}
	return v
}

// start opens the connection as the protocol has it, which somebody must read meanwhile.
func (k *talk) start(ctx context.Context) *op.Failure {
	within := "time"
	if d, bounded := ctx.Deadline(); bounded {
		_ = k.SetWriteDeadline(d)
		within = time.Until(d).Round(100 * time.Millisecond).String()
	}
	k.mu.Lock()
	k.begin()
	k.mu.Unlock()
	select {
	case why := <-k.opened:
		if why != nil {
			return why
		}
	case <-ctx.Done():
		return k.neverOpened(within)
	}
	_ = k.SetWriteDeadline(time.Time{})
	k.keepAlive()
	return nil
}

// begin sends what the opening begins with, once. The caller holds mu.
func (k *talk) begin() {
	if !k.begun {
		k.begun = true
		k.proceed()
	}
}

// proceed sends what the next steps of the opening send, up to the one that waits for something. The caller holds mu.
func (k *talk) proceed() {
	for steps := k.t.protocol.Open; k.step < len(steps); k.step++ {
		s := &steps[k.step]
		if s.Send != nil {
			if err := k.send(s.Send); err != nil {
				k.endOpening(&op.Failure{Cause: openRefused, Err: fmt.Errorf("step %d of open: %w", k.step+1, err)})
				return
			}
		}
		if len(s.Expect) > 0 {
			return
		}
	}
	k.owner.opened()
	k.open.Store(true)
	k.endOpening(nil)
}

func (k *talk) endOpening(why *op.Failure) {
	select {
	case k.opened <- why:
	default: // it has ended already
	}
}

// lastLength bounds what is shown of a message.
const lastLength = 200

// neverOpened says which step of the opening took too long.
func (k *talk) neverOpened(within string) *op.Failure {
	k.mu.Lock()
	defer k.mu.Unlock()
	said := "no message arrived"
	if k.last != nil {
		said = "the last message was " + k.t.shown(k.last, k.values.Kept)
	}
	return &op.Failure{Cause: openTimeout, Timeout: true,
		Err: fmt.Errorf("step %d of open: the expected message did not arrive within %s; %s", k.step+1, within, said)}
}

// send sends something that is no message of the load.
func (k *talk) send(s *wsproto.Send) error {
	_, err := k.sends(s)
	return err
}

// sends is send, and gives the length of what it was.
func (k *talk) sends(s *wsproto.Send) (int, error) {
	v := k.values
	v.Now = time.Now()
	b, err := s.Tail(s.Head(nil, &v), &v)
	if err != nil {
		return 0, err
	}
	if k.watch != nil {
		k.watch.sends(k, b)
	}
	k.inTime()
	return len(b), k.ws.WriteMessage(k.t.opcode, b)
}

// inTime bounds how long what is written next may wait.
func (k *talk) inTime() {
	if k.waits {
		_ = k.SetWriteDeadline(time.Now().Add(answerTime))
	}
}

// mostOwed bounds what is kept of the reader's answers to a target that does not read them.
const mostOwed = 1 << 20

var errNotReading = errors.New("the server requests replies but does not read them")

// owes counts an answer that the reader has written, and gives up a target that leaves too much of them.
func (k *talk) owes(n int) {
	switch k.owed += n; {
	case !k.kept.Load():
		k.owed = 0
	case k.owed > mostOwed && k.why == nil:
		k.why = errNotReading
		_ = k.Close()
	}
}

// keepAlive begins to send what the protocol's clients send from time to time.
func (k *talk) keepAlive() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.t.protocol.Every {
		if k.ended {
			return
		}
		beat := &k.t.protocol.Every[i]
		var timer *time.Timer
		timer = time.AfterFunc(beat.After, func() {
			if k.send(&beat.Send) == nil {
				k.t.beats.Add(1)
				k.mu.Lock()
				defer k.mu.Unlock()
				if !k.ended {
					timer.Reset(beat.After)
				}
			}
		})
		k.beats = append(k.beats, timer)
	}
}

// farewell says goodbye as the protocol has it, as far as that does not take long, and closes.
func (k *talk) farewell() {
	_ = k.SetWriteDeadline(time.Now().Add(closeTime))
	_ = k.wire.Flush()
	if k.open.Load() {
		for i := range k.t.protocol.Close {
			if k.send(&k.t.protocol.Close[i]) != nil {
				break
			}
		}
	}
	_ = k.SetWriteDeadline(time.Now().Add(closeTime)) // send may have set another
	_ = k.ws.WriteClose(1000, nil)
	_ = k.Close()
}

// The events of the connection, on its reader's goroutine.

// OnOpen does nothing: the connection is used as soon as it is open in the protocol's sense.
func (k *talk) OnOpen(*gws.Conn) {}

// OnClose ends the opening and the beats, and tells the owner.
func (k *talk) OnClose(_ *gws.Conn, err error) {
	k.mu.Lock()
	k.ended = true
	for _, b := range k.beats {
		b.Stop()
	}
	if k.why != nil {
		err = k.why
	}
	why := k.t.loss(err, k.values.Kept)
	k.endOpening(why)
	k.mu.Unlock()
	k.owner.lost(k, why)
}

// OnPing answers with the same payload (RFC 6455, 5.5.3). What the kernel does not take at once goes out with the
// next message: the reader must not wait for a target that may wait for it.
func (k *talk) OnPing(conn *gws.Conn, payload []byte) {
	k.inTime()
	_ = conn.WritePong(payload)
	k.owes(len(payload) + frameHead)
}

// frameHead is what a short frame of a client has before its payload.
const frameHead = 6

// OnPong does nothing: the client sends no pings.
func (k *talk) OnPong(*gws.Conn, []byte) {}

// OnMessage takes what a frame holds.
func (k *talk) OnMessage(_ *gws.Conn, m *gws.Message) {
	for k.decoder.Begin(m.Bytes()); ; {
		more, err := k.decoder.Next(&k.message)
		if err != nil {
			if k.watch != nil {
				k.watch.ruleTook(k, -1, err)
			}
			k.owner.unreadable(k, k.message.Raw)
			continue
		}
		if !more {
			break
		}
		k.take()
	}
	_ = m.Close()
}

// take takes a message.
func (k *talk) take() {
	if !k.open.Load() && k.opening() {
		return
	}
	i, err := k.matcher.Match(&k.message)
	if k.watch != nil {
		k.watch.ruleTook(k, i, err)
	}
	switch {
	case err != nil:
		k.owner.unreadable(k, k.message.Raw)
		return
	case i < 0:
		k.t.noRule(k.message.Raw, k.values.Kept)
		return
	}
	switch r := &k.t.protocol.Rules[i]; r.Means {
	case wsproto.Ignored:
	case wsproto.Reply:
		if n, err := k.sends(r.Reply); err == nil {
			k.t.heartbeats.Add(1)
			k.owes(n + frameHead)
		}
	case wsproto.Delivery:
		mark, _ := k.matcher.Value(0)
		k.owner.delivered(k, mark)
	default:
		var name []byte
		if r.Means == wsproto.Answers {
			name, _ = k.matcher.Value(0)
		}
		k.owner.answered(k, r, name, k.matcher.Refused(), k.message.Raw)
	}
}

// waitsFor is the step of the opening that waits.
func (k *talk) waitsFor() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.step
}

// opening takes a message that came while the connection was opened, and reports whether it belonged to that.
func (k *talk) opening() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.begin() // the server may be the first to speak
	if k.step >= len(k.steps) {
		return false
	}
	m := k.steps[k.step]
	k.last = append(k.last[:0], k.message.Raw[:min(len(k.message.Raw), lastLength)]...)
	switch i, err := m.Match(&k.message); {
	case err != nil || i < 0:
		return false
	case i == stepRefused:
		if k.watch != nil {
			k.watch.stepTook(k, k.step, true)
		}
		k.endOpening(&op.Failure{Cause: openRefused,
			Err: fmt.Errorf("step %d of open: the server refused: %s", k.step+1, k.t.shown(k.message.Raw, k.values.Kept))})
	default:
		for at, kept := range k.t.protocol.Open[k.step].Keep {
			value, _ := m.Value(at)
			k.values.Kept[kept.Kept] = append([]byte(nil), value...)
		}
		if k.watch != nil {
			k.watch.stepTook(k, k.step, false)
		}
		k.step++
		k.proceed()
	}
	return true
}

// read reads the connection until it is lost. A hostile length of a frame makes the library panic (gws v1.8.9).
func (k *talk) read() {
	defer func() {
		if recover() != nil {
			_ = k.Close()
			k.OnClose(k.ws, errPanic)
		}
	}()
	k.ws.ReadLoop()
}
