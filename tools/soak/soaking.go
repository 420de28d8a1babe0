package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// soaking is a pair that goes on.
type soaking struct {
	pair
	binary, dir string
	whole       time.Duration
	address     string
	env         []string
}

// row is what became of one program of a pair.
type row struct {
	name  string
	looks looks
	runs  counts
}

// counts are the short runs, and how those ended that did not end by themselves.
type counts struct{ all, killed, interrupted int }

func (s *soaking) run(ctx context.Context) ([]row, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	s.env = append(os.Environ(), "XDG_STATE_HOME="+s.dir, "HOME="+s.dir, "NO_COLOR=1")
	ctx, stop := context.WithTimeout(ctx, s.whole)
	defer stop()
	var rows []row
	var server *process
	if len(s.server) > 0 {
		var err error
		if server, err = s.serve(ctx); err != nil {
			return nil, err
		}
	}
	var lasting *process
	if s.lasting {
		lasting = s.start(append(s.command(), "--duration", (s.whole + time.Hour).String())...)
	}
	of := []*process{server, lasting}
	var watched sync.WaitGroup
	found := make([]looks, len(of))
	for i, p := range of {
		if p != nil {
			watched.Go(func() { found[i] = p.watch(ctx) })
		}
	}
	runs, err := s.again(ctx)
	stop()
	watched.Wait()
	// Who loads goes before the server.
	for i, p := range slices.Backward(of) {
		if p == nil {
			continue
		}
		err = errors.Join(err, p.end(os.Interrupt))
		r := row{name: s.name + " " + []string{"server", "workload"}[i], looks: found[i]}
		if i == 0 {
			r.runs = runs
		}
		rows = append(rows, r)
	}
	if server == nil {
		rows = append(rows, row{name: s.name + " demos", runs: runs})
	}
	return rows, err
}

// command is the workload's.
func (s *soaking) command() []string {
	out := slices.Clone(s.workload)
	for i, word := range out {
		if word == "URL" {
			out[i] = s.address
		}
	}
	return append(out, "--no-save", "--quiet")
}

// again starts the workload until the time is over: it ends by itself, is interrupted and is killed in turn.
func (s *soaking) again(ctx context.Context) (c counts, err error) {
	for ctx.Err() == nil {
		args := s.command()
		if s.lasting {
			args = append(args, "--duration", short.String())
		}
		p := s.start(args...)
		// Who is interrupted before it can listen for that dies of it: also the last one is left its time.
		p.wait(context.WithoutCancel(ctx), short/2)
		c.all++
		switch c.all % 3 {
		case 0:
			c.killed++
			_ = p.end(os.Kill)
		case 1:
			c.interrupted++
			err = p.end(os.Interrupt)
		default:
			p.wait(ctx, 10*time.Minute)
			err = p.end(os.Interrupt)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// announced is the address that a server says it is at, and a variable that it tells clients to set.
var (
	announced = regexp.MustCompile(`(?m)^.*? at ((?:ws|http)://[^\s,;]+)`)
	exported  = regexp.MustCompile(`(?m)^export (\w+=\S+)$`)
)

func (s *soaking) serve(ctx context.Context) (*process, error) {
	p := s.start(append(append([]string{"serve"}, s.server...), "--listen", "127.0.0.1:0")...)
	for announced.FindString(p.said.String()) == "" {
		if p.wait(ctx, 50*time.Millisecond) {
			return nil, fmt.Errorf("the server does not start: %s", p.said.String())
		}
	}
	p.wait(ctx, time.Second) // until it has said what else there is to say
	s.address = announced.FindStringSubmatch(p.said.String())[1]
	for _, found := range exported.FindAllStringSubmatch(p.said.String(), -1) {
		s.env = append(s.env, found[1])
	}
	return p, nil
}

// process is a program that was started.
type process struct {
	cmd  *exec.Cmd
	said *words
	over chan struct{}
	err  error // of its end
}

func (s *soaking) start(args ...string) *process {
	p := &process{cmd: exec.Command(s.binary, args...), said: &words{}, over: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = s.env, s.dir, p.said, p.said
	if p.err = p.cmd.Start(); p.err != nil {
		close(p.over)
		return p
	}
	// goroutine: end waits for it.
	go func() {
		p.err = p.cmd.Wait()
		close(p.over)
	}()
	return p
}

// wait waits until it ends, at most for so long, and reports whether it has.
func (p *process) wait(ctx context.Context, most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-p.over:
		return true
	case <-ctx.Done():
	case <-late.C:
	}
	return false
}

// watch looks at it every second.
func (p *process) watch(ctx context.Context) (all looks) {
	for !p.wait(ctx, time.Second) && ctx.Err() == nil {
		if l, err := lookAt(p.cmd.Process.Pid); err == nil {
			all = append(all, l)
		}
	}
	return all
}

// endTime is how long a program may take to end.
const endTime = time.Minute

// end has it end, and says what is wrong with that. Its exit status says what it thinks of what it measured, under faults.
func (p *process) end(by os.Signal) error {
	if p.cmd.Process == nil {
		return p.err
	}
	_ = p.cmd.Process.Signal(by) // it may be over
	name := strings.Join(p.cmd.Args[1:], " ")
	late := time.NewTimer(endTime)
	defer late.Stop()
	select {
	case <-p.over:
	case <-late.C:
		_ = p.cmd.Process.Kill()
		<-p.over
		return fmt.Errorf("%s: it does not end", name)
	}
	code := p.cmd.ProcessState.ExitCode()
	if text := p.said.String(); strings.Contains(text, "goroutine ") || strings.Contains(text, "panic: ") ||
		by != os.Kill && !slices.Contains([]int{0, 1, 3, 4, 130}, code) {
		return fmt.Errorf("%s: status %d: %s", name, code, text)
	}
	return nil
}

// words are what a program says, up to a bound.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// mostWords is how much is remembered.
const mostWords = 1 << 20

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text.Len() < mostWords {
		w.text.Write(b)
	}
	return len(b), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
