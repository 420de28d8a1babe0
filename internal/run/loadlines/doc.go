// Package loadlines carries the search for a load line out: it makes each probe as a member of a set, a run of the kind
// at the load that the search asks for and as long as that load needs, and keeps the analysis of what is there in the
// set's document.
//
// It stands above internal/run and internal/run/several, between the command line and internal/loadline, which judges
// the probes and says what comes next. It knows no kind of traffic. A Search belongs to one goroutine.
package loadlines
