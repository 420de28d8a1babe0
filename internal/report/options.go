package report

import "time"

// DefaultBucket is the width of a throughput bucket unless Options says another.
const DefaultBucket = 10 * time.Second

// Options says how a report is shown. The zero value is good.
type Options struct {
	// Bucket is the width of the throughput buckets, whole seconds; 0: DefaultBucket. The
	// stretches of a bandwidth run have this width unless it is 0 or DefaultBucket, which is
	// then what suits the length of the run.
	Bucket time.Duration
	Files  []File // written by the run, for the report to point to
	Colour bool   // the answer in bold, by ANSI escapes; for a terminal
	// Comparison is shown with an overhead run; nil: none.
	Comparison *OverheadComparison
	// Verbose lists each operation of a bandwidth run.
	Verbose bool
}

// File is a file that the run wrote.
type File struct {
	What string // "run document", "samples", …
	Path string
}

func (o Options) bucket() time.Duration {
	if o.Bucket <= 0 {
		return DefaultBucket
	}
	return o.Bucket
}
