package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

// chatRun is one run of the chat command.
type chatRun struct {
	env    *Env
	o      *chatOptions
	id     string
	saving saving
	view   *liveView
}

// run makes sure that the results can be written, measures, and shows what came of it.
func (r *chatRun) run(ctx context.Context) error {
	extra, err := chattarget.Target().Args(r.o.targetFlags)
	if err != nil {
		return err
	}
	if r.saving, err = prepareSaving(r.env, &r.o.forms, r.id); err != nil {
		return err
	}
	if err := r.o.checkOutputs(); err != nil {
		return err
	}
	soft, hard, release := interrupts(ctx, r.env)
	defer release()
	t := (*measured)(nil)
	if u := r.o.plan.URL; u != "" {
		t = elsewhere(soft, u)
	} else if t, err = embedded(soft, r.env, "chat", extra); err != nil {
		return err
	}
	r.view = newLiveView(r.env, r.o.quiet, "chat")
	unwatch := watchTarget(t, r.view, "every message fails from here on")
	doc, err := r.measure(soft, hard, t)
	unwatch()
	r.view.close()
	// The target has served: what it says of its own end cannot change the results.
	stopErr := t.stop()
	if err != nil {
		return err
	}
	if stopErr != nil {
		r.view.note(oneLine(stopErr.Error()))
	}
	return r.finish(doc)
}

// measure has the engine carry the plan out and makes the run document.
func (r *chatRun) measure(soft, hard context.Context, t *measured) (*rundoc.Run, error) {
	w, err := chat.New(r.o.plan, t.url, randomTag())
	if err != nil {
		return nil, err
	}
	samples, err := r.openSamples(w.Kinds())
	if err != nil {
		return nil, err
	}
	result, err := engine.Run(hard, soft.Done(), engine.Config{
		Load:      r.o.plan.Load,
		Workload:  w,
		Samples:   samples,
		Progress:  r.view.progress,
		TargetCPU: t.cpu,
	})
	file := r.closeSamples(samples)
	if err != nil {
		return nil, r.cannotRun(err, t)
	}
	doc, err := result.Document()
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot make the run document: %w", err)
	}
	return doc, r.describe(doc, result, w, t, file)
}

// randomTag begins the messageIds of a run: 8 hex digits.
func randomTag() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// describe adds to the document what only the command line knows, and the judgement.
func (r *chatRun) describe(doc *rundoc.Run, result *record.Run, w *chat.Chat, t *measured, file *rundoc.SamplesFile) error {
	var err error
	if doc.Plan, err = json.Marshal(r.o.plan); err != nil {
		return fault.New(fault.RunFailed, "cannot write the plan down: %w", err)
	}
	doc.Detail = chatDetail(result, w.Replies(), file)
	doc.ID, doc.Workload, doc.Tool = r.id, rundoc.WorkloadChat, tool()
	doc.Target.URL = plan.RedactURL(t.url)
	doc.Target.Embedded, doc.Target.SameHost = t.embedded, t.sameHost
	doc.Verdict = rundoc.Judge(doc)
	doc.Warnings = append(doc.Warnings, rundoc.Warnings(doc)...)
	return nil
}

// chatDetail is what only a chat has to tell.
func chatDetail(result *record.Run, replies *chat.Replies, file *rundoc.SamplesFile) *rundoc.ChatDetail {
	detail := &rundoc.ChatDetail{
		Replies: rundoc.Replies{
			Late:       replies.Late.Load(),
			Duplicate:  replies.Duplicate.Load(),
			Reordered:  replies.Reordered.Load(),
			Unmatched:  replies.Unmatched.Load(),
			Unreadable: replies.Unreadable.Load(),
			Example:    replies.Example(),
		},
		ByRoom:  []rundoc.RoomFigures{},
		Samples: file,
	}
	for i, g := range result.Groups() {
		detail.ByRoom = append(detail.ByRoom, rundoc.RoomFigures{
			Room: fmt.Sprint(i + 1), OK: g.OK, Failed: g.Failed, RatePerS: g.Rate,
			MeanNS: g.Mean, P50NS: g.P50, P99NS: g.P99,
		})
	}
	return detail
}

// finish saves and shows a run, and says by its error how it went.
func (r *chatRun) finish(doc *rundoc.Run) error {
	files, saveErr := r.save(doc)
	if err := render(r.env, doc, r.o.form(), r.o.plan.Output.Bucket, files); err != nil {
		return errors.Join(err, saveErr)
	}
	if saveErr != nil {
		return saveErr
	}
	return outcome(doc)
}

// outcome is nil for a run that went as it should.
func outcome(doc *rundoc.Run) error { return outcomeOf(doc, "messages") }

// outcomeOf calls the operations by their name.
func outcomeOf(doc *rundoc.Run, operations string) error {
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case doc.Interrupted:
		return fault.New(fault.Interrupted, "interrupted: the report covers the %v of the window until then",
			time.Duration(doc.Ledger.WindowNS).Round(10*time.Millisecond))
	case doc.Verdict.Validity == rundoc.Invalid:
		return untrusted(doc.Verdict.Reasons)
	case total.OK == 0 && len(total.Causes) > 0:
		return fault.New(fault.RunFailed, "not one of the %d %s was ok: the most frequent cause is %s",
			total.Scheduled, operations, total.Causes[0].Cause)
	case total.OK == 0:
		return fault.New(fault.RunFailed, "not one of the %d %s was ok", total.Scheduled, operations)
	}
	return nil
}

// untrusted is the error of an invalid run. The report has all reasons.
func untrusted(reasons []string) error {
	switch len(reasons) {
	case 0:
		return fault.New(fault.Untrusted, "the measurement cannot be trusted")
	case 1:
		return fault.New(fault.Untrusted, "the measurement cannot be trusted: %s", reasons[0])
	}
	return fault.New(fault.Untrusted, "the measurement cannot be trusted: %s", reasons[0]).
		Hint("the report has %d reasons in all", len(reasons))
}

// cannotRun words why nothing was measured.
func (r *chatRun) cannotRun(err error, t *measured) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	shown := plan.RedactURL(t.url)
	e := fault.New(fault.RunFailed, "cannot connect to %s: %s: %w", shown, why.Cause, reasonOf(why))
	switch {
	case why.Cause == "unresolvable":
		return e.Hint("check the name of the host, and that this machine can look names up")
	case why.Cause == "refused":
		return e.Hint("check the port, and that the server is running")
	case why.Cause == "tls":
		return e.Hint("check that the server speaks TLS there (ws:// is without), and trust its certificate with --ca, or any with --insecure")
	case why.Cause == "handshake" && strings.HasPrefix(strings.ToLower(t.url), "ws:"):
		return e.Hint("check that it is a WebSocket server; if it speaks TLS there, write wss://")
	case strings.HasPrefix(why.Cause, "handshake:4") && len(r.o.plan.Dial.Subprotocol) == 0:
		return e.Hint("check the path of the URL, and what else the server wants: --subprotocol, --header for tokens and the like, wss:// for TLS")
	case strings.HasPrefix(why.Cause, "handshake:"):
		return e.Hint("check the path of the URL, and the headers that the server wants")
	case why.Cause == "connect-timeout", why.Cause == "unreachable":
		return e.Hint("check the address and what filters the way to it, or give more --timeout")
	case why.Cause == "too-many-files":
		return e.Hint("raise the limit of open files (ulimit -n), or use fewer --clients")
	}
	return e.Hint("check that the URL is that of a WebSocket server")
}

func reasonOf(why *op.Failure) error {
	if why.Err == nil {
		return errors.New("no further reason is known")
	}
	return why.Err
}
