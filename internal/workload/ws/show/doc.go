// Package show is how runs over WebSocket are shown: their report, their figures, and what lists say of them. Those of
// the chat are shown by it, too.
//
// It stands above the run document and the kit of reports, and knows no connection. It is for one goroutine.
package show
