// Package setting holds what can be set, each thing declared once: its name, group, help, parser, rules
// and its place in the plan document. The flag of the command line, the check, the resolved plan in the
// run document, what a shell completes and the reference in the docs follow from that. It also has the
// parsers of what people write: durations, sizes, shares, counts.
//
// A setting points to the field that it sets; there is no reflection and no language in struct tags. A
// Set is the settings of one call of a command or of one server, in the order in which they are shown.
//
// It stands below the plan, the servers and the kinds of traffic, which declare their settings with it,
// and knows none of them, nor the command line. A Set is made for one call and used by one goroutine.
package setting
