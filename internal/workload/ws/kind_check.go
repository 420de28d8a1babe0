package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/units"
)

// check connects once and shows what is said.
func (c *Command) check(ctx context.Context, env *run.Env) error {
	p := &c.Plan
	t := &run.Target{URL: p.URL}
	w, err := New(c.options(), p.URL, randomTag())
	if err != nil {
		return err
	}
	out := &checkWriter{w: env.Stdout}
	out.line("connecting to %s", redact.URL(w.target()))
	found, err := w.Check(ctx, p.Load.Retry.Timeout, out.show)
	if out.err != nil {
		return fault.New(fault.RunFailed, "cannot write the output: %w", out.err)
	}
	if ctx.Err() != nil {
		return fault.New(fault.Interrupted, "interrupted")
	}
	var lost *op.Failure
	switch {
	case err != nil && found.Sent > 0 && errors.As(err, &lost):
		return explained(fault.New(fault.RunFailed, "the connection to %s was lost: %w", redact.URL(p.URL), lost), lost)
	case err != nil:
		return CannotRun(err, t, "")
	}
	return c.checked(out, found)
}

// checked says whether the protocol is one that a load can be made with.
func (c *Command) checked(out *checkWriter, found Checked) error {
	got := found.Answered
	word := "answered"
	if c.Plan.Heard.Fanout || c.protocol.NeedsAnswer() != nil {
		got, word = found.Delivered, "delivered"
	}
	of := units.Count(int64(found.Sent), "message", "messages")
	out.line("")
	switch {
	case got == 0 && found.Refused > 0:
		return fault.New(fault.RunFailed, "the server refused %d of %s; none was %s", found.Refused, of, word).
			Hint("see the messages of the server above")
	case got == 0 && found.Untaken > 0:
		return fault.New(fault.RunFailed, "none of the %s was %s, and no rule matches %s from the server", of, word,
			units.Count(int64(found.Untaken), "message", "messages")).
			Hint("add a rule for such messages; they and the conditions of all rules are shown above")
	case got == 0:
		return fault.New(fault.RunFailed, "none of the %s was %s", of, word).
			Hint("compare the messages above with the rules, which must find the ${id} or ${mark} of the message")
	}
	out.line("%d of %s %s: the protocol file works.", got, of, word)
	if word == "delivered" && !c.Plan.Heard.Fanout {
		out.line("Runs with this file need --fanout, because no rule recognizes replies.")
	}
	if got < found.Sent {
		out.line("The other messages would fail in a run.")
	}
	return out.err
}

// checkWriter writes what a check tells, each message when it was sent or received.
type checkWriter struct {
	w   io.Writer
	err error
}

func (o *checkWriter) line(format string, args ...any) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
	}
}

func (o *checkWriter) show(s Shown) {
	const below = "   "
	switch {
	case s.Text == "" && s.What != "" && !s.Sent:
		o.line(below+"%s", s.What)
		return
	case s.Sent:
		o.line("→  %s", s.Text)
	default:
		o.line("←  %s", s.Text)
	}
	if s.What != "" {
		o.line(below+"%s", s.What)
	}
	for _, why := range s.Why {
		o.line(below+"%s", why)
	}
}
