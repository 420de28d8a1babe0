// Package view serves saved runs and sets to a browser: a list of them, the page of each, several runs overlaid, and
// their documents.
//
// internal/web decides who may connect; internal/saved reads the documents. A document is found by its id among the
// saved ones, or was named on the command line: no path comes from a request. A reload shows new documents.
//
// A Pages is safe for concurrent use.
package view
