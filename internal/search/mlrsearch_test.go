package search_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/plimsoll/plimsoll/internal/search"
)

// TestAgainstMLRsearch lets both search the same servers with the same probes: MLRsearch, in the Python that
// PLIMSOLL_MLRSEARCH names, with more and more trials for each bound until its bounds contain the truth as often as
// ours. It may then have needed no less probe time.
func TestAgainstMLRsearch(t *testing.T) {
	python := os.Getenv("PLIMSOLL_MLRSEARCH")
	if python == "" {
		t.Skip("PLIMSOLL_MLRSEARCH is not set; run 'make bench-search'")
	}
	const seeds = 40
	for _, s := range servers() {
		ours := sum{}
		for seed := range uint64(seeds) {
			r := s.start(seed)
			l := &search.Line{Start: begins(s, seed), Lowest: lowestRate, Highest: highestRate}
			for load, ok := l.Next(); ok; load, ok = l.Next() {
				l.Took(load, r.probe(load))
			}
			f := l.Found()
			ours.add(s.truth, f.Low, f.High, r.probed)
		}
		t.Logf("%-28s %s", s.name, ours)
		for _, trials := range []int{1, 3, 5, 9, 15, 21, 31, 45} {
			theirs := mlrsearch(t, python, s, seeds, trials)
			t.Logf("  MLRsearch, %2d a bound       %s", trials, theirs)
			if theirs.covers < ours.covers {
				continue
			}
			if theirs.seconds < ours.seconds {
				t.Errorf("%s: MLRsearch covers as often in %.0f s of probes, ours takes %.0f s", s.name, theirs.seconds, ours.seconds)
			}
			break
		}
	}
}

// begins is the load from which both go up. It is another one for each seed: MLRsearch keeps to loads in a fixed ratio from
// its lowest one, and is right by chance, or wrong, where one of these is the line.
func begins(s server, seed uint64) float64 { return s.capacity / 20 * (1 + float64(seed)/400) }

// sum is what some searches came to.
type sum struct {
	n, covers, within int
	seconds, width    float64 // means
}

func (s *sum) add(truth, low, high, seconds float64) {
	s.n++
	if low <= truth && truth <= high {
		s.covers++
	}
	if math.Abs(math.Sqrt(low*high)/truth-1) <= 0.05 {
		s.within++
	}
	s.seconds += (seconds - s.seconds) / float64(s.n)
	s.width += ((high-low)/truth - s.width) / float64(s.n)
}

func (s sum) String() string {
	return fmt.Sprintf("covers %d of %d, within 5%% %d, width %.1f%%, %.0f s of probes", s.covers, s.n, s.within, 100*s.width, s.seconds)
}

func mlrsearch(t *testing.T, python string, s server, seeds uint64, trials int) (of sum) {
	t.Helper()
	may := 0.01
	if s.room > 0 {
		may = 0.001 // those that failed; hardly any is late
	}
	cmd := exec.Command(python, "testdata/mlrsearch.py", fmt.Sprint(may), "0.09", fmt.Sprint(trials))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	for seed := range seeds {
		r := s.start(seed)
		fmt.Fprintln(in, begins(s, seed), 80*begins(s, seed))
		for {
			line, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var load, low, high float64
			if n, _ := fmt.Sscanf(line, "try %g", &load); n == 1 {
				all, late, failed := r.run(load)
				fmt.Fprintln(in, all, late+failed)
				continue
			}
			if n, _ := fmt.Sscanf(line, "found %g %g", &low, &high); n != 2 {
				t.Fatalf("MLRsearch says %q", line)
			}
			of.add(s.truth, low, high, r.probed)
			break
		}
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, said)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return of
}
