// Package figure gives the figures of a run document names, so that thresholds, sweeps and comparisons can speak of
// them: "p99", "p95{type=TEXT}", "failed", "visibility.p99".
//
// It stands above rundoc and below the kit of reports: a kind adds the figures that it alone has. A name is read once
// (Parse) and then asked of as many documents as there are (Spec.Of). All is a function of the document; nothing is
// kept, and everything is safe for concurrent use.
package figure
