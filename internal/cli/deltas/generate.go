package deltas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

const generateLong = `Write delta files of synthetic rows: DELTA_0000000000000001.csv and so on. The
same flags with the same --seed and --commit produce identical files.

Each row has a key of its own, unless --hot-keys sets the number of keys; then
each row gets a random one of them. All rows of a file have the same commit
time, which is one more than that of the previous file. A set has up to four
elements that share the length of the value. If all keys are different, a delete
names a key that was never set.`

const generateExample = `  # ten files of 1,000 updates
  plimsoll deltas generate --files 10 --out deltas

  # a million rows over 20,000 keys, a tenth of them deletes, as Avro
  plimsoll deltas generate --updates 1_000_000 --hot-keys 20_000 --deletes 10% \
      --format avro --out hot`

type generateOptions struct {
	g         delta.Generation
	files     uint64
	updates   int
	first     uint64
	format    files.Format
	batch     int
	out       string
	overwrite bool
	quiet     bool
}

func newGenerate(env *run.Env) *cobra.Command {
	o := &generateOptions{files: 1, updates: 1000, first: 1, format: files.CSV, batch: files.DefaultBatch, out: "deltas",
		g: delta.Generation{KeyLength: 30, ValueLength: 10}}
	cmd := &cobra.Command{
		Use:     "generate",
		Short:   "Write delta files of synthetic rows",
		Long:    generateLong,
		Example: generateExample,
		Args:    command.AtMost(0, "it takes no arguments; set the directory with --out"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				o.g.Seed = plan.RandomSeed()
			}
			if !cmd.Flags().Changed("commit") {
				o.g.Commit = time.Now().UnixMicro()
			}
			return o.run(cmd.Context(), env)
		},
	}
	command.AddFlags(cmd, o.settings())
	return cmd
}

func (o *generateOptions) settings() *setting.Set {
	return new(setting.Set).
		Group("Rows",
			setting.Count(&o.g.Commit, "commit", "time",
				"commit time of the first file in microseconds since 1970 (default: now)"),
			setting.Share(&o.g.Deletes, "deletes", "share of rows that delete their key"),
			setting.Count(&o.files, "files", "count", "number of files"),
			setting.Count(&o.g.Keys, "hot-keys", "count", "number of keys; 0: a key per row"),
			setting.Count(&o.g.KeyLength, "key-length", "bytes", "length of a key in bytes, including the prefix"),
			setting.Text(&o.g.Prefix, "prefix", "text", "prefix of every key"),
			setting.Count(&o.g.Seed, "seed", "number",
				"seed of the rows (default: random, printed at the end)"),
			setting.Share(&o.g.Sets, "sets", "share of updates whose value is a set of strings"),
			setting.Count(&o.updates, "updates", "count", "rows per file"),
			setting.Count(&o.g.ValueLength, "value-length", "bytes", "length of a value in bytes")).
		Group("Output",
			setting.Count(&o.batch, "batch", "count", "rows per message of compact files"),
			setting.Count(&o.first, "first", "number", "number of the first file"),
			formatSetting(&o.format, "format", "output format: csv, jsonl, avro or compact"),
			setting.Output(&o.out, "out", "directory", "output directory, created if necessary"),
			setting.Switch(&o.overwrite, "overwrite", "replace existing files"),
			setting.Switch(&o.quiet, "quiet", "show neither progress nor a summary"))
}

// The rows of a file are made in chunks, so that memory depends neither on their number nor on
// their length.
const (
	chunkRows  = 10_000
	chunkBytes = 8 << 20
)

// validate checks the settings and sets the size of a chunk.
func (o *generateOptions) validate() (*delta.Generator, error) {
	switch {
	case o.files < 1:
		return nil, fault.New(fault.Usage, "--files is 0: it must be at least 1")
	case o.files > files.MaxNumber || o.first > files.MaxNumber-(o.files-1):
		return nil, fault.New(fault.Usage, "--files %d from number %d: numbers of files have at most 16 digits", o.files,
			o.first)
	case o.updates < 1:
		return nil, fault.New(fault.Usage, "--updates is %d: it must be at least 1", o.updates)
	case o.batch < 1:
		return nil, fault.New(fault.Usage, "--batch is %d: it must be at least 1", o.batch)
	case o.g.KeyLength > chunkBytes || o.g.ValueLength > chunkBytes-max(0, o.g.KeyLength):
		return nil, fault.New(fault.Usage,
			"--key-length and --value-length exceed the limit of %d MiB per row", chunkBytes>>20)
	}
	if chunks := (uint64(o.updates)-1)/uint64(chunkRows) + 1; o.files > delta.WarmupIndex/chunkBytes/chunks {
		return nil, fault.New(fault.Usage, "--files %d with %d rows each are too many rows to number", o.files, o.updates)
	}
	o.g.Batch = min(o.updates, chunkRows, max(1, chunkBytes/max(1, o.g.KeyLength+o.g.ValueLength)))
	g, err := delta.NewGenerator(o.g)
	if err == nil {
		err = g.Fits(o.files * o.chunks())
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "%w", err).Hint("change --key-length, --value-length, --prefix or " +
			"--hot-keys")
	}
	return g, nil
}

// chunks is how many of them a file has.
func (o *generateOptions) chunks() uint64 { return uint64((o.updates-1)/o.g.Batch + 1) }

func (o *generateOptions) run(ctx context.Context, env *run.Env) error {
	g, err := o.validate()
	if err != nil {
		return err
	}
	if err := env.Files.MkdirAll(o.out); err != nil {
		return fault.New(fault.Usage, "--out: cannot make %s: %w", o.out, outfile.Reason(err)).
			Hint("choose a directory that you can write to")
	}
	if err := o.vacant(); err != nil {
		return err
	}
	far := begin(env, o.quiet, "generating", float64(o.files)*float64(o.updates))
	defer far.end()
	ctx, release := untilInterrupted(ctx, env, far)
	defer release()
	w := &generating{o: o, env: env, g: g, far: far}
	for n := range o.files {
		if err := w.file(ctx, n); err != nil {
			return after(err, n, o.out)
		}
	}
	far.end()
	if o.quiet {
		return nil
	}
	_, err = fmt.Fprintf(env.Stdout, `wrote %s with %s to %s; --seed %d --commit %d reproduces them
`,
		units.Count(int64(o.files), "file", "files"), units.Count(int64(o.files)*int64(o.updates), "row", "rows"), o.out,
		o.g.Seed, o.g.Commit)
	return err
}

// after adds to an error what was done before it.
func after(err error, done uint64, where string) error {
	if done == 0 || fault.HintOf(err) != "" {
		return err
	}
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	return known.Hint("%s in %s, complete", units.Count(int64(done), "file is", "files are"), where)
}

// vacant makes sure that no file is there yet, before the first one is written.
func (o *generateOptions) vacant() error {
	if o.overwrite {
		return nil
	}
	entries, err := os.ReadDir(o.out)
	if err != nil {
		return fault.New(fault.Usage, "--out: cannot read %s: %w", o.out, outfile.Reason(err))
	}
	for _, e := range entries {
		// Of any format: a server that loads the directory would read both.
		if n, ok := files.ParseName(e.Name()); ok && n >= o.first && n-o.first < o.files {
			return fault.New(fault.Usage, "%s already exists", filepath.Join(o.out, e.Name())).
				Hint("choose another directory with --out, start with another number (--first), or add --overwrite")
		}
	}
	return nil
}

// generating is the state of a generation.
type generating struct {
	o    *generateOptions
	env  *run.Env
	g    *delta.Generator
	far  *progress
	rows []delta.Row
	buf  []byte
}

// file writes file number n, counted from 0.
func (w *generating) file(ctx context.Context, n uint64) error {
	o := w.o
	out, err := createOutput(w.env, filepath.Join(o.out, files.Name(o.first+n, o.format)), o.format, o.batch, o.overwrite)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("file %s of %s", units.Number(int64(n)+1), units.Number(int64(o.files)))
	w.far.what.Store(&name)
	left := o.updates
	for chunk := range o.chunks() {
		if ctx.Err() != nil {
			return out.abandon(fault.New(fault.Interrupted, "interrupted"))
		}
		w.rows, w.buf = w.g.Rows(n*o.chunks()+chunk, w.rows, w.buf)
		rows := w.rows[:min(left, len(w.rows))]
		left -= len(rows)
		for i := range rows {
			rows[i].Commit = o.g.Commit + int64(n)
			if err := out.Write(&rows[i]); err != nil {
				return w.cannot(out, err)
			}
		}
		w.far.rows.Store(w.far.done.Add(int64(len(rows))))
	}
	return out.finish()
}

// cannot tells a prefix that the format cannot hold from a disk that is full.
func (w *generating) cannot(out *output, err error) error {
	var bad *files.RowError
	if errors.As(err, &bad) {
		return out.abandon(fault.New(fault.Usage, "--prefix: %w", bad.Err))
	}
	return out.failed(err)
}
