package deltas

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

const inspectLong = `Describe files of updates: rows, keys, commit times, lengths, the state that the
rows lead to, and the first rows. A directory means the delta files in it, -
means stdin.

Of two rows for a key, the one with the later commit time wins; with the same
commit time, the later row. The digest of the state is the sum of the hashes of
its rows modulo 2^64; 'plimsoll updates' verifies its runs with the same digest.
Above --exact keys, their number is estimated and the state is unknown.`

const inspectExample = `  plimsoll deltas inspect deltas/DELTA_0000000000000001.csv

  # all delta files of a directory, for a script
  plimsoll deltas inspect deltas --json`

type inspectOptions struct {
	from      files.Format
	first     int
	exact     int
	json      bool
	keepGoing bool
}

func newInspect(env *run.Env) *cobra.Command {
	o := &inspectOptions{first: 3, exact: files.DefaultExactKeys}
	return readsFiles(&cobra.Command{
		Use: "inspect FILE…", Short: "Describe files of updates", Long: inspectLong, Example: inspectExample,
	}, env, o.settings(), o.run)
}

func (o *inspectOptions) settings() *setting.Set {
	return new(setting.Set).
		Group("Reading",
			setting.Count(&o.exact, "exact", "count", "count up to this many different keys exactly, estimate more"),
			formatSetting(&o.from, "from", "input format: csv, jsonl, avro or compact (default: detected)"),
			setting.Switch(&o.keepGoing, "keep-going", "skip and count bad rows (default: stop at the first)")).
		Group("Output",
			setting.Count(&o.first, "rows", "count", "number of rows to show").Formerly("first"),
			setting.Switch(&o.json, "json", "print only a JSON document"))
}

// inspection is what there is to say. Its JSON form is documented in docs/deltas.md.
type inspection struct {
	Files   []inspectedFile `json:"files"`
	Skipped int64           `json:"skipped,omitempty"`          // bad rows
	Damaged int64           `json:"skipped_messages,omitempty"` // of compact files
	files.Summary
	First []shownRow `json:"first,omitempty"`
}

type inspectedFile struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Rows   int64  `json:"rows"`
}

// shownRow is a row as it is shown: long text is cut, and what is no text is escaped.
type shownRow struct {
	Key      string `json:"key"`
	Mutation string `json:"mutation_type"`
	Commit   int64  `json:"logical_commit_time"`
	Value    any    `json:"value,omitempty"` // a string, or strings
}

func (o *inspectOptions) run(ctx context.Context, env *run.Env, inputs []string) error {
	if o.first < 0 || o.exact < 0 {
		return fault.New(fault.Usage, "--first and --exact cannot be negative")
	}
	far := begin(env, o.json, "inspecting", bytesOf(inputs))
	defer far.end()
	ctx, release := untilInterrupted(ctx, env, far, inputs...)
	defer release()
	source := reader{env: env, from: o.from, keepGoing: o.keepGoing, far: far}
	z := files.NewSummarizer(o.exact)
	var found inspection
	rows := int64(0)
	var row delta.Row
	for _, in := range inputs {
		before := rows
		r, err := source.each(ctx, in, func(r *files.Reader) error {
			if err := r.Next(&row); err != nil {
				return err
			}
			z.Add(&row)
			if len(found.First) < o.first {
				found.First = append(found.First, show(&row))
			}
			rows++
			far.count(rows)
			return nil
		})
		if err != nil {
			return err
		}
		found.Files = append(found.Files, inspectedFile{in, r.Format().String(), rows - before})
	}
	found.Summary = z.Summary()
	far.end()
	found.Skipped, found.Damaged = source.skipped.rows, source.skipped.messages
	if err := found.print(env.Stdout, o.json); err != nil {
		return fault.New(fault.RunFailed, "cannot write to stdout: %w", outfile.Reason(err))
	}
	return source.skipped.fault(rows, "the results describe the other rows")
}

// The first rows are shown in so many bytes.
const (
	shownBytes    = 40
	shownElements = 8
)

func show(r *delta.Row) shownRow {
	s := shownRow{Key: shorten(r.Key), Mutation: r.Kind.String(), Commit: r.Commit}
	switch {
	case r.Type == delta.Set:
		elements := []string{}
		for e := range delta.Elements(r.Value) {
			if len(elements) == shownElements {
				elements = append(elements, "…")
				break
			}
			elements = append(elements, shorten(e))
		}
		s.Value = elements
	case r.Kind == delta.Update:
		s.Value = shorten(r.Value)
	}
	return s
}

func shorten(b []byte) string {
	if len(b) <= shownBytes {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:shownBytes]), "") + "…"
}

func (v *inspection) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return command.WriteJSON(w, v)
	}
	_, err := io.WriteString(w, v.text())
	return err
}

func (v *inspection) text() string {
	var b strings.Builder
	b.WriteString(command.Align(v.lines()))
	if len(v.First) > 0 {
		b.WriteString("\nFirst rows\n")
		table := [][]string{{"  commit time", "mutation", "key", "value"}}
		for _, r := range v.First {
			table = append(table, []string{fmt.Sprintf("  %d", r.Commit), r.Mutation, quoted(r.Key), r.value()})
		}
		b.WriteString(command.Align(table))
	}
	if len(v.Files) > 1 {
		b.WriteString("\nFiles\n")
		table := [][]string{}
		for i, f := range v.Files {
			if i == shownFiles {
				table = append(table, []string{"  …", "", fmt.Sprintf("and %s more", units.Number(int64(len(v.Files)-i)))})
				break
			}
			table = append(table, []string{"  " + quoted(f.Name), f.Format, units.Count(f.Rows, "row", "rows")})
		}
		b.WriteString(command.Align(table))
	}
	return b.String()
}

const shownFiles = 20

func (v *inspection) lines() [][]string {
	name := fmt.Sprintf("%d files", len(v.Files))
	if len(v.Files) == 1 {
		name = fmt.Sprintf("%s, %s", quoted(v.Files[0].Name), v.Files[0].Format)
	}
	s := &v.Summary
	lines := [][]string{
		{"Deltas", name},
		{"Rows", fmt.Sprintf("%s: %s, %s", units.Number(s.Rows), units.Count(s.Updates, "update", "updates"),
			units.Count(s.Deletes, "delete", "deletes"))},
	}
	if s.Sets > 0 {
		lines = append(lines, []string{"Sets", units.Number(s.Sets) + " of the updates"})
	}
	if v.Skipped+v.Damaged > 0 {
		lines = append(lines, []string{"Skipped", fmt.Sprintf("%s, %s", units.Count(v.Skipped, "bad row", "bad rows"),
			units.Count(v.Damaged, "damaged message", "damaged messages"))})
	}
	if s.KeysError > 0 {
		lines = append(lines, []string{"Keys", fmt.Sprintf("about %s different, estimated with a standard error of %.1f%%",
			units.Number(s.Keys), 100*s.KeysError)})
	} else {
		lines = append(lines, []string{"Keys", units.Number(s.Keys) + " different"})
	}
	for _, span := range []struct {
		name, unit string
		s          *files.Span
	}{{"Commit time", "", s.Commit}, {"Key length", " bytes", s.Key}, {"Value length", " bytes", s.Value}} {
		if span.s != nil {
			lines = append(lines, []string{span.name, spanText(span.s, span.unit)})
		}
	}
	if s.State == nil {
		return append(lines, []string{"State", "unknown: too many keys (--exact)"})
	}
	return append(lines, []string{"State", fmt.Sprintf("%s, digest %016x",
		units.Count(s.State.Live, "live key", "live keys"), s.State.Digest)})
}

// spanText leaves the mean of commit times out, which says nothing.
func spanText(s *files.Span, unit string) string {
	switch {
	case s.Min == s.Max:
		return fmt.Sprintf("%d%s", s.Min, unit)
	case unit == "":
		return fmt.Sprintf("%d to %d", s.Min, s.Max)
	}
	return fmt.Sprintf("%d to %d%s, %.1f in the mean", s.Min, s.Max, unit, s.Mean)
}

func (r *shownRow) value() string {
	switch v := r.Value.(type) {
	case string:
		return quoted(v)
	case []string:
		elements := make([]string, len(v))
		for i, e := range v {
			elements[i] = quoted(e)
		}
		return "{" + strings.Join(elements, " ") + "}"
	}
	return ""
}

// quoted is text for a terminal: what is empty, has spaces, or could do something there is
// written as Go writes strings.
func quoted(s string) string {
	q := fmt.Sprintf("%q", s)
	if q == `"`+s+`"` && s != "" && !strings.ContainsAny(s, " {}") {
		return s
	}
	return q
}
