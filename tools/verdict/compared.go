package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// compared prints the rows of a table: for each arrangement and binary the medians over its trials,
// and where there are two binaries, the ratio of now to before.
func compared[T any](w io.Writer, all []T, of func(*T) (binary, arrangement string),
	columns []func(*T) float64, formats []string) {
	var arrangements []string
	for i := range all {
		if _, a := of(&all[i]); !slices.Contains(arrangements, a) {
			arrangements = append(arrangements, a)
		}
	}
	for _, a := range arrangements {
		medians := map[string][]float64{}
		for _, b := range []string{"before", "now"} {
			for _, column := range columns {
				if x := median(valuesOf(all, of, b, a, column)); !math.IsNaN(x) {
					medians[b] = append(medians[b], x)
				}
			}
			if len(medians[b]) == len(columns) {
				printRow(w, a, b, medians[b], formats)
			}
		}
		if len(medians["before"]) != len(columns) || len(medians["now"]) != len(columns) {
			continue
		}
		ratios, plain := make([]float64, len(columns)), make([]string, len(columns))
		for i := range columns {
			ratios[i], plain[i] = medians["now"][i]/medians["before"][i], "%.2f"
		}
		printRow(w, a, "now ÷ before", ratios, plain)
	}
}

// valuesOf are a figure of the trials of a binary in an arrangement.
func valuesOf[T any](all []T, of func(*T) (string, string), binary, arrangement string,
	column func(*T) float64) []float64 {
	var values []float64
	for i := range all {
		if b, a := of(&all[i]); b == binary && a == arrangement {
			values = append(values, column(&all[i]))
		}
	}
	return values
}

func printRow(w io.Writer, arrangement, binary string, values []float64, formats []string) {
	fmt.Fprintf(w, "| %s | %s |", arrangement, binary)
	for i, v := range values {
		fmt.Fprintf(w, " "+formats[i]+" |", v)
	}
	fmt.Fprintln(w)
}

func known(v *int64) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}
