// Package live shows running measurements in a browser: a page with the values so far, which is updated about once a
// second, and at the end the report.
//
// It observes runs with internal/onlook and serves with internal/web; the run does not depend on it. Without a browser
// nothing is computed, and a slow browser holds up nothing. Unknown values are left out, and there is no verdict before
// the end.
//
// Open and End belong to the owner of a Page; its other methods are safe for concurrent use.
package live
