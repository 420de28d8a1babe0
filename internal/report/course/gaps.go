package course

import "github.com/plimsoll/plimsoll/internal/report/graph"

// Gaps are the times in which the generator did not run, for panels over the same time that a kind has besides.
func Gaps(of Source) []graph.Band { return of.gaps() }
