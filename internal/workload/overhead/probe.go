package overhead

import (
	"context"
	"errors"
	"time"

	"github.com/aws/smithy-go/middleware"

	"github.com/plimsoll/plimsoll/throughput"
)

// A place is where a call passes, on its way through the SDK and back.
type place int

// The places, in the order of their passing.
const (
	callStart place = iota
	serializeStart
	buildStart
	attemptStart
	identityStart
	identityEnd
	endpointEnd
	deserializeStart
	doStart
	doEnd
	deserializeEnd
	attemptEnd
	callEnd
	places
)

// probe stamps the calls of one client, which makes one call at a time. Its hooks run on the
// goroutine of the call.
type probe struct {
	epoch     time.Time
	operation string // the one that is measured: calls that the SDK makes beside it are not
	sending   bool   // the request of that operation is about to be sent
	stamps    [places]time.Duration
	hooks     []func(*middleware.Stack) error
}

func newProbe() *probe {
	p := &probe{epoch: time.Now()}
	in := func(at place, id string) *passing { return &passing{p, at, id} }
	// The middlewares are made once: a call only adds them to its stack.
	serialize, build := in(serializeStart, "PlimsollSerialize"), in(buildStart, "PlimsollBuild")
	attempt := &around{p, attemptStart, attemptEnd, "PlimsollAttempt"}
	before, after := in(identityStart, "PlimsollIdentity"), in(identityEnd, "PlimsollIdentityEnd")
	endpoint := in(endpointEnd, "PlimsollEndpointEnd")
	wire := &around{p, deserializeStart, deserializeEnd, "PlimsollDeserialize"}
	p.hooks = []func(*middleware.Stack) error{
		func(s *middleware.Stack) error { return s.Serialize.Add(serialize, middleware.Before) },
		func(s *middleware.Stack) error { return s.Build.Add(build, middleware.Before) },
		func(s *middleware.Stack) error { return s.Finalize.Insert(attempt, "Retry", middleware.After) },
		func(s *middleware.Stack) error { return s.Finalize.Insert(before, "GetIdentity", middleware.Before) },
		func(s *middleware.Stack) error { return s.Finalize.Insert(after, "GetIdentity", middleware.After) },
		func(s *middleware.Stack) error {
			return s.Finalize.Insert(endpoint, "ResolveEndpointV2", middleware.After)
		},
		func(s *middleware.Stack) error { return s.Deserialize.Add(wire, middleware.Before) },
	}
	return p
}

// install adds the hooks to the stack of a call.
func (p *probe) install(s *middleware.Stack) error {
	if s.ID() != p.operation {
		return nil // such as the session that S3 Express begins within a call
	}
	for _, hook := range p.hooks {
		if err := hook(s); err != nil {
			return err
		}
	}
	return nil
}

// begin forgets the call before.
func (p *probe) begin() {
	p.stamps = [places]time.Duration{}
	p.pass(callStart)
}

func (p *probe) pass(at place) { p.stamps[at] = time.Since(p.epoch) }

// passed reports whether the call went all the way.
func (p *probe) passed() bool {
	for at, stamp := range p.stamps {
		if stamp == 0 && place(at) != callStart {
			return false
		}
	}
	return true
}

func (p *probe) between(from, to place) time.Duration { return p.stamps[to] - p.stamps[from] }

// passing stamps one place on the way to the server.
type passing struct {
	p  *probe
	at place
	id string
}

func (m *passing) ID() string { return m.id }

func (m *passing) HandleSerialize(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
	m.p.pass(m.at)
	return next.HandleSerialize(ctx, in)
}

func (m *passing) HandleBuild(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
	m.p.pass(m.at)
	return next.HandleBuild(ctx, in)
}

func (m *passing) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	m.p.pass(m.at)
	return next.HandleFinalize(ctx, in)
}

// around stamps a place on the way to the server and its counterpart on the way back.
type around struct {
	p        *probe
	in, back place
	id       string
}

func (m *around) ID() string { return m.id }

func (m *around) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	m.p.pass(m.in)
	out, metadata, err := next.HandleFinalize(ctx, in)
	m.p.pass(m.back)
	return out, metadata, err
}

func (m *around) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	m.p.sending = true
	m.p.pass(m.in)
	out, metadata, err := next.HandleDeserialize(ctx, in)
	m.p.pass(m.back)
	m.p.sending = false
	return out, metadata, err
}

// sighting takes the timeline of a call's request. It can come a moment after the call has
// returned: whoever wrote the request says so on a goroutine of its own.
type sighting struct {
	came chan *throughput.Timeline
}

func newSighting() *sighting { return &sighting{make(chan *throughput.Timeline, 1)} }

// Observe takes a timeline.
func (s *sighting) Observe(t *throughput.Timeline) {
	if errors.Is(t.Err, throughput.ErrResent) {
		return // net/http sends it again: the next one is the call's
	}
	select {
	case s.came <- t:
	default:
	}
}

// patience bounds the wait for a timeline. It comes within microseconds, if at all.
const patience = time.Second

// wait gives the timeline, or nil when none comes.
func (s *sighting) wait() *throughput.Timeline {
	select {
	case t := <-s.came:
		return t
	default:
	}
	bell := time.NewTimer(patience)
	defer bell.Stop()
	select {
	case t := <-s.came:
		return t
	case <-bell.C:
		return nil
	}
}
