package http

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/http/bodyfile"
	"github.com/plimsoll/plimsoll/internal/workload/http/cookies"
)

// exchange is what a slot has under way: a request of a flow and its answer, whatever carries them.
type exchange struct {
	of     *HTTP
	number uint64 // of the client
	counts *counts

	flow    int
	step    int
	request *request
	index   uint64 // of the operation that began the flow
	kept    [][]byte
	values  template.Values

	out     []byte         // the request, as it is sent
	outBody int            // how much of it is its body, or how long the file is
	outFile *bodyfile.File // what stands behind it instead; nil: nothing
	method  string         // of it
	hops    int            // redirects that it follows
	goesOn  bool           // the attempt goes on on a new connection
	jar     *cookies.Jar   // nil: no cookie has been set yet
	own     []byte         // the cookies that the request has of its own, where it has some
	cookie  []byte         // room for its Cookie header
	more    []byte         // headers that are not the same in every request

	text    []byte // the request, where it is rendered
	body    []byte // room for its body
	patches []template.Patch

	answer   selector.Answer
	unpacked []byte    // room for what its body was before it was compressed
	sum      hash.Hash // nil until it is needed
}

// begin makes the first request of the flow that operation number index begins.
func (x *exchange) begin(index uint64) workload.Operation {
	x.index, x.flow, x.step = index, x.of.Flow(index), 0
	if x.of.strangers {
		x.jar = nil
	}
	return x.prepare()
}

// follow makes the request that follows.
func (x *exchange) follow(e workload.Ended) (next workload.Operation, pause time.Duration, more bool) {
	steps := x.of.flows[x.flow]
	if e.Why != nil || x.step+1 == len(steps) {
		return workload.Operation{}, 0, false
	}
	x.step++
	return x.prepare(), x.request.step.Pause, true
}

func (x *exchange) prepare() workload.Operation {
	x.request = x.of.flows[x.flow][x.step]
	x.write()
	return workload.Operation{Kind: x.request.kind}
}

// write makes the text of the request. The time in it is written when it is known.
func (x *exchange) write() {
	r := x.request
	x.patches, x.hops, x.goesOn, x.method, x.outFile = x.patches[:0], 0, false, r.step.Method, r.file
	if r.whole != nil && !x.personal() {
		x.out, x.outBody = r.whole, r.size
		return
	}
	x.render()
	x.out, x.outBody = x.text, len(x.body)
	if x.outFile != nil {
		x.outBody = int(x.outFile.Size())
	}
	if x.of.signer != nil && !r.authorized {
		x.out = x.of.signer.Sign(x.text)
	}
}

// render renders the request.
func (x *exchange) render() {
	s := x.of.script
	// Each step of a flow draws for itself.
	x.values = template.Values{
		Seed: x.of.plan.Load.Seed ^ uint64(x.step)<<48, Index: x.index, Client: x.number, Kept: x.kept,
		Now: time.Unix(1e9, 0),
	}
	if len(s.Rows) > 0 {
		x.values.Row = s.Rows[x.index%uint64(len(s.Rows))]
	}
	patches := &x.patches
	if x.of.signer != nil { // what is signed does not change any more
		patches, x.values.Now = nil, x.of.signer.Now()
	}
	x.text, x.body = x.request.append(x.text[:0], x.body, &x.values, patches, x.headers(patches))
}

// sending is the text of the request.
func (x *exchange) sending() []byte { return x.out }

// bodySize is that of the request's body.
func (x *exchange) bodySize() int { return x.outBody }

// checkCause begins the cause of what failed a check.
const checkCause = "check:"

// look checks an answer, and keeps what the requests that follow need of it.
func (x *exchange) look(status int, fields selector.Fields) *op.Failure {
	s := x.request.step
	x.answer.Status, x.answer.Fields = status, fields
	if x.of.plan.Request.Compressed {
		if why := x.decode(fields); why != nil {
			return why
		}
	}
	for _, check := range s.Checks {
		if !check.Holds(&x.answer) {
			x.of.examples.LoadOrStore(check.String(), check.Found(&x.answer))
			return &op.Failure{Cause: checkCause + check.String()}
		}
	}
	if len(s.Checks) == 0 && status >= 400 {
		return &op.Failure{Cause: cause.Status(status)}
	}
	for _, k := range s.Keep {
		v, found := k.From.Find(&x.answer)
		if !found {
			return &op.Failure{Cause: "keep:" + k.From.String()}
		}
		x.kept[k.Number] = append(x.kept[k.Number][:0], v...)
	}
	return nil
}

// mostKept bounds what is kept of an answer for checks, each client's own: it is the window that a coding may take
// (RFC 9659), and less would refuse what browsers read.
const mostKept = 8 << 20

var errTooLong = errors.New("the body is too large to decode or check")

// read reads the body of an answer to its end, keeps of it what is looked at, and says how long it is.
func (x *exchange) read(from io.Reader) (int64, error) {
	x.ready()
	room := x.of.rooms.Get().(*[roomSize]byte)
	defer x.of.rooms.Put(room)
	for {
		n, err := from.Read(room[:])
		if n > 0 {
			if err := x.take(room[:n]); err != nil {
				return x.answer.Size, err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.answer.Size, err
		}
	}
	x.taken()
	return x.answer.Size, nil
}

// ready makes ready for the body of an answer.
func (x *exchange) ready() {
	x.answer.Reset()
	if !x.request.needs().Sum {
		return
	}
	if x.sum == nil {
		x.sum = sha256.New()
	}
	x.sum.Reset()
}

// take takes a piece of the body.
func (x *exchange) take(p []byte) error {
	x.answer.Size += int64(len(p))
	needs := x.request.needs()
	if needs.Sum {
		x.sum.Write(p)
	}
	if needs.Body {
		if len(x.answer.Body)+len(p) > mostKept {
			return errTooLong
		}
		x.answer.Body = append(x.answer.Body, p...)
	}
	return nil
}

// taken says that the body has been taken to its end.
func (x *exchange) taken() {
	if x.request.needs().Sum {
		x.sum.Sum(x.answer.Sum[:0])
	}
}

// needs is what of an answer must be there when it is looked at.
func (r *request) needs() selector.Needs { return r.looks }

// roomSize is that of the pieces in which answers are read.
const roomSize = 32 << 10
