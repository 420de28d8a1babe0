// Package runtest makes real runs for tests: of the engine on the real clock, and of the plimsoll command as a process.
//
// The machine that runs a test may be arbitrarily slow and busy. So a test of a real run asserts structure: counts,
// conservation, causes, files, sections, flags and formats. It never asserts a verdict, a rate, a duration, a
// percentile or an order in time. Tests of time use testing/synctest, an injected clock or a fixed document; what
// needs a real clock is a benchmark.
//
// The functions of this package are the only places where a test decides whether a real run went well.
package runtest
