package overhead

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/smithy-go/tracing"
)

// A checkpoint is where a call passes, on its way through the SDK and back.
type checkpoint int

// The checkpoints, in the order of their passing.
const (
	callStart checkpoint = iota
	serializeStart
	serializeEnd
	attemptStart
	identityStart
	identityEnd
	endpointEnd
	signEnd
	doStart
	doEnd
	deserializeEnd
	attemptEnd
	callEnd
	checkpoints
	nowhere = callStart // no span begins or ends there
)

// probe stamps the calls of one client, which makes one call at a time. It is what the SDK tells of
// its spans, which it does in any case; middlewares would be added to the stack of each call anew,
// which costs a microsecond.
type probe struct {
	epoch     time.Time
	operation string // the one that is measured: calls that the SDK makes beside it are not
	stamps    [checkpoints]time.Duration
	spans     [checkpoints]span
	calls     int         // of the operation that were measured
	staged    bool        // the call that goes on is one whose stages are stamped, too
	beside    atomic.Bool // the SDK has made another call
}

// stagedEvery is of how many calls one has its stages stamped: the clock's readings for them are half
// of what measuring costs a call.
const stagedEvery = 8

func newProbe() *probe {
	p := &probe{epoch: time.Now()}
	for end := range p.spans {
		p.spans[end] = span{p: p, end: checkpoint(end)}
	}
	return p
}

// beginCall forgets the call before.
func (p *probe) beginCall() {
	p.staged = p.calls%stagedEvery == 0
	p.calls++
	p.stamps = [checkpoints]time.Duration{}
	p.pass(callStart)
}

func (p *probe) pass(at checkpoint) { p.stamps[at] = time.Since(p.epoch) }

// passed reports whether the call went all the way.
func (p *probe) passed() bool {
	for at, stamp := range p.stamps {
		c := checkpoint(at)
		if stamp == 0 && (p.staged && c != callStart || c == attemptStart || c == attemptEnd) {
			return false
		}
	}
	return true
}

func (p *probe) between(from, to checkpoint) time.Duration { return p.stamps[to] - p.stamps[from] }

// Tracer is asked for once for each call.
func (p *probe) Tracer(string, ...tracing.TracerOption) tracing.Tracer { return &tracer{p: p} }

// tracer is told of the spans of one call of the SDK: the one that is measured, or one that the SDK
// makes beside it, perhaps on another goroutine, such as that for a session of S3 Express.
type tracer struct {
	p          *probe
	begun, own bool
}

// StartSpan stamps the beginning of a span. A call's first span is that of its operation.
func (t *tracer) StartSpan(ctx context.Context, name string, _ ...tracing.SpanOption) (context.Context, tracing.Span) {
	if !t.begun {
		t.begun, t.own = true, name[strings.LastIndexByte(name, '.')+1:] == t.p.operation
		if !t.own {
			t.p.beside.Store(true)
		}
		return ctx, &t.p.spans[nowhere]
	}
	if !t.own || !t.p.staged && name != "Attempt" {
		return ctx, &t.p.spans[nowhere]
	}
	start, end := nowhere, nowhere
	switch name {
	case "Attempt":
		start, end = attemptStart, attemptEnd
	case "OperationSerializer":
		start, end = serializeStart, serializeEnd
	case "GetIdentity":
		start, end = identityStart, identityEnd
	case "ResolveEndpoint":
		end = endpointEnd
	case "SignRequest":
		end = signEnd
	case "OperationDeserializer":
		end = deserializeEnd
	}
	if start != nowhere {
		t.p.pass(start)
	}
	return ctx, &t.p.spans[end]
}

// owns reports whether a context is that of the call that is measured.
func (p *probe) owns(ctx context.Context) bool {
	if !p.beside.Load() {
		return true
	}
	t, _ := tracing.GetOperationTracer(ctx)
	mine, ok := t.(*tracer)
	return ok && mine.own
}

// span stamps its end.
type span struct {
	p   *probe
	end checkpoint
}

// End stamps the checkpoint once: the SDK ends most spans twice, the second time on its way back.
func (s *span) End() {
	if s.end != nowhere && s.p.stamps[s.end] == 0 {
		s.p.pass(s.end)
	}
}

// Name is asked for by nobody, as is the context; the rest is of no interest.
func (s *span) Name() string                            { return "" }
func (s *span) Context() tracing.SpanContext            { return tracing.SpanContext{} }
func (s *span) AddEvent(string, ...tracing.EventOption) {}
func (s *span) SetProperty(any, any)                    {}
func (s *span) SetStatus(tracing.SpanStatus)            {}
