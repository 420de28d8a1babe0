package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// soaking is a pair that goes on.
type soaking struct {
	pair
	binary, dir string
	whole       time.Duration
	quiet       time.Duration // in which a server that has said its address says what else there is to say
	env         []string
	mu          sync.Mutex // of what follows: a server that is started again may be at other addresses
	address     string
	broker      string // of the message service in it
}

// row is what became of one program of a pair.
type row struct {
	name  string
	looks looks
	runs  counts
	// Of a server that is killed: how often, and the most goroutines that one had which was made to quit.
	restarts, atQuits int
}

// counts are the short runs, and how those ended that did not end by themselves.
type counts struct {
	all, killed, interrupted int
	early                    int // of those interrupted: before they listened for that, on a machine that is busy
}

// errEarly is the end of a program that was interrupted before it listened for that, and so died of it without a word.
var errEarly = errors.New("it dies of an interrupt")

// tooEarly says whether more of them die of an interrupt than a busy machine is to blame for.
func (c counts) tooEarly() error {
	if c.early > 2+c.interrupted/5 {
		return fmt.Errorf("%d of %d die of an interrupt", c.early, c.interrupted)
	}
	return nil
}

func (s *soaking) run(ctx context.Context) ([]row, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	s.env = append(os.Environ(), "XDG_STATE_HOME="+s.dir, "HOME="+s.dir, "NO_COLOR=1")
	ctx, stop := context.WithTimeout(ctx, s.whole)
	defer stop()
	var server *serving
	if len(s.server) > 0 {
		var err error
		if server, err = s.serve(ctx); err != nil {
			return nil, err
		}
	}
	var (
		all     sync.WaitGroup
		ofRuns  = row{name: s.name + " demos"}
		serveNo error
		rows    []row
	)
	if server != nil {
		ofRuns.name = s.name + " server"
		all.Go(func() { serveNo = server.keep(ctx) })
	}
	var lasting *process
	if s.lasting {
		lasting = s.start(append(s.command(), "--duration", (s.whole + time.Hour).String())...)
		all.Go(func() { rows = append(rows, row{name: s.name + " workload", looks: lasting.watch(ctx, nil)}) })
	}
	var err error
	if s.killed && s.lasting { // the one that lasts is what is looked at
		select {
		case <-ctx.Done():
		case <-lasting.over:
		}
	} else {
		ofRuns.runs, err = s.again(ctx)
	}
	stop()
	all.Wait()
	err = errors.Join(err, serveNo)
	// Who loads goes before the server.
	if lasting != nil {
		if lasting.wait(context.Background(), 0) {
			err = errors.Join(err, fmt.Errorf("it does not last: %s", lasting.said))
		}
		err = errors.Join(err, lasting.end(os.Interrupt))
	}
	if server != nil {
		err = errors.Join(err, server.end(os.Interrupt))
		ofRuns.looks, ofRuns.restarts, ofRuns.atQuits = server.looks, server.restarts, server.atQuits
	}
	return append(rows, ofRuns), err
}

// command is the workload's.
func (s *soaking) command() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.workload)
	for i, word := range out {
		switch word {
		case "URL":
			out[i] = s.address
		case "BROKER":
			out[i] = s.broker
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
		p := s.start(append(args, s.shorter...)...)
		// Who is interrupted before it can listen for that dies of it: also the last one is left its time.
		p.wait(context.WithoutCancel(ctx), short/2)
		c.all++
		switch c.all % 3 {
		case 0:
			c.killed++
			_ = p.end(os.Kill)
		case 1:
			c.interrupted++
			if err = p.end(os.Interrupt); errors.Is(err, errEarly) {
				c.early++
				err = c.tooEarly()
			}
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
	case <-ctx.Done():
	case <-late.C:
	}
	select { // also when the time is over at the same moment
	case <-p.over:
		return true
	default:
		return false
	}
}

// watch looks at it every second. How many goroutines it has is asked of it, where it tells.
func (p *process) watch(ctx context.Context, goroutines func(context.Context) int) (all looks) {
	for !p.wait(ctx, time.Second) && ctx.Err() == nil {
		if l, err := lookAt(p.cmd.Process.Pid); err == nil {
			if goroutines != nil {
				l.goroutines = goroutines(ctx)
			}
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
	if of, is := p.cmd.ProcessState.Sys().(syscall.WaitStatus); is && by == os.Interrupt && of.Signaled() &&
		of.Signal() == syscall.SIGINT && p.said.String() == "" {
		return fmt.Errorf("%s: %w", name, errEarly)
	}
	if text := p.said.String(); by != syscall.SIGQUIT && strings.Contains(text, "goroutine ") ||
		strings.Contains(text, "panic: ") ||
		by != os.Kill && by != syscall.SIGQUIT && !slices.Contains([]int{0, 1, 3, 4, 130}, code) {
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
