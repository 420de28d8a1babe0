// Command mutants finds what the tests do not notice: it changes one comparison, constant, return or
// && and || of a package at a time, runs the tests, and tells which changes survived.
//
//	mutants                        60 of all mutants of the packages that packages.txt names
//	mutants -all rundoc            every one of a package
//	mutants -changed HEAD~20       a sample of the packages that changed since then
//	mutants -wide -n 1000 -escapes 1
//	                               1,000 of those and of wide.txt, of which ten may survive
//	mutants -only 'TEXT'           those whose identity has the text
//	mutants -list                  their identities, and nothing is run
//
// It runs at the root of a clone, by 'make mutants', and writes nothing there: the go command reads
// the changed files from a temporary directory (-overlay).
//
// # What is changed
//
//   - comparisons: < and <=, > and >=, == and !=
//   - && and ||
//   - numbers: one more and one less; of numbers above 64, times and fractions twice and half of it
//   - true and false
//   - texts that decide something: those that are compared, cases, indexes and named constants
//   - results: one at a time becomes its zero value, a bool its opposite, an error nil, nil an error
//
// Of fractions, a comparison becomes its opposite, as two that were measured are hardly ever equal, and
// what only allows for rounding becomes a thousand times as much.
//
// Lengths of arrays, enumerations by iota, texts that are only shown, and zeros returned beside an error
// or beside false, at which nobody looks, are left alone. given.txt has changes of other kinds, made by
// hand, which once survived; they are always run.
//
// # How it is quick
//
// All mutants of a package are compiled into one test binary, each behind a question whether it is the
// one that is on, which an environment variable says. Where that cannot be compiled, as in the
// declaration of a constant, a mutant has a build of its own. Every test is run once without a mutant,
// and notes which mutants it came by; a mutant is run against those tests alone, the quick ones first.
//
// # What is sampled
//
// packages.txt has the packages, or files of them, of which no mutant survives: one that does says that a test was lost.
// wide.txt has all others that measure, judge, store or guard. Of a large sample of both a few may survive (-escapes);
// each gets a test, or its reason, before the next one is drawn. Where a whole run of a package (-all) leaves none, it
// moves to packages.txt.
//
// # What is said of a mutant
//
//   - killed: a test failed, or did not end within ten times its time
//   - survived: none did, perhaps because none came by it. The status is 1, then
//   - stillborn: it does not compile, and says nothing
//   - equivalent: equivalent.txt says why no test can notice it. An entry that no mutant has any more
//     is an error
//
// The identity of a mutant is its file, its function and what becomes what, with a number where that
// stands in the function more than once: it outlives moves of lines.
package main
