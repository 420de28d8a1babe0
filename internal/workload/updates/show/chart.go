package show

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Drawing shows what the server applied and the way of a batch, as far as the server told of it; else what was
// published.
func (v *shown) Drawing() report.Drawing {
	d := v.View.Drawing()
	if v.detail.Proof == nil {
		return d
	}
	d.Line = v.line()
	if graphs := report.Choose(v.Graphs(), "applied", "end-to-end", "way"); len(graphs) > 0 {
		d.Graphs = graphs
	}
	return d
}

// line is the answer in a line.
func (v *shown) line() string {
	text, _, _ := strings.Cut(v.appliedAnswer(), " (")
	if s := v.detail.Stage(rundoc.StageE2EScheduled); s != nil {
		text += "  ·  " + stageAnswer(s)
	}
	proof := v.detail.Proof.Outcome()
	if !v.detail.Proof.Complete {
		proof = strings.ToUpper(proof)
	}
	return text + "  ·  proof " + proof
}
