// Package http is the workload of requests and answers over HTTP: its plan and settings, the clients, what their
// requests and checks are (script), what it adds to the document, and what its report shows.
//
// A client is one connection; with HTTP/1.1 it has one request under way at a time, which it reads itself
// (workload.Reader). What is looked at of an answer is looked at behind its end, so that no check is in a response
// time.
package http
