package pair

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// leastSlice is how short a slice is at least. With less, what a switch costs the caches of both would be measured.
	leastSlice = 20 * time.Millisecond
	// leastMedians and leastOperations are how much a slice holds at least, so that what its end cuts is little of it.
	leastMedians    = 10
	leastOperations = 20
	// unknownSlice is for loads without a warm-up, of which nobody knows how fast they go.
	unknownSlice = 100 * time.Millisecond
)

// half is one side while it is measured.
type half struct {
	turn  *engine.Turn
	stop  context.CancelFunc
	ended chan struct{} // closed when the document is there, or the error
	slice engine.Slice  // what it came to in the round that goes on
	n     int           // slices
	over  bool
}

// bySlices has both loads take turns in one process. Neither shows how far it is: there is one line for two.
func (m *Made) bySlices(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o Options) {
	var halves [2]*half
	defer func() {
		for _, h := range halves {
			if h != nil {
				<-h.ended
				h.stop()
			}
		}
	}()
	for _, side := range [2]int{o.First, 1 - o.First} {
		halves[side] = m.begin(soft, hard, env, jobs, side, o)
		if !halves[side].ready() {
			m.giveUp(halves, side)
			return
		}
	}
	m.Slice = o.Slice
	if m.Slice == 0 {
		m.Slice = max(sliceFor(halves[0].turn.Pace()), sliceFor(halves[1].turn.Pace()))
	}
	m.alternate(hard, halves, o)
	m.Slices = halves[0].n
	for _, h := range halves {
		h.turn.Release()
	}
}

// begin starts the run of a side, which waits for its turn when its window can begin.
func (m *Made) begin(soft, hard context.Context, env *run.Env, jobs [2]run.Job, side int, o Options) *half {
	h := &half{turn: engine.NewTurn(), ended: make(chan struct{})}
	soft, h.stop = context.WithCancel(soft)
	job, member := jobs[side], o.Member
	job.Forms.Quiet, member.Turn = true, h.turn
	// goroutine: bySlices waits for its end.
	go func() {
		defer close(h.ended)
		m.Docs[side], m.Errs[side] = run.MakeMember(soft, hard, env, job, member)
	}()
	return h
}

// ready waits until the window can begin; false: the run is over before.
func (h *half) ready() bool {
	select {
	case <-h.turn.Ready():
		return true
	case <-h.turn.Over():
		return false
	case <-h.ended:
		return false
	}
}

// giveUp ends the launch of which a side could not begin, or does not go on by turns.
func (m *Made) giveUp(halves [2]*half, side int) {
	<-halves[side].ended
	if m.Docs[side] != nil && m.Errs[side] == nil {
		m.Errs[side] = fault.New(fault.RunFailed, "its load cannot be paused")
	}
	m.Docs[side] = nil
	other := halves[1-side]
	if other == nil {
		return
	}
	other.stop()
	<-other.ended
	m.Docs[1-side] = nil
	m.Errs[1-side] = fault.New(fault.CodeOf(m.Errs[side]), "%w", ErrOther)
}

// sliceFor is how long the slices of a load with such a warm-up are at least.
func sliceFor(p engine.Pace) time.Duration {
	if p.PerS <= 0 {
		return unknownSlice
	}
	operations := time.Duration(leastOperations / p.PerS * float64(time.Second))
	return max(leastSlice, leastMedians*p.Median, operations).Round(time.Millisecond)
}

// alternate gives both sides their turns until neither has anything to do: each block of four has either order once,
// and which comes first is the seed's choice.
func (m *Made) alternate(hard context.Context, halves [2]*half, o Options) {
	random := rand.New(rand.NewPCG(o.Seed, uint64(o.Member.At)))
	first := o.First
	for !halves[0].over || !halves[1].over {
		for _, side := range [4]int{first, 1 - first, 1 - first, first} {
			if h := halves[side]; !h.over {
				h.take(hard, m.Slice)
			}
			m.round(halves)
		}
		first = random.IntN(2)
	}
}

// take gives a side its turn.
func (h *half) take(hard context.Context, long time.Duration) {
	slice, ok := h.turn.Slice(hard, long)
	if h.over = !ok; ok {
		h.n++
		h.slice.OK, h.slice.Busy = h.slice.OK+slice.OK, h.slice.Busy+slice.Busy
		h.slice.Length += slice.Length
	}
}

// round ends a round when both sides have had enough of it.
func (m *Made) round(halves [2]*half) {
	a, b := halves[0], halves[1]
	const enough = RoundLength * 9 / 10 // a window of whole rounds need not have whole slices
	if a.slice.Length < enough || b.slice.Length < enough {
		return
	}
	if x, y := a.speed(), b.speed(); x > 0 && y > 0 {
		m.Rounds = append(m.Rounds, y/x)
	}
	for _, h := range halves {
		h.slice = engine.Slice{}
	}
}

// speed is how fast a slot was, or the target, in the round.
func (h *half) speed() float64 {
	if h.slice.Busy <= 0 {
		return 0
	}
	return float64(h.slice.OK) / h.slice.Busy.Seconds()
}

// Busy is the share of their time in which the clients of a run had something to do, or waited for their turn: a load
// in slices is idle where a slice drains. What it got through in a second of its slices is its rate ÷ this.
func Busy(doc *rundoc.Run) float64 {
	all := int64(0)
	for _, ns := range doc.Ledger.States {
		all += ns
	}
	if all <= 0 {
		return 1
	}
	if busy := 1 - float64(doc.Ledger.States[rundoc.StateIdle])/float64(all); busy > 0 {
		return busy
	}
	return 1
}
