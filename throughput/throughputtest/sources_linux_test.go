package throughputtest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// TestAccuracyOfSources sends bodies whose sources are late, slow or in bursts over links of known rate, receives some with
// readers who are slow, and prints a table for docs/design/throughput.md. Where the quality is ok, the figure is
// within 5% of the truth; and no source or reader that keeps the network waiting has it.
func TestAccuracyOfSources(t *testing.T) {
	if os.Getenv("PLIMSOLL_ACCURACY") == "" {
		t.Skip("measures real time; run it with make bench-accuracy")
	}
	fmt.Println("| link | source or reader | limited by | attempts | truth MB/s | figure ÷ truth | ok | worst ok | polls | others |")
	fmt.Println("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, k := range links {
		t.Run(k.Name, func(t *testing.T) {
			b := newBench(t, k, "cubic")
			attempts := numbers(t, "ACCURACY_SOURCES", "7")[0]
			b.sources(t, k, attempts)
			if k.RTT > 0 { // the others have their rate in one direction
				b.readers(t, k, attempts)
			}
		})
	}
}

const sourced = 4 << 20

func (b *bench) sources(t *testing.T, k linkKind, attempts int) {
	const ms = time.Millisecond
	piece := 32 << 10
	alone := time.Duration(float64(piece*8) / k.Rate * float64(time.Second)) // a piece's on the link
	for _, c := range []struct {
		name   string
		make   source
		starve bool // keeps the network waiting
	}{
		{"at once", source{}, false},
		{"5 ms late", source{late: 5 * ms}, false},
		{"300 ms late", source{late: 300 * ms}, false},
		{"ten bytes, the rest 300 ms later", source{rest: 300 * ms}, true},
		{"at a third of the rate", source{every: 3 * alone, piece: piece}, true},
		{"1 MiB, and 200 ms later the next", source{every: 200*ms + alone*32, piece: 1 << 20}, true},
	} {
		var sum tally
		limits := map[throughput.Limit]int{}
		for i := range attempts + 1 {
			s := c.make
			got, truth, err := b.send(&s, sourced)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 { // opens the connection
				continue
			}
			sum.add(t, got, truth)
			limits[got.WriteLimit()]++
			if limit := got.WriteLimit(); c.starve && (got.WriteQuality() == throughput.OK || limit != throughput.LimitSource) {
				t.Errorf("%s: %s, limited by %q: %+v %+v", c.name, got.WriteQuality(), limit, got, got.Sending)
			}
		}
		sum.print(b.name, c.name+" | "+counts(limits))
	}
}

// readers compares what a caller who is slow reads with what it would have got at once.
//
// synctest: not in a bubble: measures real links, run only by make bench-accuracy.
func (b *bench) readers(t *testing.T, k linkKind, attempts int) {
	whole := time.Duration(sourced * 8 / k.Rate * float64(time.Second))
	for _, c := range []struct {
		name  string
		share float64 // of the time that a piece needs on the link
		slow  bool
	}{{"a reader at once", 0, false}, {"one that needs a third of the time", 0.33, false}, {"one that needs three times as long", 3, true}} {
		var rates []float64
		qualities, limits := map[throughput.Quality]int{}, map[throughput.Limit]int{}
		for i := range attempts + 1 {
			got, err := b.receive(func(n int) { time.Sleep(time.Duration(c.share * float64(whole) * float64(n) / sourced)) })
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				continue
			}
			rate, _ := got.ReadThroughput()
			rates = append(rates, rate/1e6)
			qualities[got.ReadQuality()]++
			limits[got.ReadLimit()]++
			if c.slow && (got.ReadQuality() == throughput.OK || got.ReadLimit() != throughput.LimitReader) {
				t.Errorf("%s: %s, limited by %q: %+v", c.name, got.ReadQuality(), got.ReadLimit(), got)
			}
		}
		slices.Sort(rates)
		fmt.Printf("| %s | %s | %s | %d | %.3g | %.3f of the link | %d%% | - | - | %s |\n", b.name, c.name, counts(limits), attempts,
			k.Rate/8e6, rates[len(rates)/2]*8e6/k.Rate, 100*qualities[throughput.OK]/attempts, counts(qualities))
	}
}

// counts are those of each word, that of nothing as a dash.
func counts[word ~string](of map[word]int) string {
	var parts []string
	for w, n := range of {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(w, "-"), n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// receive downloads a body, and does something after each piece.
func (b *bench) receive(after func(n int)) (*throughput.Timeline, error) {
	over := make(chan *throughput.Timeline, 4)
	ctx := throughput.WithObserver(context.Background(),
		throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s?size=%d", b.url, sourced), nil)
	if err != nil {
		return nil, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		after(n)
		if err == io.EOF {
			return <-over, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
