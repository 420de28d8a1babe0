// Command verdict measures whether the verdict of a run is right: it runs plimsoll (chat, updates and bandwidth; with
// nothing wrong, also http at several rates, ws and overhead) under conditions that it makes itself, so that it knows
// whose fault a slow response is, and counts what the run documents say: false VALID where the generator was harmed,
// false accusations where it was not.
//
//	verdict -binary bin/plimsoll [-trials 20] [-others 20] [-time 10s] [-only REGEXP] [-seed N] [-out FILE] [-for DURATION]
//
// The generator or the target is hogged, stopped, throttled or slow, or nothing is wrong at all: conditions.go has
// the table. Trials of different conditions alternate, in a new order each round, so that other load on the machine
// spreads over all of them.
//
// As root the target is in a network namespace of its own: a remote one, by all that the generator
// can see, but for updates, whose message service listens on loopback. The generator runs on CPU 0 and
// the target on CPU 1. Outside of loopback and of the two namespaces it touches the control groups alone:
// it makes groups, and turns the cpu controller on where version 2 has it off. Without root there are
// no namespaces and no quotas: what needs them is named as left out.
//
// A trial that fails is one in the tables, and does not end the bench; five in a row do. A bench that is
// ended, by SIGINT, SIGTERM or -for, prints the tables of what it has; each trial is saved when it was
// made. Loads and orders are functions of the seed and the round.
//
// What it makes (namespaces, control groups, processes) is taken down at the end, and after
// SIGINT and SIGTERM.
//
// The program calls itself for what has to happen in a process of its own: launch puts a program
// into its place (CPU, namespace, control group), hog is a busy loop. It runs on Linux alone. Everything happens on the main goroutine, but for the waiting
// for processes and the signals that stop one in the middle of a window.
package main
