// Package loadline finds the highest load that meets a service level objective, and analyses the probes of such a
// search: what each of them found, the load line with its interval, and what limits it.
//
// It stands beside the reports as internal/sweep does: ProbeOf judges a run as a probe, a Search says what to try next,
// Analyze works out a set document's part again from its probes, and Reread says where a set that was read does not
// follow from them. The search itself is that of internal/search.
//
// All is pure: no clock, no file, no random numbers. A Search belongs to one goroutine; functions may be called by any.
package loadline
