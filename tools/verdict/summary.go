package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// tally is how often something was so.
type tally struct{ hits, of int }

func (t *tally) count(hit bool) {
	t.of++
	if hit {
		t.hits++
	}
}

// String is the share with its 95 % interval.
func (t tally) String() string {
	if t.of == 0 {
		return "none"
	}
	low, high := t.wilson()
	return fmt.Sprintf("%d/%d (%.0f–%.0f %%)", t.hits, t.of, 100*low, 100*high)
}

// wilson is Wilson's score interval of 95 % for the share, which holds for few trials and for
// shares of 0 and 1 as well.
func (t tally) wilson() (low, high float64) {
	const z = 1.959964
	n, p := float64(t.of), float64(t.hits)/float64(t.of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}

// median of values, NaN of none.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile is the smallest value with at least that share at or below it.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, max(0, int(math.Ceil(q*float64(len(sorted))))-1))]
}

func ratio(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

// reference has the p99s of the quiet trials of the same model and load, against the same target:
// what a trial would have had without the harm.
type reference map[string][]float64

// key is what the p99 of a quiet trial depends on: in the open model the rate, with few enough of
// them in flight that the number of clients does not matter.
func (t *trial) key() string {
	if t.Rate > 0 {
		return fmt.Sprintf("%s %v %d/s", t.Binary, t.Loopback, t.Rate)
	}
	return fmt.Sprintf("%s %v %d", t.Binary, t.Loopback, t.Clients)
}

// references are those of the figure that get takes from a trial.
func references(all []trial, get func(*trial) *int64) reference {
	r := reference{}
	for i := range all {
		if t := &all[i]; t.Class == quiet && get(t) != nil {
			r[t.key()] = append(r[t.key()], float64(*get(t)))
		}
	}
	return r
}

func rawP99(t *trial) *int64  { return t.Raw.P99 }
func freeP99(t *trial) *int64 { return t.Free.P99 }

// against is a p99 ÷ the median of those of the quiet trials, NaN when either is missing.
func (r reference) against(t *trial, p99 *int64) float64 {
	if p99 == nil {
		return math.NaN()
	}
	return float64(*p99) / median(r[t.key()])
}

// line is what the trials of a condition come to.
type line struct {
	name                                string
	detected, bitten, found, bad, plain tally
	raw, free, like                     []float64 // p99 ÷ that of the quiet trials: both raw, free ÷ raw, both free
}

// printConditions prints a table for each class and binary, the pooled rates, and each sort of reason.
func printConditions(w io.Writer, o *options, out *results) {
	for _, b := range o.binaries() {
		fmt.Fprintf(w, "\n### %s\n", b.name)
		of := slices.DeleteFunc(slices.Clone(out.Trials), func(t trial) bool { return t.Binary != b.name })
		ref := [2]reference{references(of, rawP99), references(of, freeP99)}
		for _, c := range []class{generatorTrouble, targetTrouble, quiet} {
			printClass(w, c, of, ref, o)
		}
		printReasons(w, of)
		var others []float64
		for i := range of {
			others = append(others, of[i].OthersCPUs)
		}
		fmt.Fprintf(w, "\nother programs used %s CPUs in half of the trials, %s in one of ten\n",
			ratio(median(others)), ratio(quantile(others, 0.9)))
	}
	for _, left := range out.LeftOut {
		fmt.Fprintf(w, "\nleft out: %s\n", left)
	}
}

func printClass(w io.Writer, c class, all []trial, ref [2]reference, o *options) {
	lines, pooled, clear := map[string]*line{}, line{name: "all"}, line{name: "all but the faint ones"}
	for i := range all {
		t := &all[i]
		if t.Class != c {
			continue
		}
		l := lines[t.Condition]
		if l == nil {
			l = &line{name: t.Condition}
			lines[t.Condition] = l
		}
		into := []*line{l, &pooled}
		if !t.Faint {
			into = append(into, &clear)
		}
		for _, l := range into {
			l.add(t, ref, t.bitten(o.window))
		}
	}
	if len(lines) == 0 {
		return
	}
	rows := slices.SortedFunc(maps.Values(lines), func(a, b *line) int { return cmp.Compare(a.name, b.name) })
	rows = append(rows, &pooled)
	if c == generatorTrouble {
		rows = append(rows, &clear)
	}
	fmt.Fprintf(w, "\n%s\n", heads[c])
	fmt.Fprintln(w, strings.Repeat("| --- ", strings.Count(heads[c], "|")-1)+"|")
	for _, l := range rows {
		fmt.Fprintln(w, l.row(c))
	}
}

const p99Heads = "raw p99 ÷ quiet | free p99 ÷ quiet | free p99 ÷ quiet free |"

var heads = map[class]string{
	generatorTrouble: "| generator's trouble | detected | the harm was there | detected of those | " + p99Heads,
	targetTrouble:    "| target's trouble | blamed on the generator | not valid | " + p99Heads,
	quiet:            "| nothing wrong | VALID | blamed on the generator | " + p99Heads,
}

func (l *line) add(t *trial, ref [2]reference, bitten bool) {
	l.detected.count(t.detected())
	l.bitten.count(bitten)
	if bitten {
		l.found.count(t.detected())
	}
	l.plain.count(strings.HasPrefix(t.Validity, "valid"))
	l.bad.count(!strings.HasPrefix(t.Validity, "valid"))
	for _, x := range []struct {
		to    *[]float64
		ratio float64
	}{
		{&l.raw, ref[0].against(t, t.Raw.P99)},
		{&l.free, ref[0].against(t, t.Free.P99)},
		{&l.like, ref[1].against(t, t.Free.P99)},
	} {
		if !math.IsNaN(x.ratio) {
			*x.to = append(*x.to, x.ratio)
		}
	}
}

func (l *line) row(c class) string {
	ratios := fmt.Sprintf("%s | %s | %s", ratio(median(l.raw)), ratio(median(l.free)), ratio(median(l.like)))
	switch c {
	case generatorTrouble:
		return fmt.Sprintf("| %s | %s | %d/%d | %s | %s |",
			l.name, l.detected, l.bitten.hits, l.bitten.of, l.found, ratios)
	case targetTrouble:
		return fmt.Sprintf("| %s | %s | %s | %s |", l.name, l.detected, l.bad, ratios)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", l.name, l.plain, l.detected, ratios)
}

// printReasons counts the reasons of each sort, with an example: whoever doubts the sides that are
// given to their words can see.
func printReasons(w io.Writer, all []trial) {
	type sort struct {
		example string
		count   int
		classes map[class]int
	}
	sorts := map[string]*sort{}
	for _, t := range all {
		for _, r := range t.Reasons {
			s := sorts[shape(r)]
			if s == nil {
				s = &sort{example: r, classes: map[class]int{}}
				sorts[shape(r)] = s
			}
			s.count++
			s.classes[t.Class]++
		}
	}
	fmt.Fprint(w, "\n| names | generator's trouble | target's | none | reason, for example |\n| --- | --- | --- | --- | --- |\n")
	often := slices.SortedFunc(maps.Values(sorts), func(a, b *sort) int { return cmp.Compare(b.count, a.count) })
	for _, s := range often {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s |\n", blames(s.example), s.classes[generatorTrouble],
			s.classes[targetTrouble], s.classes[quiet], s.example)
	}
}
