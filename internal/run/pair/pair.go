package pair

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// RoundLength is how much of each side makes a round, by whose ratio the noise of slices is told.
const RoundLength = 500 * time.Millisecond

// Options say how a launch goes.
type Options struct {
	Way    string        // setdoc.BySlices, ByRuns, AtOnce
	Slice  time.Duration // by slices; 0: max(20 ms, 10 × p50, 20 operations)
	First  int           // the side that begins: 0, 1
	Seed   uint64        // of the order of the slices
	Member run.Member    // of both: its set, and where it is among the launches
}

// Made is what became of a launch.
type Made struct {
	Docs   [2]*rundoc.Run // nil where nothing was measured
	Errs   [2]error       // as of run.MakeMember
	Slice  time.Duration  // 0: there were none
	Slices int            // of each side
	Rounds []float64      // the ratio of the sides' rates, round by round; second ÷ first
	Others *float64       // share of the machine's CPUs that others used meanwhile; nil where not known
}

// ErrOther is why a side was not measured where the other one could not be.
var ErrOther = errors.New("not measured, because the other side failed")

// Launch makes one launch of two sides. A side whose other could not begin is not measured either.
func Launch(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o Options) *Made {
	made := &Made{}
	begun, known := instrument.UsedNow()
	switch o.Way {
	case setdoc.BySlices:
		made.bySlices(soft, hard, env, jobs, o)
	case setdoc.AtOnce:
		made.atOnce(soft, hard, env, jobs, o)
	default:
		made.inTurn(soft, hard, env, jobs, o)
	}
	made.others(begun, known)
	return made
}

// inTurn makes one whole run after the other.
func (m *Made) inTurn(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o Options) {
	for _, side := range [2]int{o.First, 1 - o.First} {
		if soft.Err() != nil {
			m.Errs[side] = fault.New(fault.Interrupted, "interrupted before this side was measured")
			return
		}
		m.Docs[side], m.Errs[side] = run.MakeMember(soft, hard, env, jobs[side], o.Member)
		if m.Docs[side] == nil {
			return
		}
	}
}

// atOnce makes both at the same time. Neither shows how far it is: there is one line for two.
func (m *Made) atOnce(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o Options) {
	var both sync.WaitGroup
	for side := range jobs {
		jobs[side].Forms.Quiet = true
		both.Go(func() { m.Docs[side], m.Errs[side] = run.MakeMember(soft, hard, env, jobs[side], o.Member) })
	}
	both.Wait()
}

// others takes the share of the CPUs that neither side used since a reading. What a target on this machine used that is
// no child of ours would be taken for others': then it is not known.
func (m *Made) others(begun instrument.Used, known bool) {
	for _, doc := range m.Docs {
		if doc == nil || doc.Target.SameHost && !doc.Target.Embedded {
			return
		}
	}
	if now, also := instrument.UsedNow(); known && also {
		m.Others = new(now.Others(begun))
	}
}
