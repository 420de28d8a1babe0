package main

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// pacingRate is that of the pacing trials, per second.
const pacingRate = 2000

// pacingPart measures how late messages are, on loopback: with the processes where the system puts
// them, and with a CPU for each side.
func pacingPart(ctx context.Context, l *lab, o *options, out *results) error {
	dir, err := os.MkdirTemp("", "verdict")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("\n## Pacing\n\n%d/s Poisson on loopback, %d trials of %s of each. The p50 of the own start delay is\n"+
		"in no document; that of the start delay, which the wait for a client is part of, is not below it.\n",
		pacingRate, o.trials, o.window)
	defer func() { printPacing(os.Stdout, out.Pacing) }()
	for round := range o.trials {
		random := rand.New(rand.NewPCG(o.seed, 2<<32+uint64(round)))
		for _, pinned := range []bool{false, true} {
			seed := random.Uint64() >> 1
			for _, b := range o.binaries() {
				if has(out.Pacing, func(t *pacingTrial) bool {
					return t.Round == round && t.Pinned == pinned && t.Binary == b.name
				}) {
					continue
				}
				if err := o.due(ctx); err != nil {
					return err
				}
				t, err := l.pace(ctx, o, b, pinned, seed, filepath.Join(dir, "stamps"))
				if err != nil {
					return fmt.Errorf("pacing: %w", err)
				}
				t.Round = round
				out.Pacing = append(out.Pacing, *t)
				if err := save(o.out, out); err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "round %d/%d pacing %-6s pinned %-5v p50 %.1f µs p99 %.1f µs\n", round+1, o.trials,
					b.name, pinned, t.KernelP50/1e3, t.KernelP99/1e3)
			}
		}
	}
	return nil
}

// pace makes one trial. The truth's stamps are for messages of the window: there is no warm-up.
func (l *lab) pace(ctx context.Context, o *options, b binary, pinned bool, seed uint64,
	file string) (*pacingTrial, error) {
	here, there := place{cpu: -1}, place{cpu: -1}
	if pinned {
		here.cpu, there.cpu = generatorCPU, targetCPU
	}
	at, err := l.serve(there, l.self, "truth", file)
	if err != nil {
		return nil, err
	}
	defer at.kill()
	run, err := l.start(here, nil, b.path, "chat", at.url+"/chat/1", "--rate", strconv.Itoa(pacingRate),
		"--duration", o.window.String(), "--seed", strconv.FormatUint(seed, 10), "--warmup-clients", "0",
		"--json", "--no-save")
	if err != nil {
		return nil, err
	}
	defer run.kill()
	ended := run.wait(ctx, 4*o.window+30*time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d, err := readDocument(&run.out, ended, run.errs.String())
	if err != nil {
		return nil, err
	}
	at.signal(syscall.SIGTERM)
	if err := at.wait(ctx, 30*time.Second); err != nil {
		return nil, err
	}
	stamps, err := readStamps(file)
	if err != nil {
		return nil, err
	}
	t := &pacingTrial{Binary: b.name, Pinned: pinned, Seed: seed, Validity: d.Verdict.Validity}
	return t, t.fill(d, stamps)
}

func readStamps(path string) (all []arrival, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = gob.NewDecoder(file).Decode(&all)
	return all, err
}

// tooEarly is how long before its intended start a message may seem to come: the wall clock of the
// document's start of the window and the kernel's are the same, but for what the system corrects.
const tooEarly = -20_000

func (t *pacingTrial) fill(d *document, stamps []arrival) error {
	started, length := d.window()
	t.StartP50, t.StartP99 = d.Totals.SendDelay.P50, d.Totals.SendDelay.P99
	t.OwnP99 = &d.Generator.OwnDelayP99NS
	t.CPUs = float64(d.Generator.CPUUserNS+d.Generator.CPUSystemNS) / float64(length)
	var kernel, read []float64
	due := arrivals(t.Seed, pacingRate, upTo(stamps, d.Totals.Scheduled))
	seen := make([]bool, len(due))
	for _, s := range stamps {
		if s.Index >= uint64(len(due)) || seen[s.Index] {
			continue // an attempt after the first
		}
		seen[s.Index] = true
		intended := started.UnixNano() + due[s.Index]
		read = append(read, float64(s.Read-intended))
		if s.Kernel == 0 {
			t.Unstamped++
			continue
		}
		kernel = append(kernel, float64(s.Kernel-intended))
	}
	t.Messages = len(read)
	t.KernelP50, t.KernelP99 = quantile(kernel, 0.5), quantile(kernel, 0.99)
	t.ReadP50, t.ReadP99 = quantile(read, 0.5), quantile(read, 0.99)
	if t.Messages == 0 || len(kernel) == 0 {
		return fmt.Errorf("of %d messages %d came with a stamp", t.Messages, len(kernel))
	}
	if t.Earliest = quantile(kernel, 0); t.Earliest < tooEarly {
		return fmt.Errorf("a message came %.0f µs before it was due: the arrivals are not those of the engine, "+
			"or the clock stepped", -t.Earliest/1e3)
	}
	return nil
}

// upTo is how many messages there are, of which some may not have come: those up to the last that did.
func upTo(stamps []arrival, scheduled int64) int {
	var n uint64
	for _, s := range stamps {
		if s.Index < uint64(scheduled) {
			n = max(n, s.Index+1)
		}
	}
	return int(n)
}

// printPacing prints medians over the trials.
func printPacing(w io.Writer, all []pacingTrial) {
	fmt.Fprint(w, "\n| | | start delay p50 | p99 | own p99 | at the server p50 | p99 | read there p50 | p99 | CPUs |\n"+
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	columns := []func(*pacingTrial) float64{
		func(t *pacingTrial) float64 { return known(t.StartP50) / 1e3 },
		func(t *pacingTrial) float64 { return known(t.StartP99) / 1e3 },
		func(t *pacingTrial) float64 { return known(t.OwnP99) / 1e3 },
		func(t *pacingTrial) float64 { return t.KernelP50 / 1e3 },
		func(t *pacingTrial) float64 { return t.KernelP99 / 1e3 },
		func(t *pacingTrial) float64 { return t.ReadP50 / 1e3 },
		func(t *pacingTrial) float64 { return t.ReadP99 / 1e3 },
		func(t *pacingTrial) float64 { return t.CPUs },
	}
	formats := []string{"%.1f µs", "%.1f µs", "%.1f µs", "%.1f µs", "%.1f µs", "%.1f µs", "%.1f µs", "%.3f"}
	compared(w, all, func(t *pacingTrial) (string, string) { return t.Binary, pinning(t.Pinned) }, columns, formats)
}

func pinning(pinned bool) string {
	if pinned {
		return "a CPU each"
	}
	return "as it comes"
}
