// Package onlook is what others may see of runs while they go on: a page, a scraper, a collector. A Show has the runs
// of one command that go on now; each run enters it and leaves it; those who look on ask it when they like, or are told
// by it about once a second and when a run is over, each on a goroutine of its own. Whoever looks holds up nothing but
// itself, and what is not looked at is not worked out.
//
// It stands below internal/run, whose runs enter, and above the record. All of it is safe for concurrent use.
package onlook
