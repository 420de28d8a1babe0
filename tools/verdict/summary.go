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

// String is the share with its 95% interval.
func (t tally) String() string {
	if t.of == 0 {
		return "none"
	}
	low, high := t.wilson()
	return fmt.Sprintf("%d/%d (%.0f–%.0f%%)", t.hits, t.of, 100*low, 100*high)
}

// plain is the share without its interval.
func (t tally) plain() string { return fmt.Sprintf("%d/%d", t.hits, t.of) }

// wilson is Wilson's score interval of 95% for the share, which holds for few trials and for
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

// spread is the median of ratios, and what lies between one in ten and nine in ten of them.
func spread(ratios []float64) string {
	if len(ratios) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s–%s)", ratio(median(ratios)), ratio(quantile(ratios, 0.1)), ratio(quantile(ratios, 0.9)))
}

// calm is what the quiet trials of a load came to.
type calm struct{ raw, free, rate []float64 }

// reference has the quiet trials of each load, against the same target: what a trial would have been
// without the harm.
type reference map[string]*calm

// key is what the times of a quiet trial depend on.
func (t *trial) key() string {
	return fmt.Sprintf("%s %v %d/s %d", t.Kind, t.Loopback, t.Rate, t.Clients)
}

func references(all []trial) reference {
	r := reference{}
	for i := range all {
		t := &all[i]
		if t.Class != quiet || t.Validity == failed {
			continue
		}
		c := r[t.key()]
		if c == nil {
			c = &calm{}
			r[t.key()] = c
		}
		c.rate = append(c.rate, t.RatePerS)
		if t.Raw.P99 != nil {
			c.raw = append(c.raw, float64(*t.Raw.P99))
		}
		if free := t.free(); free != nil {
			c.free = append(c.free, float64(*free))
		}
	}
	return r
}

// free is the p99 that the target would have had, and the whole one of a program that does not know it.
func (t *trial) free() *int64 {
	if t.Free.P99 != nil {
		return t.Free.P99
	}
	return t.Raw.P99
}

// ratios are a trial's figures ÷ those of the quiet trials, NaN where either is missing.
type ratios struct{ raw, free, rate float64 }

func (r reference) against(t *trial) ratios {
	c := r[t.key()]
	if c == nil {
		c = &calm{}
	}
	return ratios{
		known(t.Raw.P99) / median(c.raw), known(t.Free.P99) / median(c.free), t.RatePerS / median(c.rate),
	}
}

// harmful is by how much a figure must differ from that of the quiet trials for the harm to be there.
const harmful = 1.2

// bitten reports whether the harm was there at all, by what it did to the figures: a quota or a memory
// limit that a small load does not reach harms nothing, and there is nothing to find. Without a quiet
// trial of the same load it is not known.
func (r ratios) bitten() (harmed, known bool) {
	slower, fewer := r.raw > harmful, r.rate < 1/harmful // never of NaN
	return slower || fewer, !math.IsNaN(r.raw) || !math.IsNaN(r.rate)
}

// line is what the trials of a condition come to.
type line struct {
	name                                string
	detected, bitten, found, bad, plain tally
	missed                              tally // valid although the harm showed
	seen, shared, broken, failed, near  tally
	raw, free                           []float64 // p99 ÷ that of the quiet trials
}

// printConditions prints a table for each class and binary, the pooled rates, and each sort of reason.
func printConditions(w io.Writer, out *results) {
	ref := references(out.Trials)
	for _, c := range []class{generatorTrouble, targetTrouble, quiet} {
		printClass(w, c, out.Trials, ref)
	}
	printReasons(w, out.Trials)
	var others, took []float64
	for i := range out.Trials {
		others, took = append(others, out.Trials[i].OthersCPUs), append(took, out.Trials[i].Took.Seconds())
	}
	fmt.Fprintf(w, "\nother programs used %s CPUs in half of the trials, %s in one of ten; "+
		"a trial took %s s, %s s in one of ten\n",
		ratio(median(others)), ratio(quantile(others, 0.9)), ratio(median(took)), ratio(quantile(took, 0.9)))
	for _, left := range out.LeftOut {
		fmt.Fprintf(w, "\nleft out: %s\n", left)
	}
}

func printClass(w io.Writer, c class, all []trial, ref reference) {
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
			l.add(t, ref)
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
	if c == generatorTrouble {
		fmt.Fprintf(w, "\nFalse VALID: %s of the runs in which the harm showed.\n", pooled.missed)
		fmt.Fprintf(w, "\nThe rate of detection is the first column's. The harm showed where p99 is more than %g times "+
			"that of\n"+
			"the quiet trials of the same load, or the throughput less than 1/%g of theirs.\n", harmful, harmful)
		return
	}
	fmt.Fprintf(w, "\nFalse accusations of the generator: %s.\n", pooled.detected)
}

var heads = map[class]string{
	generatorTrouble: "| generator's trouble | detected | the harm showed | detected of those | false VALID " +
		"| raw p99 ÷ quiet | free p99 ÷ quiet | within 20% | both share | broken law | error |",
	targetTrouble: "| target's trouble | blamed on the generator | not valid | raw p99 ÷ quiet | free p99 ÷ quiet " +
		"| both share | broken law | error |",
	quiet: "| nothing wrong | VALID | as far as seen | blamed on the generator | free p99 ÷ quiet | both share " +
		"| broken law | error |",
}

func (l *line) add(t *trial, ref reference) {
	l.failed.count(t.Validity == failed)
	if t.Validity == failed {
		return
	}
	l.detected.count(t.detected())
	r := ref.against(t)
	if harmed, known := r.bitten(); known {
		l.bitten.count(harmed)
		if harmed {
			l.found.count(t.detected())
			l.missed.count(strings.HasPrefix(t.Validity, "valid"))
		}
	}
	l.plain.count(t.Validity == "valid")
	l.seen.count(t.Validity == "valid as far as seen")
	l.bad.count(!strings.HasPrefix(t.Validity, "valid"))
	l.shared.count(names(t.Reasons, shared) && !t.detected())
	l.broken.count(names(t.Reasons, lawBroken))
	if !math.IsNaN(r.raw) {
		l.raw = append(l.raw, r.raw)
	}
	if !math.IsNaN(r.free) {
		l.free = append(l.free, r.free)
		l.near.count(math.Abs(r.free-1) <= 0.2)
	}
}

func (l *line) row(c class) string {
	cells := []string{l.name}
	switch c {
	case generatorTrouble:
		cells = append(cells, l.detected.String(), l.bitten.plain(), l.found.String(), l.missed.plain(), spread(l.raw),
			spread(l.free), l.near.plain())
	case targetTrouble:
		cells = append(cells, l.detected.String(), l.bad.String(), spread(l.raw), spread(l.free))
	default:
		cells = append(cells, l.plain.String(), l.seen.plain(), l.detected.String(), spread(l.free))
	}
	cells = append(cells, l.shared.plain(), l.broken.plain(), l.failed.plain())
	return "| " + strings.Join(cells, " | ") + " |"
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
	fmt.Fprint(w, "\n| names | generator's trouble | target's | none | reason, for example |\n| --- | --- | --- | --- "+
		"| --- |\n")
	often := slices.SortedFunc(maps.Values(sorts), func(a, b *sort) int { return cmp.Compare(b.count, a.count) })
	for _, s := range often {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s |\n", blames(s.example), s.classes[generatorTrouble],
			s.classes[targetTrouble], s.classes[quiet], s.example)
	}
}

func known(v *int64) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}
