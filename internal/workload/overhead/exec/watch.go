package exec

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
)

// theirs are the watches of what the command is kept from, which is not what this program is kept from.
const theirs = instrument.Hiccups | instrument.RunDelay | instrument.Throttling

// look is how often it is looked whether a command has made its first call.
const look = 5 * time.Millisecond

// watched watches the machine while a command makes its calls: from the first one on, whose answer makes the trace
// grow, to the command's end. A program that is compiled before it runs takes all processors for that, and none of that
// time is in a figure.
func watched(ctx context.Context, traced func() int64, use func()) (instrument.Reading, time.Duration) {
	epoch := time.Now()
	now := func() int64 { return int64(time.Since(epoch)) }
	meter := instrument.Start(instrument.Config{
		Now: now, Epoch: epoch, Off: theirs, Why: "the command runs in a separate process",
	})
	defer meter.Stop()
	ctx, ended := context.WithCancel(ctx)
	var opening sync.WaitGroup
	opening.Go(func() {
		for traced() == 0 {
			if !sleep(ctx, look) {
				return
			}
		}
		meter.Ready()
		meter.Open(now())
	})
	use()
	ended()
	opening.Wait()
	meter.Close(now())
	return meter.Reading(), instrument.ClockStep(epoch)
}
