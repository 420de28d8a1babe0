// Package show says what the report of an updates run shows: how many updates were applied and how
// soon, the way of a batch by its stages, the proof, what the server applied over time, a search for
// the largest rate; and the table of the reference's loads beside its figures.
//
// It is made of the kit in internal/report and knows nothing but the run document. Everything is a
// function of its arguments, safe for concurrent use.
package show
