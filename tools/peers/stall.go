package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// What is asked of a server that stalls once. Users who come at this rate, and know nothing of each other, wait for
// what is left of the stall if they come in it: of the 10,000, the hundred that wait longest came in its first
// 50 ms, and waited 1.95 s or more.
const (
	stallRate  = 2000
	stallTime  = 5 * time.Second
	stallAfter = time.Second
	stallFor   = 2 * time.Second
	// That is what the 99th percentile has to be.
	stallTruth = stallFor - stallTime/100
)

// stall has each generator meet the same stall, and adds what it says of it.
func (b *bench) stall(t *table) error {
	a := asked{clients: 32, window: stallTime, rate: stallRate}
	t.section(fmt.Sprintf("A server that stalls once for %v, at %d requests a second for %v: p99 by computation %v",
		stallFor, stallRate, stallTime, stallTruth), "", "answered", "not sent", "p50", "p99", "of the truth", "longest")
	var commands []string
	for _, name := range []string{"plimsoll", "vegeta", "oha", "fortio", "k6", "hey", "wrk"} {
		server, err := b.serve("--stall-after", stallAfter.String(), "--stall-for", stallFor.String())
		if err != nil {
			return err
		}
		asks := a
		asks.url = server.plain
		if name == "wrk" {
			asks.rate = 0
		}
		f, err := b.measure(name, asks)
		server.stop()
		if err != nil {
			t.note("The stall: %s is left out: %v", name, err)
			continue
		}
		unsent := none
		if name == "plimsoll" || name == "k6" {
			unsent = fmt.Sprint(f.unsent)
		}
		t.add(name, fmt.Sprint(f.requests), unsent, inMillis(f.median), inMillis(f.p99),
			fmt.Sprintf("%.1f%%", 100*f.p99.Seconds()/stallTruth.Seconds()), inMillis(f.most))
		if args, err := tools()[name].command(b, asks); err == nil {
			args[0] = filepath.Base(args[0])
			commands = append(commands, "    "+strings.Join(args, " "))
		}
	}
	t.note("The commands of the stall (wrk knows no rate; k6's is in its script):\n%s", strings.Join(commands, "\n"))
	return nil
}
