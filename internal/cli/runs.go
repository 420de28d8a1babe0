package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
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
	ID       string
	Path     string
	Workload string
	Started  *time.Time
	Target   string
	Listing  report.Listing
	Verdict  string
	Error    string
}

// MarshalJSON writes the entry with what its kind alone has as a field of its own.
func (e *runEntry) MarshalJSON() ([]byte, error) {
	own := map[string]any{}
	if e.Listing.Own != nil {
		own[e.Listing.Own.Name] = e.Listing.Own.Value
	}
	return joinObjects(
		struct {
			ID       string     `json:"id"`
			Path     string     `json:"path"`
			Workload string     `json:"workload,omitempty"`
			Started  *time.Time `json:"started,omitempty"`
			Target   string     `json:"target,omitempty"`
			RatePerS *float64   `json:"rate_per_s,omitempty"`
			P99NS    *int64     `json:"p99_ns,omitempty"`
		}{e.ID, e.Path, e.Workload, e.Started, e.Target, e.Listing.RatePerS, e.Listing.P99NS},
		own,
		struct {
			Verdict string `json:"verdict,omitempty"`
			Error   string `json:"error,omitempty"`
		}{e.Verdict, e.Error},
	)
}

// joinObjects is one object of the fields of several, in their order.
func joinObjects(objects ...any) ([]byte, error) {
	var fields [][]byte
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		if text = text[1 : len(text)-1]; len(text) > 0 {
			fields = append(fields, text)
		}
	}
	return slices.Concat([]byte{'{'}, bytes.Join(fields, []byte{','}), []byte{'}'}), nil
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
	if e.Listing, err = reportKind(doc.Workload).ListingOf(doc); err != nil {
		e.Error = err.Error()
	}
	return e
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
	rate := cmp.Or(e.Listing.Rate, units.Dash)
	if e.Listing.Rate == "" && e.Listing.RatePerS != nil {
		rate = units.PerSecond(*e.Listing.RatePerS) + "/s"
	}
	started := e.Started.Local().Format("2006-01-02 15:04:05")
	return []string{e.ID, e.Workload, started, e.Target, rate, units.Optional(e.Listing.P99NS), e.Verdict + e.Listing.Verdict}
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
