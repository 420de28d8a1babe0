package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// addFates adds to a file of one JSON object a line.
func addFates(name string, fates []fate) (err error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewEncoder(f)
	for _, s := range fates {
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

func readFates(name string) ([]fate, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var fates []fate
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return fates, lines.Err()
		}
		var s fate
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fates = append(fates, s)
	}
}

// mostNames is how many tests are named of a reason and a package.
const mostNames = 4

// tell prints the list, what most tests were left out for first. What was left out more than once, as in two runs, is
// there once, and what was left out of one and ran in another is not.
func tell(out io.Writer, fates []fate) {
	type place struct{ why, pkg string }
	type test struct{ pkg, name string }
	ran := map[test]bool{}
	for _, s := range fates {
		if s.Ran {
			ran[test{s.Package, s.Test}] = true
		}
	}
	tests, reasons := map[place][]string{}, map[string]int{}
	for _, s := range fates {
		if ran[test{s.Package, s.Test}] {
			continue
		}
		at := place{s.Why, strings.TrimPrefix(s.Package, "github.com/plimsoll/plimsoll/")}
		if slices.Contains(tests[at], s.Test) {
			continue
		}
		tests[at] = append(tests[at], s.Test)
		reasons[s.Why]++
	}
	if len(reasons) == 0 {
		fmt.Fprintln(out, "No test was left out.")
		return
	}
	order, all := make([]string, 0, len(reasons)), 0
	for why, n := range reasons {
		order = append(order, why)
		all += n
	}
	slices.SortFunc(order, func(a, b string) int {
		if n := reasons[b] - reasons[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	fmt.Fprintf(out, "Left out, with the reasons that the tests give (%d):\n", all)
	for _, why := range order {
		fmt.Fprintf(out, "  %s\n", why)
		var places []string
		for at, names := range tests {
			if at.why == why {
				places = append(places, "      "+at.pkg+": "+some(names))
			}
		}
		slices.Sort(places)
		fmt.Fprintln(out, strings.Join(places, "\n"))
	}
}

func some(names []string) string {
	slices.Sort(names)
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
