package pair

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
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

// Launch makes one launch of two sides.
func Launch(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o Options) *Made {
	err := fault.New(fault.RunFailed, "a launch cannot be made yet")
	return &Made{Errs: [2]error{err, err}}
}
