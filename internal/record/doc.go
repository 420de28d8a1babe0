// Package record keeps what happened in a run: histograms, counts, the ledger, the series,
// the samples, and what the process used. At the end it makes the run document.
//
// It stands between the engine and the run document. Beside the engine only the passive
// measurement of a foreign client calls it, which has no engine. Recording an
// operation allocates nothing and takes no lock: it adds to counters that are spread over
// shards, and each second of the series has counters of its own, chosen by the operation's
// end and not by when a collector looked. Only what is rare (a failure's cause, a full
// buffer of samples) takes a lock.
//
// Nothing here grows with the length of a run: beyond a bound, neighbouring points of the series and
// neighbouring slices of time become one, and what was due in a second is counted in steps that
// become wider with time.
package record
