package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Subtitle says what was moved, and how.
func (v *shown) Subtitle() string {
	d := v.detail
	if d.Streams == 0 {
		return v.Heading("closed model") // a document without a detail
	}
	what := units.ExactSize(d.SizeBytes)
	switch o := d.Objects; {
	case o != nil:
		what = units.Count(o.Read, "file", "files") + ", " + units.Size(o.ReadBytes)
		if d.Streams > 1 {
			what += " in " + units.Number(int64(d.Streams)) + " streams"
		}
	case d.Streams > 1:
		what = units.Number(int64(d.Streams)) + " × " + what
	}
	if d.Iterations > 1 && !v.byTime() {
		what += ", " + units.Number(int64(d.Iterations)) + " times"
	}
	if v.byTime() {
		what += ", repeated"
	}
	parts := []string{what}
	if d.BlockBytes > 0 {
		parts = append(parts, "blocks of "+units.ExactSize(d.BlockBytes))
	}
	if s := d.Store; s.PartBytes > 0 {
		text := "parts of " + units.ExactSize(s.PartBytes)
		_, bounded := s.PartsInFlight(d.Streams)
		switch {
		case bounded && d.Streams > 1:
			text += ", " + units.Number(int64(s.AtOnce)) + " in flight in total"
		case bounded:
			text += ", " + units.Number(int64(s.AtOnce)) + " in flight"
		case s.ActiveParts > 0:
			text += ", " + units.Number(int64(s.ActiveParts)) + " in flight"
		}
		parts = append(parts, text)
	}
	return v.Heading(parts...)
}

// byTime reports whether the streams moved one file after the other for a time.
func (v *shown) byTime() bool {
	return slices.ContainsFunc(v.detail.Transfers(), func(t rundoc.NamedTransfer) bool { return t.Steady != nil })
}

// Answer says how fast, where the time went, whether the data came back as it was,
// and whether the figures can be believed.
func (v *shown) Answer() []report.Fact {
	var facts []report.Fact
	for _, t := range v.detail.Transfers() {
		facts = append(facts, v.transferAnswer(t))
	}
	if len(facts) == 0 {
		facts = append(facts, report.Fact{Key: "Bandwidth", Value: units.Dash + " (no transfer in the document)",
			Strong: true})
	}
	// The verdict stands before the limits, whose sentences are long: it must be on the first screen.
	return append(facts, v.objectsAnswer(), v.checksumAnswer(), v.bandwidthFailures(), v.VerdictAnswer(), v.limitsAnswer(),
		v.Notes(rundoc.WarnChecksum), v.demoAnswer())
}

func (v *shown) transferAnswer(t rundoc.NamedTransfer) report.Fact {
	if v.small(t) {
		return v.smallAnswer(t)
	}
	f := report.Fact{Key: units.Capital(t.Name), Strong: true}
	switch {
	case !begun(t):
		f.Value = units.Dash + " (not started)"
	case t.Files <= 0:
		f.Value = units.Dash + " (no file completed)"
	case t.Bytes == 0:
		f.Value = fmt.Sprintf("%s in %s", units.Count(t.Files, "empty file", "empty files"),
			units.Duration(t.DurationNS))
	case t.Steady != nil:
		f.Value = fmt.Sprintf("%s (%s) over %s; %s in %s in total", units.Megabytes(t.BytesPerS),
			units.Megabits(t.BytesPerS), units.Duration(t.Steady.DurationNS), units.Size(t.Bytes),
			units.Duration(t.DurationNS))
	default:
		f.Value = fmt.Sprintf("%s (%s): %s in %s", units.Megabytes(t.BytesPerS), units.Megabits(t.BytesPerS),
			units.Size(t.Bytes), units.Duration(t.DurationNS))
	}
	if t.Block.Count > 0 {
		f.Points = append(f.Points, "blocks: "+blockTimes(&t.Block))
	}
	switch {
	case t.Close.Count > 0 && t.Name == rundoc.OperationUpload:
		f.Points = append(f.Points, fmt.Sprintf("close(): %s of the time, %s", units.Percent(t.CloseShare),
			atMost(&t.Close)))
	case t.FirstBlockNS > 0 && t.Block.Count > 0:
		f.Points = append(f.Points, "first block after "+units.Duration(t.FirstBlockNS))
	}
	return f
}

// begun reports whether anything of a transfer was tried.
func begun(t rundoc.NamedTransfer) bool {
	return t.Files != 0 || t.Failed != 0 || t.Open.Count != 0 || t.Block.Count != 0
}

// blockTimes is min, p50, p99 and max, and the mean where there is no p50.
func blockTimes(s *rundoc.Summary) string {
	var w report.SpanWords
	w.AddMin(s)
	if s.P50NS == nil {
		w.AddMean(s)
	}
	for _, p := range report.Percentiles(report.Narrow) {
		if p.Of(s) != nil {
			w.Add(p.Name, s, p.Of)
		}
	}
	w.AddMax(s)
	return w.String()
}

// atMost is the one time of a summary, or the longest of several.
func atMost(s *rundoc.Summary) string {
	if s.Count == 1 {
		return units.Duration(s.MaxNS)
	}
	return "max " + units.Duration(s.MaxNS)
}

// objectsAnswer says what was found below the URL, and what of it was chosen to be read.
func (v *shown) objectsAnswer() report.Fact {
	o := v.detail.Objects
	if o == nil {
		return report.Fact{}
	}
	f := report.Fact{Key: "Files", Value: fmt.Sprintf("%s of %s, %s of %s", units.Number(o.Read),
		units.Count(o.Listed, "file", "files"), units.Size(o.ReadBytes), units.Size(o.ListedBytes))}
	if o.Read < o.Listed-o.Empty {
		f.Value += ", a sample by size"
	}
	f.Points = []string{"sizes of the files read: " + sizes(o.ReadSizes)}
	if o.Read < o.Listed-o.Empty {
		f.Points = append(f.Points, "sizes of all files: "+sizes(o.Sizes))
	}
	if o.Empty > 0 {
		f.Points = append(f.Points, units.Count(o.Empty, "empty file was", "empty files were")+" skipped")
	}
	if o.More {
		f.Points = append(f.Points, "the listing was cut short: the sample covers only the files listed first")
	}
	return f
}

func sizes(s rundoc.Sizes) string {
	return fmt.Sprintf("min %s · median %s · max %s", units.Size(s.Min), units.Size(s.Median), units.Size(s.Max))
}

func (v *shown) checksumAnswer() report.Fact {
	c := v.detail.Checksum
	if v.detail.Objects != nil && c.Verdict == rundoc.ChecksumNone {
		return report.Fact{Key: "Checksum", Value: "not verified: the expected content of existing files is unknown"}
	}
	f := report.Fact{Key: "Checksum"}
	switch c.Verdict {
	case rundoc.ChecksumOK:
		f.Value = fmt.Sprintf("%s: ok, all %s read match the data written", units.Clean(c.Algorithm),
			units.Size(c.Bytes))
	case rundoc.ChecksumMismatch:
		f.Value, f.Strong = units.Clean(c.Algorithm)+": MISMATCH, the data read differs from the data written", true
		f.Tone = report.Bad
		if c.Mismatch != "" {
			f.Points = []string{units.Clean(c.Mismatch)}
		}
	case "":
		f.Value = units.Dash
	default:
		f.Value = units.Clean(c.Verdict)
	}
	return f
}

func (v *shown) bandwidthFailures() report.Fact {
	var files, requests, bad, retries, reopened int64
	reopenings := report.Tally{}
	for _, t := range v.detail.Transfers() {
		files, reopened = files+t.Failed, reopened+t.Reopened
		reopenings.Add(t.ReopenCauses)
	}
	causes := report.Tally{}
	for _, r := range v.detail.Requests {
		requests, bad, retries = requests+r.Attempts, bad+r.Failed, retries+r.Retries
		causes.Add(r.Causes)
	}
	f := report.Fact{Key: report.KeyErrors}
	if files+bad+retries+reopened+v.Total.Failed+v.Total.Retries == 0 {
		return f
	}
	if files+v.Total.Failed > 0 {
		f.Tone = report.Bad
	}
	var parts []string
	if files != 0 {
		parts = append(parts, units.Count(files, "file", "files")+" not completed")
	}
	if v.Total.Failed != 0 {
		parts = append(parts, units.Count(v.Total.Failed, "operation", "operations")+" failed")
	}
	if bad != 0 {
		parts = append(parts, fmt.Sprintf("%s of %s failed", units.Number(bad),
			units.Count(requests, "request", "requests")))
	}
	if reopened != 0 {
		parts = append(parts, "reopened "+units.Count(reopened, "time", "times"))
		f.Points = append(f.Points, "reopened files by cause: "+reopenings.Text())
	}
	f.Value = strings.Join(append(parts, units.Count(retries+v.Total.Retries, "retry", "retries")), " · ")
	if text := causes.Text(); text != "" {
		f.Points = append(f.Points, "retried requests by cause: "+text)
	}
	ends := report.Tally{}
	ends.Add(v.Total.Causes)
	if text := ends.Text(); text != "" {
		f.Points = append(f.Points, "failed operations by cause: "+text)
	}
	return f
}

// limitsAnswer is the one thing that held each transfer up most, with what to try.
func (v *shown) limitsAnswer() report.Fact {
	const longest = 300 // characters: five lines
	f := report.Fact{Key: "Limited by"}
	seen := map[string]bool{}
	for _, l := range v.detail.Limits {
		if seen[l.Transfer] || len(seen) == 2 {
			continue
		}
		seen[l.Transfer] = true
		f.Points = append(f.Points, units.Shorten(units.Clean(fmt.Sprintf("%s: %s (%s): %s", l.Transfer, l.What,
			units.Percent(l.Share), l.Message)), longest))
	}
	return f
}
