package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
)

// The keys of facts that have a place of their own.
const (
	keyVerdict    = "Verdict"
	keyThresholds = "Thresholds"
)

// minor reports whether a bad fact stays in the list, because it explains a value that is marked already.
func minor(key string) bool { return key == "Errors" || key == "Higher values" }

// answer writes the results: outcome and verdict, headline values, thresholds, other facts, and the reasons.
func (m *markup) answer(of *Model) {
	banners, rest := outcomes(of)
	good := !slices.ContainsFunc(banners, func(f report.Fact) bool { return f.Tone > report.Good })
	for i := range banners {
		m.banner(&banners[i], good)
	}
	m.tiles(of)
	m.thresholds(of)
	if !of.Lead.Empty() {
		m.table(&of.Lead, "results")
	}
	if len(rest) > 0 {
		m.raw(`<dl class="facts">`)
		for i := range rest {
			rest[i].Strong = rest[i].Strong && len(of.Tiles) == 0
			m.fact(&rest[i])
		}
		m.raw("</dl>")
	}
	m.reasons(banners)
	if of.Next != "" {
		m.raw(`<p class="next">Next: <code>`)
		m.text(of.Next)
		m.raw("</code></p>")
	}
}

// outcomes splits the facts into those that belong above the values, the verdict last, and the others.
func outcomes(of *Model) (above, rest []report.Fact) {
	var verdict []report.Fact
	if of.Before.Value != "" {
		above = append(above, of.Before)
	}
	for _, f := range of.Facts {
		switch {
		case f.Key == keyVerdict:
			verdict = append(verdict, f)
		case f.Key == keyThresholds && len(of.Thresholds) > 0 && f.Tone == report.Good: // the table has them
		case f.Key == keyThresholds && f.Tone > report.Good:
			if text := tally(of.Thresholds); text != "" {
				f.Value = text
			}
			above = append(above, f)
		case f.Tone == report.Bad && !minor(f.Key):
			above = append(above, f)
		case f.Value != "" || len(f.Points) > 0:
			rest = append(rest, f)
		}
	}
	return append(above, verdict...), rest
}

// tally counts the thresholds that were missed and those that could not be evaluated, which the table has; "": none.
func tally(all []report.ThresholdRow) string {
	missed, unknown := 0, 0
	for i := range all {
		switch all[i].Tone {
		case report.Bad:
			missed++
		case report.Doubtful:
			unknown++
		case report.Plain, report.Good:
		}
	}
	of := " of " + strconv.Itoa(len(all)) + " "
	switch {
	case missed > 0 && unknown > 0:
		return strconv.Itoa(missed) + of + "missed, " + strconv.Itoa(unknown) + " not evaluated"
	case missed > 0:
		return strconv.Itoa(missed) + of + "missed"
	case unknown > 0:
		return strconv.Itoa(unknown) + of + "not evaluated"
	}
	return ""
}

// banner writes a fact over the whole width. Its mark shows the tone without colour. A good one is green only if
// allGood.
func (m *markup) banner(f *report.Fact, allGood bool) {
	tone, mark := toneOf(f.Tone)
	if f.Tone == report.Good && !allGood {
		tone = "quiet"
	}
	m.raw(`<div class="banner ` + tone + `">`)
	if mark != "" {
		m.raw(`<span class="mark" aria-hidden="true">` + mark + `</span>`)
	}
	m.raw("<p>")
	m.element("span", "key", f.Key)
	m.raw(" ")
	word, why, cut := strings.Cut(f.Value, ": ")
	m.phrase("strong", "", word)
	if cut {
		m.words(": " + why)
	}
	if len(f.Points) > 0 {
		m.raw(` <a class="more" href="#reasons">See the reasons</a>`)
	}
	m.raw("</p></div>")
}

// reasons writes the points of the banners, below the values.
func (m *markup) reasons(banners []report.Fact) {
	id := constant(` id="reasons"`)
	for i := range banners {
		f := &banners[i]
		if len(f.Points) == 0 {
			continue
		}
		tone, _ := toneOf(f.Tone)
		m.raw("<div" + id + ` class="why ` + tone + `"><h3>`)
		if word, _, _ := strings.Cut(f.Value, ":"); f.Key == keyVerdict {
			m.text("Reasons for the verdict " + word)
		} else {
			m.text(f.Key)
		}
		m.raw("</h3>")
		m.points(f.Points)
		m.raw("</div>")
		id = ""
	}
}

// tiles writes the headline values.
func (m *markup) tiles(of *Model) {
	if len(of.Tiles) == 0 {
		return
	}
	class := constant("tiles")
	if of.untrusted() {
		class += " untrusted"
	}
	m.raw(`<dl class="` + class + `">`)
	for i := range of.Tiles {
		t := &of.Tiles[i]
		tone, _ := toneOf(t.Tone)
		m.raw(`<div class="tile ` + tone + `">`)
		m.element("dt", "", t.Name)
		m.raw(`<dd><span class="value">`)
		m.text(t.Value)
		switch {
		case t.Unit == "%":
			m.text(t.Unit)
		case !strings.HasPrefix(t.Unit, "/"):
			m.raw(" ")
			fallthrough
		default:
			m.element("span", "unit", t.Unit)
		}
		m.raw("</span>")
		for _, note := range t.Notes {
			m.raw(" ")
			m.element("span", "note", note)
		}
		m.raw("</dd></div>")
	}
	m.raw("</dl>")
}

// untrusted reports whether the values are not to be used.
func (of *Model) untrusted() bool {
	return slices.ContainsFunc(of.Facts, func(f report.Fact) bool { return f.Key == keyVerdict && f.Tone == report.Bad })
}

// thresholds writes a table of the thresholds with their outcomes.
func (m *markup) thresholds(of *Model) {
	if len(of.Thresholds) == 0 {
		return
	}
	class := constant("scroll thresholds")
	if of.untrusted() {
		class += " untrusted"
	}
	m.raw(`<div class="` + class + `" tabindex="0" role="region" aria-label="Thresholds"><table>` +
		`<thead><tr><th scope="col">Threshold</th><th scope="col" class="number">Limit</th>` +
		`<th scope="col" class="number">Value</th><th scope="col">Outcome</th></tr></thead><tbody>`)
	for i := range of.Thresholds {
		t := &of.Thresholds[i]
		m.raw(`<tr><th scope="row">`)
		m.text(t.Name)
		m.raw(`</th><td class="number" data-head="limit">`)
		m.text(t.Limit)
		m.raw(`</td><td class="number" data-head="value">`)
		m.text(cmp.Or(t.Value, "–"))
		if t.Corrected != "" {
			m.raw(" ")
			m.element("span", "note", t.Corrected+" corrected")
		}
		m.raw("</td>")
		tone, mark := toneOf(t.Tone)
		m.raw(`<td class="outcome ` + tone + `"><span class="mark" aria-hidden="true">` + mark + "</span> ")
		m.text(t.Outcome)
		m.raw("</td></tr>")
	}
	m.raw("</tbody></table></div>")
	for _, note := range of.ThresholdNotes {
		m.element("p", "note", note)
	}
}

// fact writes a fact of the list.
func (m *markup) fact(f *report.Fact) {
	tone, mark := toneOf(f.Tone)
	m.raw(`<div class="fact ` + tone)
	if f.Strong {
		m.raw(" strong")
	}
	m.raw(`">`)
	m.element("dt", "", f.Key)
	m.raw("<dd>")
	if f.Value != "" {
		m.raw(`<p class="value">`)
		if mark != "" {
			m.raw(`<span class="mark" aria-hidden="true">` + mark + `</span> `)
		}
		m.parts(f.Value)
		m.raw("</p>")
	}
	m.points(f.Points)
	m.raw("</dd></div>")
}

// parts writes the parts of a value, each of which does not wrap if there is room for it.
func (m *markup) parts(value string) {
	const between = " · "
	all := strings.Split(value, between)
	for i, part := range all {
		if i+1 < len(all) {
			part += " ·"
		}
		m.phrase("span", "part", part)
		m.raw(" ")
	}
}

func (m *markup) points(points []string) {
	if len(points) == 0 {
		return
	}
	m.raw("<ul>")
	for _, p := range points {
		m.phrase("li", "", p)
	}
	m.raw("</ul>")
}

// toneOf returns the class of a tone and its mark.
func toneOf(t report.Tone) (class, mark constant) {
	switch t {
	case report.Good:
		return "good", "✓"
	case report.Doubtful:
		return "doubtful", "!"
	case report.Bad:
		return "bad", "✗"
	}
	return "plain", ""
}
