package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// hotpathClients is how many clients both sides of the comparison have.
const hotpathClients = "32"

// chatMessage is a valid message of usual length, which the bare loop sends again and again.
const chatMessage = `{"userId":"4711","username":"user4711","roomId":"7","messageType":"TEXT",` +
	`"message":"Has anyone seen the notes from the last meeting?",` +
	`"messageId":"0123456789abcdef-1234567-12.1234567","timestamp":"2026-11-21T20:47:00.000000Z"}`

func hotpathPart(ctx context.Context, l *lab, o *options, out *results) error {
	fmt.Printf("\n## Hot path\n\n%s clients, closed, against a bare gws loop; %d turns of twice %s of each\n",
		hotpathClients, o.trials, o.window)
	defer func() { printHotpath(out.Hotpath) }()
	for round := range o.trials {
		for _, pinned := range []bool{false, true} {
			for _, b := range o.binaries() {
				if has(out.Hotpath, func(t *hotpathTurn) bool {
					return t.Round == round && t.Pinned == pinned && t.Binary == b.name
				}) {
					continue
				}
				if err := o.due(ctx); err != nil {
					return err
				}
				t, err := l.turn(ctx, o, b, pinned, round)
				if err != nil {
					return fmt.Errorf("hotpath: %w", err)
				}
				out.Hotpath = append(out.Hotpath, *t)
				if err := save(o.out, out); err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "round %d/%d hotpath %-6s pinned %-5v user %.2f throughput %.2f\n", round+1, o.trials,
					b.name, pinned, t.Chat.UserNS/t.Bare.UserNS, t.Chat.Messages/t.Bare.Messages)
			}
		}
	}
	return nil
}

// turn lets the two sides begin in turn.
func (l *lab) turn(ctx context.Context, o *options, b binary, pinned bool, round int) (*hotpathTurn, error) {
	here, there := place{cpu: -1}, place{cpu: -1}
	if pinned {
		here.cpu, there.cpu = generatorCPU, targetCPU
	}
	at, err := l.serve(there, o.binary, "serve", "chat", "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer at.kill()
	url := at.url + "/chat/1"
	t := &hotpathTurn{Binary: b.name, Pinned: pinned, Round: round}
	for side := range 2 {
		if (side+round)%2 == 0 {
			t.Bare, err = l.bare(ctx, o, here, url)
		} else {
			t.Chat, err = l.chat(ctx, o, here, b, url)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (l *lab) bare(ctx context.Context, o *options, p place, url string) (speed, error) {
	run, err := l.start(p, nil, o.wsbench, "-d", o.window.String(), "-clients", hotpathClients,
		"-message", chatMessage, "echo", "gws", url)
	if err != nil {
		return speed{}, err
	}
	defer run.kill()
	if err := run.wait(ctx, 2*o.window+30*time.Second); err != nil {
		return speed{}, fmt.Errorf("wsbench: %w: %s", err, run.errs.String())
	}
	var f struct{ Messages, Seconds, User, System float64 }
	if err := json.NewDecoder(&run.out).Decode(&f); err != nil {
		return speed{}, fmt.Errorf("wsbench: %w", err)
	}
	return speed{f.Messages / f.Seconds, f.User * 1e9 / f.Messages, f.System * 1e9 / f.Messages}, nil
}

func (l *lab) chat(ctx context.Context, o *options, p place, b binary, url string) (speed, error) {
	run, err := l.start(p, nil, b.path, "chat", url, "--clients", hotpathClients, "--duration", o.window.String(),
		"--warmup-time", "300ms", "--json", "--no-save")
	if err != nil {
		return speed{}, err
	}
	defer run.kill()
	ended := run.wait(ctx, 2*o.window+30*time.Second)
	if ctx.Err() != nil {
		return speed{}, ctx.Err()
	}
	d, err := readDocument(&run.out, ended, run.errs.String())
	if err != nil {
		return speed{}, err
	}
	n := float64(d.Totals.OK)
	return speed{d.Totals.RatePerS, float64(d.Generator.CPUUserNS) / n, float64(d.Generator.CPUSystemNS) / n}, nil
}

func printHotpath(all []hotpathTurn) {
	fmt.Print("\n| | | bare loop | chat | user CPU of a message, bare | chat | user CPU ÷ bare | throughput ÷ bare |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	columns := []func(*hotpathTurn) float64{
		func(t *hotpathTurn) float64 { return t.Bare.Messages },
		func(t *hotpathTurn) float64 { return t.Chat.Messages },
		func(t *hotpathTurn) float64 { return t.Bare.UserNS / 1e3 },
		func(t *hotpathTurn) float64 { return t.Chat.UserNS / 1e3 },
		func(t *hotpathTurn) float64 { return t.Chat.UserNS / t.Bare.UserNS },
		func(t *hotpathTurn) float64 { return t.Chat.Messages / t.Bare.Messages },
	}
	formats := []string{"%.0f/s", "%.0f/s", "%.2f µs", "%.2f µs", "%.2f", "%.2f"}
	compared(os.Stdout, all, func(t *hotpathTurn) (string, string) { return t.Binary, pinning(t.Pinned) }, columns,
		formats)
}
