package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is what all measurements share.
type bench struct {
	binary      string // plimsoll
	peers       string // where install.sh has put the others
	allocations string // a test binary of Plimsoll's room for HTTP
	rounds      int
	window      time.Duration
	loud        bool

	dir  string // for what is needed meanwhile
	self string
	ctx  context.Context // stored context: of the whole program, which is one measurement
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "loop" {
		exit(loop(os.Args[2:]))
	}
	var b bench
	flag.StringVar(&b.binary, "binary", "bin/plimsoll", "the plimsoll to measure")
	flag.StringVar(&b.peers, "peers", ".peers/http", "where install.sh has put the others")
	flag.StringVar(&b.allocations, "allocations", "", "a test binary of internal/workload/http")
	flag.IntVar(&b.rounds, "rounds", 5, "how often each generator is measured")
	flag.DurationVar(&b.window, "time", 2*time.Second, "how long, each time")
	flag.BoolVar(&b.loud, "v", false, "tell of each measurement")
	only := flag.String("only", "closed,tls,http2,open,idle,stall", "what to measure")
	flag.Parse()
	exit(b.run(strings.Split(*only, ",")))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (b *bench) run(parts []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b.ctx = ctx
	for _, path := range []*string{&b.binary, &b.peers, &b.allocations} {
		if *path != "" {
			*path, _ = filepath.Abs(*path)
		}
	}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "peers"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	before := loadAverage()
	server, err := b.nginx()
	if err != nil {
		return err
	}
	defer server.stop()
	var t table
	t.section("From one nginx, 1 KiB an answer", heads...)
	for _, s := range b.scenes(server) {
		if slices.Contains(parts, s.name) {
			if err := b.compare(&t, s, slices.Contains(parts, "idle")); err != nil {
				return err
			}
		}
	}
	if slices.Contains(parts, "stall") {
		if err := b.stall(&t); err != nil {
			return err
		}
	}
	t.print(os.Stdout)
	fmt.Printf("\n%d rounds of %v. Load average before %s, after %s.\n", b.rounds, b.window, before, loadAverage())
	return nil
}

// scene is one way to ask, which several generators can.
type scene struct {
	name  string // as of -only
	title string
	asked asked
	tools []string
	best  string // the one whose rate and processor time those of the others are told by
	idle  bool   // what an idle connection of Plimsoll takes is told
}

func (b *bench) scenes(s *target) []scene {
	plain := asked{url: s.plain, clients: 32, window: b.window}
	secure, second, open := plain, plain, plain
	secure.url, secure.ca = s.secure, s.ca
	second.url, second.http2 = s.second, true
	open.rate = 4000
	return []scene{
		{"closed", "32 connections", plain,
			[]string{"plimsoll", "wrk", "net/http", "fortio", "h2load", "hey", "k6"}, "wrk", true},
		{"tls", "over TLS", secure, []string{"plimsoll", "wrk", "net/http"}, "wrk", true},
		{"http2", "HTTP/2, no TLS", second, []string{"plimsoll", "h2load"}, "h2load", false},
		{"open", "4,000 a second", open, []string{"plimsoll", "fortio", "k6"}, "fortio", false},
	}
}

// compare measures the generators of a scene in turn, and adds their rows.
func (b *bench) compare(t *table, s scene, idle bool) error {
	got := map[string][]figures{}
	var left []string
	for round := range b.rounds {
		for i := range s.tools {
			name := s.tools[(i+round)%len(s.tools)] // each has each of the others before it
			if slices.Contains(left, name) {
				continue
			}
			f, err := b.measure(name, s.asked)
			if err != nil && b.ctx.Err() != nil {
				return b.ctx.Err()
			}
			if err != nil {
				left = append(left, name)
				t.note("%s: %s is left out: %v", s.title, name, err)
				continue
			}
			if b.loud {
				fmt.Fprintf(os.Stderr, "%-7s %-9s %8.0f/s %6.2f µs\n", s.name, name, f.rate(), f.cost())
			}
			got[name] = append(got[name], f)
		}
	}
	if f := got["plimsoll"]; len(f) > 0 && b.allocations != "" {
		if n, err := b.allocated(s.asked); err != nil {
			t.note("%s: the allocations of plimsoll: %v", s.title, err)
		} else {
			for i := range f {
				f[i].allocations = n
			}
		}
	}
	var each float64
	if idle = idle && s.idle; idle {
		var err error
		if each, err = b.idle(s.asked); err != nil {
			t.note("%s: the memory of an idle connection: %v", s.title, err)
		}
	}
	t.scene(s, got, each)
	return nil
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(data))[:3], " ")
}

// median is that of values that need not be sorted.
func median[T cmp.Ordered](v []T) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
