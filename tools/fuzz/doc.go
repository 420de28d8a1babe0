// Command fuzz runs the fuzz targets of this clone, one at a time, as the go command wants it.
//
//	fuzz -time 10s                       each of them, for so long
//	fuzz -time 5s -sample 8 -seed 0x1f   some of them by chance
//	fuzz -time 20s -keep -only FuzzRead  those with the text in their name, and what was found is kept
//
// Without -keep nothing is written but an input that fails, which the go command puts into testdata/fuzz.
//
// With it, what the fuzzer found and keeps in its cache is tried, one input after the other, the small ones first: those
// that reach a statement that no earlier one reached go to testdata/fuzz, where a plain 'go test' runs them, under names
// that tell their content. At most 20 inputs and 100 kB of a target are kept.
package main
