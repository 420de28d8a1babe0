package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

func newRuns(env *Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the saved runs, newest first",
		Long: `List the saved runs, newest first: id, workload, start in local time, target,
throughput, p99 of the response time, and the verdict. Of an overhead run: how many
operations it measured, and their lowest and highest median. Of an updates run: the
updates applied per second, or batches published if it only did that, the p99 from
the schedule to applied, and whether the proof is incomplete or unknown.

Wherever a command takes a run, it takes the path of a run document, an id, the
beginning of one, last, or last~1 for the one before.`,
		Example: "  plimsoll runs\n  plimsoll report last~1",
		Args:    atMost(0, "it takes no argument"),
		RunE: func(*cobra.Command, []string) error {
			s, err := run.OpenRuns(env)
			if err != nil {
				return err
			}
			entries, err := readEntries(s)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(env.Stdout, entries)
			}
			return printRuns(env, s, entries)
		},
	}
	addSettings(cmd, env, new(setting.Set).Group("Output", setting.Switch(&asJSON, "json", "print JSON")))
	return cmd
}

// runEntry is a line of the list. An unreadable run has an id and an error.
type runEntry struct {
	ID       string     `json:"id"`
	Path     string     `json:"path"`
	Workload string     `json:"workload,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Target   string     `json:"target,omitempty"`
	RatePerS *float64   `json:"rate_per_s,omitempty"`
	P99NS    *int64     `json:"p99_ns,omitempty"` // response time; of updates that a server applied, from the schedule to there
	// Transfers are the uploads and downloads of a bandwidth run, whose operations are of
	// several kinds and have no rate together.
	Transfers []transferEntry `json:"transfers,omitempty"`
	// Overhead is of an overhead run, whose operations are of several kinds, too.
	Overhead *overheadEntry `json:"overhead,omitempty"`
	// Updates is of an updates run whose updates a server was to apply.
	Updates *updatesEntry `json:"updates,omitempty"`
	Verdict string        `json:"verdict,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// readEntries reads all runs that are kept. One that cannot be read does not hide the others.
func readEntries(s *run.Runs) ([]runEntry, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	entries := make([]runEntry, 0, len(ids))
	for _, id := range ids {
		entries = append(entries, readEntry(s, id))
	}
	return entries, nil
}

func readEntry(s *run.Runs, id string) runEntry {
	e := runEntry{ID: id, Path: s.Path(id)}
	doc, err := rundoc.ReadFile(e.Path)
	if err != nil {
		e.Error = err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			e.Error = "it holds no document: the run was killed before it could save one"
		}
		return e
	}
	e.Workload, e.Started = doc.Workload, &doc.Started
	e.Target, e.Verdict = doc.Target.URL, string(doc.Verdict.Validity)
	if doc.Target.Embedded {
		e.Target = "embedded"
	}
	total, err := doc.Totals()
	if err != nil {
		e.Error = err.Error()
	}
	if d := doc.Overhead(); d != nil {
		e.Overhead = newOverheadEntry(d)
		return e
	}
	d := doc.Bandwidth()
	if d == nil {
		e.RatePerS, e.P99NS = &total.RatePerS, total.ResponseTime.P99NS
		e.addUpdates(doc.Updates())
		return e
	}
	for _, t := range d.Transfers() {
		e.Transfers = append(e.Transfers, transferEntry{t.Name, t.BytesPerS})
	}
	return e
}

// transferEntry is a transfer in the list of runs.
type transferEntry struct {
	Name      string  `json:"name"`
	BytesPerS float64 `json:"bytes_per_s"`
}

// updatesEntry is an updates run in the list of runs.
type updatesEntry struct {
	AppliedPerS   float64 `json:"applied_per_s,omitempty"`
	ProofComplete bool    `json:"proof_complete"`
	Proof         string  `json:"proof"` // complete, incomplete or unknown
}

// addUpdates adds what became of the updates, where a server was asked for it.
func (e *runEntry) addUpdates(d *rundoc.UpdatesDetail) {
	if d == nil || d.Proof == nil {
		return
	}
	e.Updates = &updatesEntry{d.AppliedPerS, d.Proof.Complete, d.Proof.Outcome()}
	e.P99NS = nil
	if s := d.Stage(rundoc.StageE2EScheduled); s != nil {
		e.P99NS = s.Summary.P99NS
	}
}

// overheadEntry is an overhead run in the list of runs: how many operations it measured, and
// the lowest and the highest of their medians. The figure is the overhead, or the SDK time
// where the run has no other.
type overheadEntry struct {
	Operations int     `json:"operations"`
	LowestNS   float64 `json:"lowest_median_ns"`
	HighestNS  float64 `json:"highest_median_ns"`
}

func newOverheadEntry(d *rundoc.OverheadDetail) *overheadEntry {
	e := &overheadEntry{}
	for i := range d.Rows {
		s := d.Rows[i].Overhead
		if s.N == 0 {
			s = d.Rows[i].SDKTime
		}
		if s.N == 0 {
			continue
		}
		if e.Operations++; e.Operations == 1 {
			e.LowestNS, e.HighestNS = s.MedNS, s.MedNS
		}
		e.LowestNS, e.HighestNS = min(e.LowestNS, s.MedNS), max(e.HighestNS, s.MedNS)
	}
	return e
}

// text is the entry in place of a rate.
func (e *overheadEntry) text() string {
	lowest, highest := units.Duration(int64(e.LowestNS)), units.Duration(int64(e.HighestNS))
	switch e.Operations {
	case 0:
		return "–"
	case 1:
		return "1 operation, median " + lowest
	}
	return fmt.Sprintf("%d operations, medians %s to %s", e.Operations, lowest, highest)
}

func printRuns(env *Env, s *run.Runs, entries []runEntry) error {
	if len(entries) == 0 {
		_, err := fmt.Fprintf(env.Stderr, "no run is saved in %s\n", s.Dir)
		return err
	}
	rows := [][]string{{"id", "workload", "started", "target", "rate", "p99", "verdict"}}
	for i := range entries {
		rows = append(rows, entries[i].row())
	}
	_, err := io.WriteString(env.Stdout, align(rows))
	return err
}

// row is the line of the list, in cells.
func (e *runEntry) row() []string {
	if e.Started == nil {
		return []string{e.ID, "unreadable: " + fault.OneLine(e.Error)}
	}
	p99, rate := "–", "–"
	if e.P99NS != nil {
		p99 = units.Duration(*e.P99NS)
	}
	if e.RatePerS != nil {
		rate = units.PerSecond(*e.RatePerS) + "/s"
	}
	if e.Overhead != nil {
		rate = e.Overhead.text()
	}
	if len(e.Transfers) > 0 {
		var parts []string
		for _, t := range e.Transfers {
			parts = append(parts, t.Name+" "+units.PerSecond(t.BytesPerS/1e6)+" MB/s")
		}
		rate = strings.Join(parts, ", ")
	}
	verdict := e.Verdict
	if e.Updates != nil {
		rate = "–" // as after a restart of the server
		if e.Updates.AppliedPerS > 0 {
			rate = units.PerSecond(e.Updates.AppliedPerS) + " updates/s"
		}
		if !e.Updates.ProofComplete {
			verdict += ", proof " + e.Updates.Proof
		}
	}
	started := e.Started.Local().Format("2006-01-02 15:04:05")
	return []string{e.ID, e.Workload, started, e.Target, rate, p99, verdict}
}

// align makes columns of rows. The last cell of a row takes no part in that, so that a long
// message does not push the others apart.
func align(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]+2-utf8.RuneCountInString(cell)))
		}
		b.WriteString(row[last] + "\n")
	}
	return b.String()
}
