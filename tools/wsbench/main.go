// Command wsbench compares WebSocket libraries on the machine it runs on.
//
//	wsbench [-d 3s] [-rounds 3] [-clients 32] [-idle 10000]
//
// Each library is measured as the client of one and the same server (gws), and as the server
// of one and the same client (gws): a closed echo loop over loopback, client and server in
// processes of their own, the libraries taking turns. It prints the medians, with the smallest and the
// largest. The load average tells whether the machine was doing anything else.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

var (
	window  = flag.Duration("d", 3*time.Second, "time of one measurement")
	rounds  = flag.Int("rounds", 3, "measurements of each library and side")
	clients = flag.Int("clients", 32, "connections of the echo loop")
	idle    = flag.Int("idle", 10000, "idle connections")
	text    = flag.String("message", "", "what 'echo gws URL' sends to a server that may answer otherwise")
)

// payload is as long as a chat message. main sets it, before anything is measured.
var payload = []byte(strings.Repeat("x", 250))

func main() {
	flag.Parse()
	if *text != "" {
		payload = []byte(*text)
	}
	var err error
	switch flag.Arg(0) {
	case "":
		err = compare()
	case "serve":
		err = serve(libraries[flag.Arg(1)])
	case "echo":
		err = echo(libraries[flag.Arg(1)], flag.Arg(2))
	case "idle":
		err = hold(libraries[flag.Arg(1)], flag.Arg(2))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wsbench:", err)
		os.Exit(1)
	}
}

// figures are what one process measured of itself.
type figures struct {
	Messages     int64
	Seconds      float64
	User, System float64 // seconds
	RSS          int64   // bytes
}

type row struct{ rate, user, system []float64 }

// compare measures every library on both sides and prints the tables.
func compare() error {
	before := loadAverage()
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range libraries {
			if !yield(n) {
				return
			}
		}
	})
	tables := map[string]map[string]*row{"client": {}, "server": {}}
	for range *rounds {
		for _, side := range []string{"client", "server"} {
			for _, name := range names {
				r := tables[side][name]
				if r == nil {
					r = &row{}
					tables[side][name] = r
				}
				if err := measure(side, name, r); err != nil {
					return fmt.Errorf("%s %s: %w", side, name, err)
				}
			}
		}
	}
	for _, side := range []string{"client", "server"} {
		fmt.Printf("\nas the %s, the other side being gws\n\n", side)
		fmt.Println("| library | messages/s | user µs/message | system µs/message | RSS KiB per idle connection |")
		fmt.Println("| --- | ---: | ---: | ---: | ---: |")
		for _, name := range names {
			rss, err := idleCost(side, name)
			if err != nil {
				return fmt.Errorf("idle %s %s: %w", side, name, err)
			}
			r := tables[side][name]
			fmt.Printf("| %s | %s | %s | %s | %.1f |\n",
				name, spread(r.rate, "%.0f"), spread(r.user, "%.2f"), spread(r.system, "%.2f"), rss/1024)
		}
	}
	fmt.Printf("\nload average before %s, after %s", before, loadAverage())
	return nil
}

func measure(side, name string, r *row) error {
	server, client := "gws", "gws"
	if side == "client" {
		client = name
	} else {
		server = name
	}
	s, url, err := start(server)
	if err != nil {
		return err
	}
	defer s.stop()
	before, err := s.ask()
	if err != nil {
		return err
	}
	var f figures
	if err := run(&f, "echo", client, url); err != nil {
		return err
	}
	if side == "server" {
		after, err := s.ask()
		if err != nil {
			return err
		}
		f.User, f.System = after.User-before.User, after.System-before.System
	}
	n := float64(f.Messages)
	r.rate = append(r.rate, n/f.Seconds)
	r.user = append(r.user, f.User/n*1e6)
	r.system = append(r.system, f.System/n*1e6)
	fmt.Fprintf(os.Stderr, "%s %-8s %8.0f/s user %.2f system %.2f µs/message\n",
		side, name, n/f.Seconds, f.User/n*1e6, f.System/n*1e6)
	return nil
}

// idleCost is the resident memory that one connection costs the measured side.
func idleCost(side, name string) (float64, error) {
	server, client := "gws", "gws"
	if side == "client" {
		client = name
	} else {
		server = name
	}
	s, url, err := start(server)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	before, err := s.ask()
	if err != nil {
		return 0, err
	}
	c, err := spawn("idle", client, url)
	if err != nil {
		return 0, err
	}
	defer c.stop()
	var grown figures // printed once all are connected
	if err := c.read(&grown); err != nil {
		return 0, err
	}
	if side == "client" {
		return float64(grown.RSS) / float64(*idle), nil
	}
	after, err := s.ask()
	return float64(after.RSS-before.RSS) / float64(*idle), err
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(data))[:3], " ")
}

// spread is the median, and the smallest and the largest.
func spread(v []float64, format string) string {
	slices.Sort(v)
	return fmt.Sprintf(format+" ("+format+"–"+format+")", v[len(v)/2], v[0], v[len(v)-1])
}

// process is a child of this program that answers each line on stdin with its figures.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func spawn(args ...string) (*process, error) {
	flags := []string{"-d", window.String(), "-clients", fmt.Sprint(*clients), "-idle", fmt.Sprint(*idle)}
	cmd := exec.Command(os.Args[0], append(flags, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

func start(library string) (*process, string, error) {
	p, err := spawn("serve", library)
	if err != nil {
		return nil, "", err
	}
	url, err := p.out.ReadString('\n')
	return p, strings.TrimSpace(url), err
}

func (p *process) ask() (f figures, err error) {
	if _, err = fmt.Fprintln(p.in); err != nil {
		return f, err
	}
	return f, p.read(&f)
}

func (p *process) read(f *figures) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, f)
}

func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}

func run(f *figures, args ...string) error {
	p, err := spawn(args...)
	if err != nil {
		return err
	}
	defer p.stop()
	return p.read(f)
}
