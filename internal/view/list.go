package view

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	// perPage is the number of rows of a page of the list.
	perPage = 100
	// farthest limits how many rows a request may skip.
	farthest = 1 << 24
)

// namedID returns the id, in URLs, of a document named on the command line. Ids of saved runs begin with a digit.
func namedID(at int) string { return "named-" + strconv.Itoa(at+1) }

// namedAt returns the index of the document with such an id, or -1.
func (p *Pages) namedAt(id string) int {
	for i := range p.Named {
		if id == namedID(i) {
			return i
		}
	}
	return -1
}

// list serves a page of the list of saved runs, filtered if asked.
func (p *Pages) list(w http.ResponseWriter, r *http.Request) error {
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if from = max(from, 0); err != nil || from > farthest {
		from = 0
	}
	entries, err := p.entries(q, from+perPage+1)
	if err != nil {
		return err
	}
	more := len(entries) > from+perPage
	entries = entries[min(from, len(entries)):min(from+perPage, len(entries))]
	l := &page.List{
		Title: "Plimsoll · saved runs", Intro: introOf(q, from, len(entries), more), Choose: "/runs",
		Filter: &page.Filter{To: "/runs", Value: q, Help: "Shows runs that contain all these words, for example: " +
			"chat nightly suspect"},
		Empty: "No saved runs yet. Each measurement saves one, for example: plimsoll http https://YOUR-HOST/",
	}
	for i := range p.Named {
		l.Links = append(l.Links, page.Link{Text: p.Named[i].Name, To: reference{id: namedID(i)}.to("/runs")})
	}
	if q != "" {
		l.Links = append(l.Links, page.Link{Text: "All runs", To: "/runs"})
		l.Empty = "No saved run matches the filter."
	}
	head(l)
	for i := range entries {
		l.Rows = append(l.Rows, rowOf(&entries[i]))
	}
	withoutEmpty(l, "labels")
	if more {
		l.Earlier = page.Link{Text: "Older runs", To: turnTo(q, from+perPage)}
	}
	if from > 0 {
		l.Later = page.Link{Text: "Newer runs", To: turnTo(q, max(0, from-perPage))}
	}
	return write(w, func(w io.Writer) error { return page.WriteList(w, l) })
}

// entries returns the newest entries that match the filter, at most so many.
func (p *Pages) entries(q string, most int) ([]saved.Entry, error) {
	c := saved.Choice{Limit: most}
	words := strings.Fields(strings.ToLower(q))
	if len(words) > 0 {
		c.Limit = 0 // the filter is applied below
	}
	all, _, err := p.Store.List(p.Kinds, c)
	if err != nil || len(words) == 0 {
		return all, err
	}
	var fit []saved.Entry
	for i := range all {
		if len(fit) < most && hasAll(strings.ToLower(strings.Join(all[i].Cells(), " ")), words) {
			fit = append(fit, all[i])
		}
	}
	return fit, nil
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// introOf describes the rows shown. Their total number is unknown: it would take reading all documents.
func introOf(q string, from, shown int, more bool) string {
	text := units.Count(int64(shown), "run", "runs")
	if from > 0 || more {
		text = fmt.Sprintf("runs %s–%s", units.Number(int64(from+1)), units.Number(int64(from+shown)))
	}
	if q != "" {
		text += fmt.Sprintf(" matching %q", units.Clean(q))
	}
	return text + ", newest first"
}

func turnTo(q string, from int) string {
	query := url.Values{}
	if q != "" {
		query.Set("q", q)
	}
	if from > 0 {
		query.Set("from", strconv.Itoa(from))
	}
	if len(query) == 0 {
		return "/runs"
	}
	return "/runs?" + query.Encode()
}

// head sets the column heads of saved entries.
func head(l *page.List) {
	for _, text := range saved.Heads() {
		l.Heads = append(l.Heads, page.ListHead{Text: text, Right: text == "rate" || text == "p99",
			Whole: text == "started"})
	}
}

// withoutEmpty removes a column if it is empty in all rows.
func withoutEmpty(l *page.List, head string) {
	at := slices.IndexFunc(l.Heads, func(h page.ListHead) bool { return h.Text == head })
	if at < 0 || slices.ContainsFunc(l.Rows, func(r page.ListRow) bool { return len(r.Cells) > at && r.Cells[at] != "" }) {
		return
	}
	l.Heads = slices.Delete(l.Heads, at, at+1)
	for i := range l.Rows {
		if cells := l.Rows[i].Cells; len(cells) > at {
			l.Rows[i].Cells = slices.Delete(cells, at, at+1)
		}
	}
}

// rowOf returns the row of an entry. Single runs can be selected.
func rowOf(e *saved.Entry) page.ListRow {
	ref := reference{id: e.ID}
	row := page.ListRow{To: ref.to("/runs"), Cells: e.Cells(), Tone: toneOf(e.Verdict)}
	row.Save = page.Link{Text: "JSON", To: ref.to("/document")}
	if e.Failed() {
		row.Tone = page.ToneBad
	}
	if e.Error == "" && e.Kind == saved.KindRun {
		row.Mark = ref.String()
	}
	return row
}

func toneOf(verdict string) page.Tone {
	switch rundoc.Validity(verdict) {
	case rundoc.Valid:
		return page.ToneGood
	case rundoc.Seen, rundoc.Suspect:
		return page.ToneDoubtful
	case rundoc.Invalid:
		return page.ToneBad
	}
	return page.TonePlain
}

// members serves the list of the runs of a set.
func (p *Pages) members(w http.ResponseWriter, r *http.Request) error {
	ref := reference{id: r.PathValue("id")}
	found, err := p.load(ref)
	if err != nil {
		return err
	}
	if found.Set == nil {
		return missing{"this is a single run, not a set of runs"}
	}
	l := &page.List{
		Title:  "Plimsoll · runs of " + units.Clean(found.Set.Kind) + " " + units.Clean(found.Set.ID),
		Intro:  units.Count(int64(len(found.Set.Members)), "run", "runs") + ", in execution order",
		Links:  []page.Link{{Text: "Back to the set", To: ref.to("/runs")}, {Text: "All runs", To: "/runs"}},
		Choose: "/runs", Empty: "The set has no runs.",
		Heads: []page.ListHead{{Text: "run"}, {Text: "workload"}, {Text: "target"}, {Text: "rate", Right: true},
			{Text: "p99", Right: true}, {Text: "verdict"}},
	}
	for i := range found.Set.Members {
		l.Rows = append(l.Rows, memberRow(ref, i, &found.Set.Members[i]))
	}
	return write(w, func(w io.Writer) error { return page.WriteList(w, l) })
}

// memberRow returns the row of a run of a set. A run that was not saved has no link.
func memberRow(set reference, at int, m *setdoc.Member) page.ListRow {
	rate := units.Clean(m.Result)
	if rate == "" && m.RatePerS != nil {
		rate = units.PerSecond(*m.RatePerS) + "/s"
	}
	verdict := report.ValidityWord(m.Verdict.Validity)
	if m.Error != "" {
		verdict = strings.TrimPrefix(verdict+": "+units.Clean(m.Error), ": ")
	}
	p99 := ""
	if m.P99NS != nil {
		p99 = units.Duration(*m.P99NS)
	}
	row := page.ListRow{
		Cells: []string{strconv.Itoa(at+1) + ". " + units.Clean(m.Name), units.Clean(m.Workload), units.Clean(m.Target),
			rate, p99, verdict},
		Tone: toneOf(string(m.Verdict.Validity)),
	}
	if m.Exit == int(fault.Missed) || m.Exit == int(fault.RunFailed) {
		row.Tone = page.ToneBad
	}
	if m.Path != "" {
		ref := reference{set.id, strconv.Itoa(at + 1)}
		row.To, row.Mark = ref.to("/runs"), ref.String()
		row.Save = page.Link{Text: "JSON", To: ref.to("/document")}
	}
	return row
}
