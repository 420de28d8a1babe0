package view

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	// perPage is how many runs a page of the list has.
	perPage = 100
	// farthest bounds what a request may skip.
	farthest = 1 << 24
)

// namedID is what a document that the command named is called in addresses. An id of a saved run begins with a digit.
func namedID(at int) string { return "named-" + strconv.Itoa(at+1) }

// namedAt is the document that the command named and that is called so; negative: none is.
func (p *Pages) namedAt(id string) int {
	for i := range p.Named {
		if id == namedID(i) {
			return i
		}
	}
	return -1
}

// list is a page of the list of all that is kept, or of what fits a filter.
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
		Filter: &page.Filter{To: "/runs", Value: q, Help: "words that all have to be in a line, such as: chat nightly " +
			"suspect"},
		Empty: "No run is saved here. 'plimsoll chat' makes one.",
	}
	for i := range p.Named {
		l.Links = append(l.Links, page.Link{Text: p.Named[i].Name, To: reference{id: namedID(i)}.to("/runs")})
	}
	if q != "" {
		l.Links = append(l.Links, page.Link{Text: "All runs", To: "/runs"})
		l.Empty = "None of the saved runs is one of these."
	}
	head(l)
	for i := range entries {
		l.Rows = append(l.Rows, rowOf(&entries[i]))
	}
	if more {
		l.Earlier = page.Link{Text: "Earlier runs", To: turnTo(q, from+perPage)}
	}
	if from > 0 {
		l.Later = page.Link{Text: "Later runs", To: turnTo(q, max(0, from-perPage))}
	}
	return write(w, func(w io.Writer) error { return page.WriteList(w, l) })
}

// entries are the newest so many that fit the filter.
func (p *Pages) entries(q string, most int) ([]saved.Entry, error) {
	c := saved.Choice{Limit: most}
	words := strings.Fields(strings.ToLower(q))
	if len(words) > 0 {
		c.Limit = 0 // only they can tell
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

// introOf says which of how many these are. How many there are in all would take reading all.
func introOf(q string, from, shown int, more bool) string {
	text := units.Count(int64(shown), "run or set", "runs and sets")
	if from > 0 || more {
		text = fmt.Sprintf("%s to %s", units.Number(int64(from+1)), units.Number(int64(from+shown)))
	}
	if q != "" {
		text += " with: " + units.Clean(q)
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

// head puts the heads of saved entries above a list.
func head(l *page.List) {
	for _, text := range saved.Heads() {
		l.Heads = append(l.Heads, page.ListHead{Text: text, Right: text == "rate" || text == "p99",
			Whole: text == "started"})
	}
}

// rowOf is an entry in the list. Single runs can be overlaid.
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

// members are the runs of a set.
func (p *Pages) members(w http.ResponseWriter, r *http.Request) error {
	ref := reference{id: r.PathValue("id")}
	found, err := p.load(ref)
	if err != nil {
		return err
	}
	if found.Set == nil {
		return missing{"this is a single run, and no set of several"}
	}
	l := &page.List{
		Title:  "Plimsoll · the runs of " + units.Clean(found.Set.Kind) + " " + units.Clean(found.Set.ID),
		Intro:  units.Count(int64(len(found.Set.Members)), "run", "runs") + ", in the order in which they were made",
		Links:  []page.Link{{Text: "The set", To: ref.to("/runs")}, {Text: "All runs", To: "/runs"}},
		Choose: "/runs", Empty: "No run was made.",
		Heads: []page.ListHead{{Text: "run"}, {Text: "workload"}, {Text: "target"}, {Text: "rate", Right: true},
			{Text: "p99", Right: true}, {Text: "verdict"}},
	}
	for i := range found.Set.Members {
		l.Rows = append(l.Rows, memberRow(ref, i, &found.Set.Members[i]))
	}
	return write(w, func(w io.Writer) error { return page.WriteList(w, l) })
}

// memberRow is a run of a set. One that was not kept leads nowhere.
func memberRow(set reference, at int, m *setdoc.Member) page.ListRow {
	rate := units.Clean(m.Result)
	if rate == "" && m.RatePerS != nil {
		rate = units.PerSecond(*m.RatePerS) + "/s"
	}
	verdict := units.Clean(string(m.Verdict.Validity))
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
