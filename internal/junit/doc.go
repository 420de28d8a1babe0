// Package junit makes the JUnit XML of a run or of a set, which the pages of GitHub, GitLab, Jenkins and others show as
// tests: a suite for each run, and a case for each thing that may have gone wrong.
//
// The rule by which it agrees with the exit status of the command that made the runs:
//
//   - A goal that was missed is a failure, and so is a figure that got worse where that was to fail. What cannot be
//     told, or cannot be trusted, and a run that failed or was interrupted, is an error.
//   - With status 0 there is neither. With 3 there is a failure, and errors only for what could not be told besides.
//     With 1, 2, 4 and 130 there is an error, and failures only for goals that were missed besides.
//   - What a set looks for by failing, as the probes of a load line do, or leaves out, is skipped and does not count.
//
// It follows from the documents alone, so that a saved run gives the same file as the command that made it. It stands
// above rundoc and setdoc and below internal/run, and knows no kind of run. Its functions may be used at the same time.
package junit
