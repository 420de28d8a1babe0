package ws

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// Shown is what a check tells of a message that was sent or received.
type Shown struct {
	Sent bool
	Text string   // printable, without secrets
	What string   // what it is, or what takes it
	Why  []string // rules that do not take it, and why
}

// Checked is what a check found.
type Checked struct {
	Sent, Answered, Refused, Delivered, Untaken int
}

// Check connects once, opens the connection, sends one of each message, and tells of each that was sent and received.
// Of each it waits so long for the answer.
func (t *Traffic) Check(ctx context.Context, wait time.Duration, tell func(Shown)) (Checked, error) {
	c := &check{t: t, tell: tell, came: make(chan struct{}, 1)}
	c.explain = explainer{codec: t.protocol.Codec, show: c.short}
	k := t.newTalk(c, t.values(0, t.roomOf(0)))
	k.watch = c
	opening, stop := context.WithTimeout(ctx, wait)
	defer stop()
	if err := k.dial(opening, readBuffer); err != nil {
		return c.found, err
	}
	k.waits = true // there is nobody to flush
	var reader sync.WaitGroup
	reader.Go(k.read)
	defer reader.Wait()
	if why := k.start(opening); why != nil {
		_ = k.Close()
		return c.soFar(), why
	}
	defer k.farewell()
	for i := range t.protocol.Messages {
		if err := c.send(ctx, k, i, wait); err != nil {
			return c.soFar(), err
		}
	}
	return c.soFar(), nil
}

// check is one that goes on. It is the owner of its connection.
type check struct {
	t       *Traffic
	tell    func(Shown)
	explain explainer

	mu    sync.Mutex // guards what follows
	found Checked
	kept  [][]byte
	id    uint64 // of the message that waits; 0: none does
	mark  []byte
	gone  *op.Failure   // why the connection has ended; nil: it has not
	came  chan struct{} // has something when what waits has its answer, or the connection has ended
}

func (c *check) soFar() Checked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found
}

// send sends a message and waits for its answer.
func (c *check) send(ctx context.Context, k *talk, number int, wait time.Duration) error {
	m := &c.t.protocol.Messages[number]
	v := k.values
	v.Index, v.ID, v.Now = uint64(number), uint64(number)+1, time.Now()
	v.Mark = appendMark(nil, c.t.tag, v.Index, v.Client, v.ID)
	b, err := m.Send.Tail(m.Send.Head(nil, &v), &v)
	if err != nil {
		return fmt.Errorf("message %s: %w", m.Name, err)
	}
	c.mu.Lock()
	if c.gone != nil {
		defer c.mu.Unlock()
		return c.gone
	}
	select {
	case <-c.came: // of the message before, when the wait for it had just ended
	default:
	}
	c.id, c.mark = v.ID, v.Mark
	c.found.Sent++
	c.tell(Shown{Sent: true, Text: c.text(b), What: "message " + m.Name})
	c.mu.Unlock()
	_ = k.SetWriteDeadline(time.Now().Add(wait))
	if err := k.ws.WriteMessage(c.t.opcode, b); err != nil {
		return c.t.loss(err, nil)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-c.came:
	case <-timer.C:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id != 0 && c.gone == nil {
		c.tell(Shown{What: fmt.Sprintf("no reply to message %s within %s", m.Name, wait)})
	}
	c.id = 0
	if c.gone != nil {
		return c.gone
	}
	return ctx.Err()
}

// settled ends the wait of the message. The caller holds mu.
func (c *check) settled() {
	c.id = 0
	select {
	case c.came <- struct{}{}:
	default:
	}
}

// What the talk tells.

// sends is told of what is sent besides messages.
func (c *check) sends(k *talk, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = k.values.Kept
	c.tell(Shown{Sent: true, Text: c.text(b)})
}

// stepTook is told of a message that the opening waited for.
func (c *check) stepTook(k *talk, step int, refused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = k.values.Kept
	what := fmt.Sprintf("expected by step %d of open", step+1)
	if refused {
		what = fmt.Sprintf("refusal, according to step %d of open", step+1)
	}
	c.tell(Shown{Text: c.text(k.message.Raw), What: what})
}

// ruleTook is told of any other message.
func (c *check) ruleTook(k *talk, rule int, err error) {
	step := k.waitsFor()
	c.mu.Lock()
	defer c.mu.Unlock()
	rules := c.t.protocol.Rules
	s := Shown{Text: c.text(k.message.Raw)}
	switch {
	case err != nil:
		s.What = fmt.Sprintf("not a valid message of codec %s: %s", c.t.protocol.Codec.Name(), err)
	case rule < 0:
		c.found.Untaken++
		s.What, s.Why = "no rule matches", c.explain.passed(rules, &k.message)
	default:
		s.What = fmt.Sprintf("matched by rule %d: %s", rule+1, rules[rule].Source)
		s.Why = c.explain.passed(rules[:rule], &k.message)
	}
	if steps := c.t.protocol.Open; err == nil && !k.open.Load() && step < len(steps) {
		broken := c.explain.broken(steps[step].Expect, &k.message)
		s.Why = append([]string{fmt.Sprintf("step %d of open: %s", step+1, broken)}, s.Why...)
	}
	c.tell(s)
}

// answered ends the wait of the message, if it is its answer.
func (c *check) answered(_ *talk, rule *wsproto.Rule, name []byte, refused bool, _ []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := rule.Means != wsproto.Answers || string(name) == strconv.FormatUint(c.id, 10) || bytes.Equal(name, c.mark) ||
		refused && len(name) == 0
	switch {
	case c.id == 0:
		c.tell(Shown{What: "  reply, but no message is waiting for one"})
	case !own:
		c.tell(Shown{What: fmt.Sprintf("  reply, but %s matches no waiting message", c.short(name))})
	case refused:
		c.found.Refused++
		c.tell(Shown{What: "  refusal"})
		c.settled()
	default:
		c.found.Answered++
		c.tell(Shown{What: "  reply to the message"})
		if c.t.receivers == nil {
			c.settled()
		}
	}
}

// delivered counts what a sender has of its own message.
func (c *check) delivered(_ *talk, mark []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !bytes.Equal(mark, c.mark) {
		c.tell(Shown{What: fmt.Sprintf("  delivery of a message of another client: mark %s", c.short(mark))})
		return
	}
	c.found.Delivered++
	c.tell(Shown{What: "  delivery of the message"})
	if c.t.receivers != nil || c.t.protocol.NeedsAnswer() != nil { // nothing else comes of it
		c.settled()
	}
}

func (c *check) opened() {}

func (c *check) unreadable(*talk, []byte) {}

func (c *check) lost(_ *talk, why *op.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = why
	c.settled()
}

// Bounds on what is shown, in bytes.
const (
	longestShown = 400
	longestPart  = 60
)

// text is a message as a person may see it. The caller holds mu.
func (c *check) text(b []byte) string { return c.clean(b, longestShown) }

func (c *check) short(b []byte) string { return c.clean(b, longestPart) }

func (c *check) clean(b []byte, most int) string {
	if hidden := c.t.hidden(b); hidden != "" {
		return hidden
	}
	s := string(b)
	for _, secret := range c.t.secrets(c.kept) {
		s = strings.ReplaceAll(s, secret, "…")
	}
	cut := len(s) > most
	if cut {
		s = strings.ToValidUTF8(s[:most], "")
	}
	s = strconv.Quote(s)
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	if cut {
		s += fmt.Sprintf("… (%d bytes)", len(b))
	}
	return s
}
