// Package view shows saved runs and sets to a browser: the list of them, each as the page that a file of it would be,
// several of them overlaid, and their documents.
//
// It stands behind internal/web, which decides who may ask, and reads what internal/saved keeps. A document is found by
// its id among those that are kept, or is one of those that the command named: no path comes from a request. What is
// new on the disk is there when a page is asked for again.
//
// A Pages is safe for concurrent use.
package view
