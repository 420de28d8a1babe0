package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthHeading says what was moved, and how.
func (v *view) bandwidthHeading() string {
	d := v.bandwidth
	if d.Streams == 0 {
		return "closed model · " + utc(v.run.Started) // a document without a detail
	}
	what := exactSize(d.SizeBytes)
	if d.Streams > 1 {
		what = number(int64(d.Streams)) + " × " + what
	}
	if d.Iterations > 1 {
		what += ", " + number(int64(d.Iterations)) + " times"
	}
	parts := []string{what}
	if d.BlockBytes > 0 {
		parts = append(parts, "blocks of "+exactSize(d.BlockBytes))
	}
	if s := d.Store; s.PartBytes > 0 {
		text := "parts of " + exactSize(s.PartBytes)
		if s.ActiveParts > 0 {
			text += ", " + number(int64(s.ActiveParts)) + " in flight"
		}
		parts = append(parts, text)
	}
	if v.run.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, utc(v.run.Started)), " · ")
}

// bandwidthAnswer says how fast, where the time went, whether the data came back as it was,
// and whether the figures can be believed.
func (v *view) bandwidthAnswer() []fact {
	var facts []fact
	for _, t := range v.bandwidth.Transfers() {
		facts = append(facts, v.transferAnswer(t))
	}
	if len(facts) == 0 {
		facts = append(facts, fact{key: "Bandwidth", value: dash + " (the document has no transfer)", strong: true})
	}
	// The verdict stands before the limits, whose sentences are long: it must be on the first screen.
	return append(facts, v.checksumAnswer(), v.bandwidthFailures(), v.verdictAnswer(), v.limitsAnswer(), v.warningsAnswer())
}

func (v *view) transferAnswer(t rundoc.NamedTransfer) fact {
	f := fact{key: capital(t.Name), strong: true}
	switch {
	case !begun(t):
		f.value = dash + " (not begun)"
	case t.Files <= 0:
		f.value = dash + " (no file was completed)"
	case t.Bytes == 0:
		f.value = fmt.Sprintf("%s in %s", some(t.Files, "empty file", "empty files"), duration(t.DurationNS))
	default:
		f.value = fmt.Sprintf("%s (%s): %s in %s", megabytes(t.BytesPerS), megabits(t.BytesPerS), size(t.Bytes), duration(t.DurationNS))
	}
	if t.Block.Count > 0 {
		f.points = append(f.points, "blocks: "+blockTimes(&t.Block))
	}
	switch {
	case t.Close.Count > 0 && t.Name == rundoc.OperationUpload:
		f.points = append(f.points, fmt.Sprintf("close(): %s of the time, %s", percent(t.CloseShare), atMost(&t.Close)))
	case t.FirstBlockNS > 0 && t.Block.Count > 0:
		f.points = append(f.points, "first block there after "+duration(t.FirstBlockNS))
	}
	return f
}

// begun reports whether anything of a transfer was tried.
func begun(t rundoc.NamedTransfer) bool {
	return t.Files != 0 || t.Failed != 0 || t.Open.Count != 0 || t.Block.Count != 0
}

// blockTimes is min, p50, p99 and max, and the mean where there is no p50.
func blockTimes(s *rundoc.Summary) string {
	parts := []string{"min " + duration(s.MinNS)}
	if s.P50NS != nil {
		parts = append(parts, "p50 "+duration(*s.P50NS))
	} else {
		parts = append(parts, "mean "+duration(s.MeanNS))
	}
	if s.P99NS != nil {
		parts = append(parts, "p99 "+duration(*s.P99NS))
	}
	return strings.Join(append(parts, "max "+duration(s.MaxNS)), " · ")
}

// atMost is the one time of a summary, or the longest of several.
func atMost(s *rundoc.Summary) string {
	if s.Count == 1 {
		return duration(s.MaxNS)
	}
	return "the longest " + duration(s.MaxNS)
}

func (v *view) checksumAnswer() fact {
	c := v.bandwidth.Checksum
	f := fact{key: "Checksum"}
	switch c.Verdict {
	case rundoc.ChecksumOK:
		f.value = fmt.Sprintf("%s: ok, %s read are those that were written", clean(c.Algorithm), size(c.Bytes))
	case rundoc.ChecksumMismatch:
		f.value, f.strong = clean(c.Algorithm)+": MISMATCH, what was read is not what was written", true
		if c.Mismatch != "" {
			f.points = []string{clean(c.Mismatch)}
		}
	case "":
		f.value = dash
	default:
		f.value = clean(c.Verdict)
	}
	return f
}

func (v *view) bandwidthFailures() fact {
	var files, requests, bad, retries int64
	for _, t := range v.bandwidth.Transfers() {
		files += t.Failed
	}
	causes := newTally()
	for _, r := range v.bandwidth.Requests {
		requests, bad, retries = requests+r.Attempts, bad+r.Failed, retries+r.Retries
		causes.add(r.Causes)
	}
	f := fact{key: "Failures", value: "none, and no retries"}
	if files+bad+retries+v.total.Failed+v.total.Retries == 0 {
		return f
	}
	var parts []string
	if files != 0 {
		parts = append(parts, some(files, "file", "files")+" not completed")
	}
	if v.total.Failed != 0 {
		parts = append(parts, some(v.total.Failed, "operation", "operations")+" failed")
	}
	if bad != 0 {
		parts = append(parts, fmt.Sprintf("%s of %s failed", number(bad), some(requests, "request", "requests")))
	}
	f.value = strings.Join(append(parts, some(retries+v.total.Retries, "retry", "retries")), " · ")
	if text := causes.text(); text != "" {
		f.points = append(f.points, "requests tried again by cause: "+text)
	}
	ends := newTally()
	ends.add(v.total.Causes)
	if text := ends.text(); text != "" {
		f.points = append(f.points, "operations that failed by cause: "+text)
	}
	return f
}

// limitsAnswer is the one thing that held each transfer up most, with what to try.
func (v *view) limitsAnswer() fact {
	const longest = 300 // characters: five lines
	f := fact{key: "Limited by"}
	seen := map[string]bool{}
	for _, l := range v.bandwidth.Limits {
		if seen[l.Transfer] || len(seen) == 2 {
			continue
		}
		seen[l.Transfer] = true
		f.points = append(f.points, shorten(clean(fmt.Sprintf("%s: %s (%s): %s", l.Transfer, l.What, percent(l.Share), l.Message)), longest))
	}
	return f
}

// exactSize is a size as a person sets it: in the largest binary unit that leaves at most two
// decimals, or in bytes.
func exactSize(n int64) string {
	for _, u := range []struct {
		name string
		of   int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.of && n < 1<<50 && n*100%u.of == 0 && n/u.of < 10_000 {
			return grouped(strconv.FormatFloat(float64(n)/float64(u.of), 'f', -1, 64)) + " " + u.name
		}
	}
	return some(n, "byte", "bytes")
}

// known reports whether a rate is one: the division that made it was not by 0.
func known(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// megabytes is a bandwidth in MB/s, 10^6 bytes per second.
func megabytes(bytesPerS float64) string {
	if !known(bytesPerS) {
		return dash
	}
	return perSecond(bytesPerS/1e6) + " MB/s"
}

// megabits is a bandwidth in Mbit/s, 10^6 bits per second.
func megabits(bytesPerS float64) string {
	if !known(bytesPerS * 8) {
		return dash
	}
	return perSecond(bytesPerS*8/1e6) + " Mbit/s"
}

// decimals3 is a figure with three decimals and separators of thousands, or with three digits
// where those decimals would be 0.
func decimals3(v float64) string {
	switch {
	case !known(v):
		return dash
	case v < 0.1:
		return digits3(v)
	}
	return grouped(strconv.FormatFloat(v, 'f', 3, 64))
}

// took is how long a transfer took, to the millisecond if it was long.
func took(ns int64) string {
	switch {
	case ns < int64(time.Second):
		return duration(ns)
	case ns < int64(2*time.Minute):
		return decimals3(float64(ns)/1e9) + " s"
	}
	return decimals3(float64(ns)/1e9) + " s (" + length(ns) + ")"
}
