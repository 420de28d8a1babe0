package services

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/backoff"
)

// Stand is what stands ready for the operations of a service: the names of what was created,
// and how to remove it. One goroutine at a time uses it, but for Answered and NoteAnswer.
type Stand struct {
	Needs
	cfg    aws.Config // for setting up and clearing away: it tries again, and nothing is stamped
	rest   func()     // closes the connections
	remote *Remote
	suffix string // random, in all names
	made   []created

	pause    time.Duration // between asking whether something has come about
	answered atomic.Bool   // the server has answered a call

	// What the services gave.
	bucket, express, topic, role, bus, table, application, secret string
}

// Needs is what a set-up is for.
type Needs struct {
	Operations []string          // those that are measured, each SERVICE/OPERATION
	Timeout    time.Duration     // of a call
	Creating   func(what string) // is told of what is about to be made; or nil
}

// created is something that was created, or that may have been.
type created struct {
	what   string
	remove func(ctx context.Context) error
}

// NewStand makes one at a server, with a random name for everything that is created. Close ends it.
func NewStand(r *Remote, n Needs) *Stand {
	transport := r.Transport()
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it cannot fail
	return &Stand{
		Needs: n, cfg: r.patient(Guarded{PlainClient(transport)}), rest: transport.CloseIdleConnections, remote: r,
		suffix: hex.EncodeToString(random), pause: time.Second,
	}
}

// Close closes the connections. Nothing is removed by it: see Clear.
func (s *Stand) Close() { s.rest() }

// NoteAnswer notes that the server has answered a call.
func (s *Stand) NoteAnswer() { s.answered.Store(true) }

// Answered reports whether the server has answered any call, of the set-up or another.
func (s *Stand) Answered() bool { return s.answered.Load() }

// wanted reports whether an operation is measured.
func (s *Stand) wanted(operation string) bool { return slices.Contains(s.Operations, operation) }

func (s *Stand) name() string { return "plimsoll-" + s.suffix }

// create makes something. How to remove it is noted before: when the answer is lost, nobody
// knows whether it is there. An interrupt does not cut the call off, for the same reason; its
// time is bounded all the same.
func (s *Stand) create(ctx context.Context, operation, what string, create Call,
	remove func(ctx context.Context) error) error {
	if s.Creating != nil {
		s.Creating(what)
	}
	s.made = append(s.made, created{what, remove})
	err := s.do(ctx, operation, create)
	if f, ok := err.(*Failure); ok && f.nothingDone {
		s.made = s.made[:len(s.made)-1]
	}
	return err
}

// nothingDone reports whether an error says for certain that nothing was created: the request
// was never sent, or it was refused. What is said to be there already was made by an earlier
// try, since no two runs use the same name.
func nothingDone(err error) bool {
	switch CauseOf(err) {
	case causeRefused, causeUnresolvable, causeTLS, causeScheme, causeHTML, causeCredentials:
		return true
	}
	var answered *smithyhttp.ResponseError
	var said smithy.APIError
	if !errors.As(err, &answered) || answered.HTTPStatusCode()/100 != 4 || !errors.As(err, &said) {
		return false
	}
	code := said.ErrorCode()
	return !strings.Contains(code, "Exist") && !strings.Contains(code, "Already") && !strings.Contains(code, "InUse")
}

// do makes a call of the set-up.
func (s *Stand) do(ctx context.Context, operation string, f Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeoutCause(s.remote.hard, s.Timeout, ErrTimeout)
	defer cancel()
	err := f(bounded)
	if err == nil {
		s.NoteAnswer()
		return nil
	}
	if errors.Is(context.Cause(bounded), ErrTimeout) {
		err = fmt.Errorf("no response within %v", s.Timeout)
		return &Failure{Operation: operation, Cause: causeTimeout, Err: err}
	}
	return &Failure{Operation: operation, Cause: CauseOf(err), Err: errors.New(Describe(err)),
		nothingDone: nothingDone(err)}
}

// clearTime bounds the removal of one thing. Where it is not AWS's, a server that answers
// nothing is not waited for that long.
const clearTime = 30 * time.Second

func (s *Stand) clearWithin() time.Duration {
	switch {
	case s.remote.Real:
		return clearTime
	case !s.Answered():
		return lastTry
	}
	return min(clearTime, setUpAttempts*s.Timeout)
}

// lastTry bounds the removal of one thing after everything was told to end.
const lastTry = 5 * time.Second

// Clear removes what was created, the last first, and tells what could not be removed. What was
// never created is no failure. When ctx is done, each thing still has one short try.
func (s *Stand) Clear(ctx context.Context) (left []string) {
	for len(s.made) > 0 {
		last := s.made[len(s.made)-1]
		s.made = s.made[:len(s.made)-1]
		bounded, cancel := context.WithTimeout(ctx, s.clearWithin())
		err := last.remove(bounded)
		cancel()
		if ctx.Err() != nil && err != nil {
			bounded, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastTry)
			err = last.remove(bounded)
			cancel()
		}
		if err != nil && !missing(err) && CauseOf(err) != causeScheme { // with the wrong scheme nothing was created
			left = append(left, fmt.Sprintf("%s, if it exists (%s)", last.what, Describe(err)))
		}
	}
	return left
}

// elsewhereTimes is how many times the time of a call a server that is not AWS has for what it makes.
const elsewhereTimes = 10

// awaitIn asks again and again as part of the set-up, which an interrupt ends.
func awaitIn(ctx context.Context, s *Stand, operation string, within time.Duration, f Call) error {
	if !s.remote.Real { // AWS asks for patience; elsewhere it seldom helps
		within = min(within, elsewhereTimes*s.Timeout)
	}
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := await(bounded, s.pause, func(ctx context.Context) error {
		once, enough := context.WithTimeout(ctx, s.Timeout)
		defer enough()
		return f(once)
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errAgain):
		return &Failure{Operation: operation, Cause: causeTimeout,
			Err: fmt.Errorf("the created resource is not available after %v", within)}
	}
	return &Failure{Operation: operation, Cause: CauseOf(err), Err: errors.New(Describe(err))}
}

// await asks again and again, until it gets no error or the time is up.
func await(ctx context.Context, every time.Duration, f Call) error {
	for {
		err := f(ctx)
		if err == nil {
			return nil
		}
		if !backoff.Sleep(ctx, every) {
			return err
		}
	}
}
