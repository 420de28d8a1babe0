package show

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// smallFile is how long a file may be for what goes with it to weigh more than its bytes: 1 MiB takes 10 ms at
	// 100 MB/s, and so long is, with its connection, the time until a request to a service is answered.
	smallFile = 1 << 20
	// manyFiles is how many of them say something of each: from then on half of them have enough others above them for a
	// median.
	manyFiles = 2 * rundoc.MinAbove
)

// small reports whether a transfer is one of many small files, of which the objects in a second and the stages of
// their requests tell more than bytes do.
func (v *shown) small(t rundoc.NamedTransfer) bool {
	size := v.detail.SizeBytes
	return size > 0 && size <= smallFile && t.Files >= manyFiles && t.DurationNS > 0
}

// smallAnswer says of many small files what is said of the bytes of large ones.
func (v *shown) smallAnswer(t rundoc.NamedTransfer) report.Fact {
	f := report.Fact{Key: units.Capital(t.Name), Strong: true}
	f.Value = fmt.Sprintf("%s files/s (%s): %s of %s in %s", units.PerSecond(filesOf(t.Transfer).Raw),
		units.Megabytes(t.BytesPerS), units.Number(t.Files), units.ExactSize(v.detail.SizeBytes),
		units.Duration(t.DurationNS))
	for _, o := range []struct {
		name string
		of   *rundoc.Summary
	}{{opening(t.Name), &t.Open}, {"block", &t.Block}, {"close", &t.Close}} {
		// What takes next to nothing of a file's time says nothing.
		if o.of.Count > 0 && o.of.MeanNS*20 >= t.Open.MeanNS+t.Block.MeanNS+t.Close.MeanNS {
			var w report.SpanWords
			w.AddPercentiles(o.of)
			w.AddMax(o.of)
			f.Points = append(f.Points, o.name+": "+w.String())
		}
	}
	if r := v.requestOf(t); r != nil && r.Stages != nil {
		f.Points = append(f.Points, stageWords(r))
	}
	return f
}

// requestOf is the one that moved most of a transfer's bytes; nil when none did.
func (v *shown) requestOf(t rundoc.NamedTransfer) (most *rundoc.RequestFigures) {
	var bytes int64
	for i := range v.detail.Requests {
		r := &v.detail.Requests[i]
		moved := r.BytesReceived
		if t.Name == rundoc.OperationUpload {
			moved = r.BytesSent
		}
		if moved > bytes {
			bytes, most = moved, r
		}
	}
	return most
}

// stages are those of a request, by the names of their column.
func stages(r *rundoc.RequestFigures) []report.Timed {
	s := r.Stages
	return []report.Timed{
		{Name: "setup", Of: &s.Setup}, {Name: "send", Of: &s.Send}, {Name: "wait", Of: &s.Wait},
		{Name: "receive", Of: &s.Receive}, {Name: "whole", Of: &s.Whole},
	}
}

// stageWords are the median and the highest of the usual percentiles of each stage.
func stageWords(r *rundoc.RequestFigures) string {
	var words []string
	high := highest(&r.Stages.Whole)
	for _, s := range stages(r) {
		text := s.Name + " " + units.Dash
		if s.Of.P50NS != nil {
			text = s.Name + " " + units.Duration(*s.Of.P50NS)
			if p := high.Of(s.Of); p != nil && high.Name != "p50" {
				text += " / " + units.Duration(*p)
			}
		}
		words = append(words, text)
	}
	head := "p50"
	if high.Name != "p50" {
		head += " / " + high.Name
	}
	return fmt.Sprintf("%s, %s: %s", units.Clean(r.Name), head, strings.Join(words, " · "))
}

// highest is the last percentile up to p99 that a sample supports, or the median.
func highest(s *rundoc.Summary) (last report.Percentile) {
	for i, p := range report.Percentiles(report.Wide) {
		if i == 0 || p.Of(s) != nil && p.Needs <= 100*rundoc.MinAbove {
			last = p
		}
	}
	return last
}

// requestStages are the times of each stage of the requests, a table for those of each name.
func (v *shown) requestStages() report.Section {
	s := report.Section{Title: "Request stages"}
	for _, r := range v.requestRows() {
		if r.Stages == nil || r.Stages.Whole.Count == 0 {
			continue
		}
		rows := stages(r)
		u := report.TableUnit(rows)
		s.Tables = append(s.Tables, report.TimesTable(units.Clean(r.Name)+" in "+u.Name, rows, u, report.MeanFigure,
			report.PercentileFigures(report.Medium), report.MaxFigure))
	}
	if len(s.Tables) == 0 {
		return report.Section{}
	}
	s.Notes = append(s.Notes, "Attempts that got a response; wait is the time to the first byte of the response.")
	return s
}
