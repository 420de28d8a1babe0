package http

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/http/auth"
	"github.com/plimsoll/plimsoll/internal/workload/http/bodyfile"
	"github.com/plimsoll/plimsoll/internal/workload/http/rates"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// HTTP is the workload.
type HTTP struct {
	*dialer
	plan   Plan
	script *script.Script
	flows  [][]*request // by flow and step
	first  []float64    // by flow: the share of the arrivals before it
	kinds  []workload.Kind
	tokens *auth.Tokens // nil: none are shown
	signer *auth.Signer // nil: nothing is signed
	// Each client keeps cookies; in the open model an arrival is a stranger, who has none.
	cookies, strangers bool
	// Recorded cookies that were not sent, since responses have set them anew, and cookies that were not accepted.
	replaced, refused cookieCounts

	counts []counts // the clients share them; the warm-up's have one of their own behind the others

	rates  *rates.Rates
	files  bodyfile.Set
	pieces sync.Pool // of *[pieceSize]byte, for files while they are sent

	rooms    sync.Pool // of *[roomSize]byte, for the bodies of answers while they are read
	examples sync.Map  // check → what was found instead, the first time
	found    sync.Map  // likewise cause → what came
}

// shards is how many counts there are at most: enough that processors seldom meet in one, and few enough that idle
// clients take little memory.
const shards = 64

// counts are what some clients saw.
type counts struct {
	statuses [1000]atomic.Int64 // of three digits, those that no standard knows too
	sent     atomic.Int64       // bytes of bodies
	received atomic.Int64
	closed   atomic.Int64 // connections, by the server's word
	churned  atomic.Int64 // and by ours
	resent   atomic.Int64 // requests that nobody had taken
	hops     atomic.Int64 // redirects that were followed
}

// New makes the workload of a valid plan with this script.
func New(p Plan, s *script.Script) (*HTTP, error) {
	d, err := newDialer(s.Service, p.Dial)
	if err != nil {
		return nil, err
	}
	h := &HTTP{dialer: d, plan: p, script: s, counts: make([]counts, min(p.Load.MostClients(), shards)+1)}
	h.rooms.New = func() any { return new([roomSize]byte) }
	if err := p.Auth.authorize(s); err != nil {
		return nil, err
	}
	if p.Request.Compressed {
		if err := accept(s); err != nil {
			return nil, err
		}
	}
	if h.Proxy != nil && !h.secure {
		if err := h.askProxy(s); err != nil {
			return nil, err
		}
	}
	h.strangers = p.Load.Open()
	h.cookies = p.Request.Cookies == reach.CookiesOn || p.Request.Cookies == "" && h.Flows() != nil
	h.pieces.New = func() any { return new([pieceSize]byte) }
	h.rates = rates.New(p.Request.Rates)
	kinds := map[string]int{}
	var sum float64
	for i := range s.Flows {
		f := &s.Flows[i]
		h.first = append(h.first, sum)
		sum += f.Weight
		var steps []*request
		for j := range f.Steps {
			step := &f.Steps[j]
			kind, known := kinds[step.Name]
			if !known {
				kind = len(h.kinds)
				kinds[step.Name] = kind
				h.kinds = append(h.kinds, workload.Kind{Name: step.Name, Stages: true})
			}
			file, err := h.files.Open(step.File)
			switch {
			case err != nil:
				return nil, err
			case file != nil && p.Auth.SigV4 != "":
				h.Close()
				return nil, usage("%s is larger than 1 MiB, the largest body that --aws-sigv4 can sign", file.Name()).
					Hint("remove --aws-sigv4, or send a smaller file")
			case p.Dial.HTTP2:
				steps = append(steps, newFields(step, &s.Service, h.cookies, kind, file))
			default:
				steps = append(steps, newRequest(step, &s.Service, p.Dial.NoKeepAlive, h.cookies, kind, file))
			}
		}
		for _, r := range steps {
			// What was compressed has to be kept whole for whatever looks at it.
			r.looks.Body = r.looks.Body || p.Request.Compressed && len(r.step.Checks)+len(r.step.Keep) > 0
		}
		h.flows = append(h.flows, steps)
	}
	for i := range h.first {
		h.first[i] /= sum
	}
	return h, nil
}

// askProxy has requests be those to a proxy (RFC 9112, 3.2.2).
func (h *HTTP) askProxy(s *script.Script) error {
	who, err := template.Compile(h.Proxy.Authorization, template.Header, &template.Known{})
	if err != nil {
		return err
	}
	for i := range s.Flows {
		for j := range s.Flows[i].Steps {
			step := &s.Flows[i].Steps[j]
			if strings.HasPrefix(step.Target.Leading(), "/") {
				step.Target = step.Target.Before("http://" + s.Service.Host)
			}
			if h.Proxy.Authorization != "" && !gives(step, "Proxy-Authorization") {
				step.Headers = append(step.Headers, script.Header{Name: "Proxy-Authorization", Value: who})
			}
		}
	}
	return nil
}

// Close closes the files that were sent.
func (h *HTTP) Close() { h.files.Close() }

// Kinds are the names of the requests.
func (h *HTTP) Kinds() []workload.Kind { return h.kinds }

// Groups are none.
func (h *HTTP) Groups() int { return 0 }

// Kind is the request that operation number index begins with.
func (h *HTTP) Kind(index uint64) int { return h.flows[h.Flow(index)][0].kind }

// Flows names the flows, if any of them has several steps.
func (h *HTTP) Flows() []string {
	var names []string
	several := false
	for i := range h.script.Flows {
		f := &h.script.Flows[i]
		names = append(names, f.Name)
		several = several || len(f.Steps) > 1
	}
	if !several {
		return nil
	}
	return names
}

// Flow is the flow that operation number index begins, a function of the seed and the index.
func (h *HTTP) Flow(index uint64) int {
	switch order := h.script.Order; {
	case order != nil:
		return int(order[index%uint64(len(order))])
	case len(h.first) == 1:
		return 0
	}
	r := rand.NewPCG(h.plan.Load.Seed^0xF10F, index)
	draw := float64(r.Uint64()>>11) / (1 << 53)
	flow := len(h.first) - 1
	for h.first[flow] > draw {
		flow--
	}
	return flow
}

// At is when row number index of the script was recorded, as fast as the plan says.
func (h *HTTP) At(index uint64) (time.Duration, bool) {
	times := h.script.Times
	if index >= uint64(len(times)) {
		return 0, false
	}
	return h.plan.sooner(times[index]), true
}

// Stamp has the connections of clients that are made from now on stamped.
func (h *HTTP) Stamp(t *wire.Times) { h.Times = t }

// NewClient makes a client.
func (h *HTTP) NewClient(number, slots int) workload.Client {
	if h.plan.Dial.HTTP2 {
		c := newStreams(h, number, slots)
		if h.secure {
			return c
		}
		return sendingStreams{c}
	}
	c := &client{exchange: exchange{of: h, number: uint64(number), counts: h.countsOf(number),
		kept: make([][]byte, len(h.script.Kept))}}
	c.down.Store(notYet)
	if c.counted = !c.warmup(); c.counted {
		c.measure = h.rates.Measure
	}
	if h.secure {
		return c
	}
	return sender{c}
}

// countsOf are those that client number adds to.
func (h *HTTP) countsOf(number int) *counts {
	last := len(h.counts) - 1
	if number >= h.plan.Load.MostClients() {
		return &h.counts[last] // of the warm-up
	}
	return &h.counts[number%last]
}
