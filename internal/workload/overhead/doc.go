// Package overhead is the workload that calls services of AWS through the SDK for Go and
// measures what each attempt costs on the client's side.
//
// It stands between plan and engine: the engine drives its client, one call after the other,
// and times each call; the spans of the SDK and the connection's writes divide the time of the
// attempt.
package overhead
