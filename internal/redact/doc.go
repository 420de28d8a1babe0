// Package redact says how a URL may be shown and stored: in errors, reports, plans and run documents.
//
// It is the one place that decides it. A URL is hidden unless it is known to be public: user names,
// passwords and the values of a query go, host and path stay.
//
// Its functions are pure, and safe for concurrent use.
package redact
