package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbers are so many rows, from 1.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

func TestRowsThatAreLeftOut(t *testing.T) {
	columns := []Column[int]{
		Left("n", func(n int) string { return fmt.Sprint(n) }),
		Right("twice", func(n int) string { return fmt.Sprint(2 * n) }).More(),
		Right("none", func(int) string { return "0" }).Gap(""),
		Bars(func(n int) float64 { return 0.05 * float64(n) }),
	}
	row := func(n int) []string { return []string{fmt.Sprint(n), fmt.Sprint(2 * n), "0", bar(0.05 * float64(n))} }
	for _, tt := range []struct {
		name string
		got  Table
		want [][]string
	}{
		{"as many as there is room for", Ends(numbers(4), 4, columns...), [][]string{row(1), row(2), row(3), row(4)}},
		{"the ends", Ends(numbers(1205), 4, columns...), [][]string{
			row(1), row(2), {"…", "(1,201 more)", "", ""}, row(1204), row(1205),
		}},
		{"the first", First(numbers(5), 2, columns...), [][]string{row(1), row(2), {"…", "(3 more)", "", ""}}},
		{"groups", Grouped(numbers(3), func(n int) string { return fmt.Sprint(n / 2) }, columns[:2]...), [][]string{
			{"0", ""}, {" 1", "2"}, {"1", ""}, {" 2", "4"}, {" 3", "6"},
		}},
	} {
		if diff := cmp.Diff(tt.want, tt.got.rows); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestTextNamesWhatItOmits(t *testing.T) {
	table := TableOf(numbers(2), Left("n", func(n int) string { return fmt.Sprint(n) }), Blank[int]("of what"))
	if diff := cmp.Diff([][]string{{"1"}, {"2"}}, table.withoutBlanks().rows); diff != "" {
		t.Error(diff)
	}
	if len(table.columns) != 2 || table.Rows() != 2 {
		t.Errorf("%+v", table)
	}
}
