package comparisons

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/units"
)

const (
	// usual is the limit that suits where nobody knows what others use: that of a machine without any.
	usual = 0.5
	// looking is for how long it is looked what others use.
	looking = 500 * time.Millisecond
	// mostDropped is how many launches in a row are dropped before there is an end of it: the limit is not the
	// machine's.
	mostDropped = 10
)

// othersNow is the share of the CPUs that others use, as long as nothing of ours goes on; false: it is not known.
func othersNow(ctx context.Context) (share float64, known bool) {
	before, known := instrument.UsedNow()
	if !known {
		return 0, false
	}
	timer := time.NewTimer(looking)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	now, known := instrument.UsedNow()
	return now.Others(before), known
}

// limit fixes how busy others may keep the machine in a launch, before the first of them.
func (c *Comparison) limit(ctx context.Context) {
	if c.request.BusyLimit >= 0 {
		return
	}
	c.of.BusyLimit = usual
	share, known := c.others(ctx)
	if !known {
		return
	}
	c.of.BusyLimit = math.Ceil(50*(1+share)) / 100
	const worthSaying = 0.2
	if share <= worthSaying || c.request.Forms.Quiet {
		return
	}
	drops := fmt.Sprintf("launches in which they use more than %s are dropped", units.Percent3(c.of.BusyLimit))
	if c.of.BusyLimit >= 1 {
		drops = "no launch is dropped because of that"
	}
	fmt.Fprintf(c.env.Stderr, "other programs use %s of the CPUs; %s\n", units.Percent3(share), drops)
}
