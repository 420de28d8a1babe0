// Package web serves pages to the browser of whoever runs the program: who may see them, a stream of events for pages
// that change, and the end of it all within a bound.
//
// On an address of this machine alone it takes every request that names this machine, and none that a name of a foreign
// site was pointed here for. On any other it asks for a token. It answers GET and HEAD, and nothing else. Slow clients
// keep others out for a second at most.
//
// It stands beside the flow plan → engine → record → run document → report and knows neither runs nor pages: those who
// use it bring a handler. A Server belongs to one goroutine; a Stream is for many.
package web
