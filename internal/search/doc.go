// Package search finds the highest load that meets a condition, such as the largest rate that a server keeps up
// with. It knows no kind and makes no run: whoever searches tries the load that Next names and says what came of
// it. A Line is not for more than one goroutine.
//
// # Line
//
// A server is not the same at each probe: near its limit one probe meets the condition and the next does not. There
// is no highest load that meets it, but a load at which half of the probes do, the line, and a spread over which
// they go from all to none. A bisection of which each step is one probe believes the first false one for good, and
// ends with an interval in which the line is not; the test of such a server has it fail.
//
// A Line doubles the load until a probe fails (or halves it until one does not), and goes on by probabilistic
// bisection: what is believed of the line and of the spread is kept as a distribution, which each probe changes by
// Bayes' rule, and the next probe is where the line is as likely above as below. (Horstein, Sequential transmission
// using noiseless feedback, IEEE Trans. Inf. Theory 9, 1963, has the idea; Waeber, Frazier and Henderson, Bisection
// search with noisy responses, SIAM J. Control Optim. 51, 2013, that the error falls geometrically. They know how
// often a probe is false; here that depends on how near to the line it is, which is why the spread is a second
// unknown.)
//
//	P(probe at load x meets it) = 0.01 + 0.97 Φ((line − ln x) / spread)
//
// The constants:
//
//   - 600 × 12 cells: the loads reach from a quarter of the smaller end of the doubling to four times the larger
//     one, so that a cell is 0.6% of the load, a seventh of the interval's half; spreads from 0.4% to 30% in
//     steps of half as much again. If the line is near the end of these loads after all, as when the first probe
//     failed by chance, it doubles or halves once more from there.
//   - 0.01 and 0.02 at the ends: no single probe, such as one that a pause of the machine spoiled, decides
//     anything.
//   - the probes of the doubling are believed like all others. To leave out those that passed would be to forget
//     why the doubling went on; taken together they do not bias the answer, since which load was tried next
//     followed from what was already known. They do not count for the 8, 3, 3 and 60 below.
//   - probes at the quantiles 0.5, 0.25 and 0.75 in turn: those at the median tell most of where the line is, and
//     nothing of the spread, without which the interval's width means nothing.
//   - 98%: with the model's own faults it contains the line in well over 90 of 100 searches of servers that are the
//     same for longer than a probe or change within one (servers_test.go).
//   - ±4.5% unless Within says otherwise: with the cells' width the load is known to 5 %.
//   - 8 probes, 3 that meet it and 3 that fail: fewer have seen but one side of the line, or not the same place
//     twice.
//   - 60 probes: with a spread of 10% the interval is ±4.5% then, at best. What is wider is said to be so.
//   - halves that disagree at P > 0.99 are of a server that has changed: the first half is forgotten. At least 8 in
//     each, and a look after every 4th probe only: every look is a chance to forget without a reason. A server that
//     warms up for longer than the whole search is not found out by this.
//   - probes that are alike from one to the next, against what the model expects, tell less than as many
//     independent ones: where the autocorrelation of their surprises is above 0.7 of its standard error, the posterior
//     that is reported is raised to the power 1/(1 + 2 Σ ρ).
//     That is not enough for a capacity that wanders more slowly than the search: docs/design/loadline-method.md
//     reports the coverage of the interval in that case.
//
// Loads that are whole numbers end with an interval of one, where ±4.5% cannot be had.
//
// # Lengths
//
// The answer depends on the length of a probe: a queue that grows by 1% of the load needs some time to be seen.
// Lengths has the rule, and how low a rate can be for a percentile to be known at all. A search that may last three
// minutes has probes of 8.5 s at most where these have enough operations: shorter probes scatter more, and there are
// more of them, so that the precision for a given time is about the same.
package search
