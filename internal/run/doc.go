// Package run is the life of one run, the same for every kind of traffic: it makes sure that
// what is asked for can be saved, takes the interrupts, starts and watches the embedded
// target, shows progress, has the engine carry the plan out, makes, judges and saves the run
// document, writes the files that are made of it, shows the report, and says by its error how
// it went.
//
// It stands between the rooms of the kinds and the engine, and knows no kind: one plugs in by a
// Job, whose Work does what only the kind can do. Whatever a run needs of the process comes in
// an Env.
//
// A Run belongs to one goroutine, and so does everything here but a View, which may be told of
// things by several.
package run
