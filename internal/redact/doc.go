// Package redact decides what of a URL, a command line and a text may be shown and stored: in errors, reports, plan
// files and run documents.
//
// What is not known to be public is hidden: of a URL the user name, the password, the values of the query and the
// fragment, but not host and path; of a command line every value; of a body all but its size. Which setting holds which
// of these is declared with the setting (package setting).
//
// Its functions are pure, and safe for concurrent use.
package redact
