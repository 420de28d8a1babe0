package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	binary := flag.String("binary", "bin/plimsoll", "the `program`")
	whole := flag.Duration("time", time.Hour, "how long")
	only := flag.String("only", "", "the pairs with this `text` in their name")
	flag.Parse()
	if err := run(ctx, *binary, *only, *whole); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, only string, whole time.Duration) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plimsoll-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var (
		all  sync.WaitGroup
		mu   sync.Mutex // of what follows
		rows []row
		errs []error
	)
	for _, p := range pairs() {
		if !strings.Contains(p.name, only) {
			continue
		}
		s := &soaking{pair: p, binary: binary, dir: filepath.Join(dir, strings.ReplaceAll(p.name, " ", "-")), whole: whole,
			quiet: time.Second}
		all.Go(func() {
			of, err := s.run(ctx)
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, of...)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
			}
		})
	}
	all.Wait()
	return errors.Join(append(errs, tell(rows))...)
}

// tell prints the table, and says which rows are out of bounds.
func tell(rows []row) error {
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	var errs []error
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tlooks\tMB first\tsecond third\tlast third\tend\tmost\tfiles\tfiles\tthreads\tthreads"+
		"\tgoroutines\tgoroutines\tat quits\tshort runs\tkilled\tinterrupted\tearly\trestarts")
	for _, r := range rows {
		second, last := r.looks.thirds()
		var begin, end look
		if n := len(r.looks); n > 0 {
			begin, end = r.looks[0], r.looks[n-1]
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n",
			r.name, len(r.looks), mb(begin.memory), mb(second.memory), mb(last.memory), mb(end.memory), mb(r.looks.most().memory),
			second.files, last.files, second.threads, last.threads,
			told(second.goroutines), told(last.goroutines), told(r.atQuits),
			r.runs.all, r.runs.killed, r.runs.interrupted, r.runs.early, r.restarts)
		if err := grown(second, last); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.name, err))
		}
		if most := last.goroutines + last.goroutines/4 + goroutineRoom; last.goroutines > 0 && r.atQuits > most {
			errs = append(errs, fmt.Errorf("%s: %d goroutines when it is made to quit, %d told", r.name, r.atQuits, last.goroutines))
		}
	}
	return errors.Join(append(errs, table.Flush())...)
}

// told is a count of what not every program tells.
func told(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
