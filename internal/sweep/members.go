package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// RereadMember says where what a set has of one of its members is not what the document of that run says: its verdict,
// its thresholds and its row; nil where all is. throughput is the figure of the sweep, of this run.
func RereadMember(set *setdoc.Set, m *setdoc.Member, run *rundoc.Run,
	throughput func(*rundoc.Run) figure.Value) []string {
	switch {
	case run.ID != m.ID:
		return []string{fmt.Sprintf("%.80s is the document of another run, %.80q", m.Path, run.ID)}
	case run.Verdict.Validity != m.Verdict.Validity:
		return []string{fmt.Sprintf("%.80s is %.40s in its own document, but %.40s in the set", m.ID,
			run.Verdict.Validity, m.Verdict.Validity)}
	case !docfile.Alike(m.Thresholds, run.Thresholds, exact):
		return []string{fmt.Sprintf("the thresholds of %.80s do not match its own document", m.ID)}
	}
	if set.Sweep == nil || set.Sweep.Rules != Rules || throughput == nil {
		return nil
	}
	i := slices.IndexFunc(set.Sweep.Rows, func(r setdoc.Row) bool { return r.Member == m.ID })
	if i < 0 { // it was cut short
		return nil
	}
	had := set.Sweep.Rows[i]
	made := RowOf(run, set.Sweep.Figure, throughput(run), had.Values, had.Repeat)
	made.PeakSecond = had.PeakSecond // which seconds count is a rule of the program, that a later one may have otherwise
	if unlike := unlike(had, made); unlike != "" {
		return []string{fmt.Sprintf("row %d does not match the document of its run, %.80s: %s", i+1, m.ID, unlike)}
	}
	return nil
}

// unlike names the first figure in which two rows differ; "" where they are alike.
func unlike(had, made setdoc.Row) string {
	var fields [2]map[string]any
	for i, row := range []setdoc.Row{had, made} {
		text, err := json.Marshal(row)
		if err != nil || json.Unmarshal(text, &fields[i]) != nil {
			return "a value that no document can hold"
		}
	}
	all := maps.Clone(fields[0])
	maps.Copy(all, fields[1])
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, b := fields[0][name], fields[1][name]
		if !docfile.AlikeRead(docfile.OrZero(a, b), docfile.OrZero(b, a), exact) {
			return name
		}
	}
	return ""
}
