package deltas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

const convertLong = `Convert files of updates to another format. The input format is detected. A
directory means the delta files in it, - means stdin or stdout.

With --out FILE, all inputs are joined in their order; with --out DIRECTORY,
each becomes a file of the same name. Files appear when they are complete;
existing ones are replaced only with --overwrite.

A row that is invalid, or that the new format cannot hold, stops the conversion
with its file and line, and nothing is written. With --keep-going, bad rows are
skipped, reported (the first 20) and counted, and the exit status is 2.`

const convertExample = `  # one Avro file for each delta file of a directory
  plimsoll deltas convert deltas --to avro --out avro/

  # a compressed CSV file to JSON lines
  gzip -dc updates.csv.gz |
      plimsoll deltas convert - --to jsonl --out updates.jsonl

  # the valid rows of a damaged file
  plimsoll deltas convert damaged.csv --keep-going --out sound.csv`

type convertOptions struct {
	from, to  files.Format
	out       string
	batch     int
	keepGoing bool
	overwrite bool
	quiet     bool
}

func newConvert(env *run.Env) *cobra.Command {
	o := &convertOptions{out: stdio, batch: files.DefaultBatch}
	return readsFiles(&cobra.Command{
		Use: "convert IN…", Short: "Convert files of updates to another format", Long: convertLong,
		Example: convertExample,
	}, env, o.settings(), o.run)
}

func (o *convertOptions) settings() *setting.Set {
	return new(setting.Set).
		Group("Formats",
			setting.Count(&o.batch, "batch", "count", "rows per message of compact files"),
			formatSetting(&o.from, "from", "input format: csv, jsonl, avro or compact (default: detected)"),
			formatSetting(&o.to, "to", "output format: csv, jsonl, avro or compact (default: from the name of "+
				"--out)")).
		Group("Output",
			setting.Switch(&o.keepGoing, "keep-going", "skip and count bad rows (default: stop at the first)"),
			setting.Text(&o.out, "out", "path", "output file or directory; - for stdout"),
			setting.Switch(&o.overwrite, "overwrite", "replace existing files"),
			setting.Switch(&o.quiet, "quiet", "show neither progress nor a summary"))
}

// conversion is one output and what goes into it.
type conversion struct {
	inputs []string
	out    string
}

func (o *convertOptions) run(ctx context.Context, env *run.Env, inputs []string) error {
	conversions, err := o.plan(env, inputs)
	if err != nil {
		return err
	}
	far := begin(env, o.quiet, "converting", bytesOf(inputs))
	defer far.end()
	ctx, release := untilInterrupted(ctx, env, far, inputs...)
	defer release()
	c := &converting{o: o, env: env, reader: reader{env: env, from: o.from, keepGoing: o.keepGoing, far: far}}
	for i := range conversions {
		if err := c.convert(ctx, &conversions[i]); err != nil {
			return after(err, uint64(i), o.out)
		}
	}
	far.end()
	if err := c.reader.skipped.fault(c.rows, o.elsewhere()); err != nil || o.quiet || o.out == stdio {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "converted %s of %s to %s\n", units.Count(c.rows, "row", "rows"),
		units.Count(int64(len(inputs)), "file", "files"), o.out)
	return err
}

func (o *convertOptions) elsewhere() string {
	if o.out == stdio {
		return "stdout has the other rows"
	}
	return "the other rows are in " + o.out
}

// plan decides which files are written, and refuses what would fail later.
func (o *convertOptions) plan(env *run.Env, inputs []string) ([]conversion, error) {
	if o.batch < 1 {
		return nil, fault.New(fault.Usage, "--batch is %d: it must be at least 1", o.batch)
	}
	info, err := os.Stat(o.out)
	directory := strings.HasSuffix(o.out, string(filepath.Separator)) || err == nil && info.IsDir()
	if o.to == files.Auto && o.out != stdio && !directory {
		o.to = files.FormatOf(o.out)
	}
	if o.to == files.Auto {
		return nil, fault.New(fault.Usage, "the output format is missing").
			Hint("give it with --to: csv, jsonl, avro or compact")
	}
	if !directory {
		if o.out == stdio && (o.to == files.Avro || o.to == files.Compact) && env.IsTerminal(env.Stdout) {
			return nil, fault.New(fault.Usage, "%v is a binary format, which cannot be shown in a terminal", o.to).
				Hint("set an output file with --out, or redirect stdout")
		}
		return []conversion{{inputs, o.out}}, nil
	}
	if err := env.Files.MkdirAll(o.out); err != nil {
		return nil, fault.New(fault.Usage, "--out: cannot make %s: %w", o.out, outfile.Reason(err)).
			Hint("choose a directory that you can write to")
	}
	return o.oneByOne(inputs)
}

// oneByOne plans a file in the directory for each input.
func (o *convertOptions) oneByOne(inputs []string) ([]conversion, error) {
	var plan []conversion
	from := map[string]string{}
	for _, in := range inputs {
		if in == stdio {
			return nil, fault.New(fault.Usage, "--out is the directory %s, but stdin has no file name", o.out).
				Hint("set a file with --out")
		}
		name := filepath.Base(in)
		if files.FormatOf(name) != files.Auto {
			name = strings.TrimSuffix(name, filepath.Ext(name))
		}
		out := filepath.Join(o.out, name+"."+o.to.String())
		if other, twice := from[out]; twice {
			return nil, fault.New(fault.Usage, "%s and %s would both become %s", other, in, out).
				Hint("convert them to different directories")
		}
		from[out] = in
		if _, err := os.Stat(out); err == nil && !o.overwrite {
			return nil, fault.New(fault.Usage, "%s already exists", out).
				Hint("choose another directory with --out, or add --overwrite")
		}
		plan = append(plan, conversion{[]string{in}, out})
	}
	return plan, nil
}

// converting is the state of a conversion.
type converting struct {
	o      *convertOptions
	env    *run.Env
	reader reader
	rows   int64
}

func (c *converting) convert(ctx context.Context, v *conversion) error {
	out, err := createOutput(c.env, v.out, c.o.to, c.o.batch, c.o.overwrite)
	if err != nil {
		return err
	}
	var row delta.Row
	for _, in := range v.inputs {
		var broken error // of the output, which is gone then
		_, err := c.reader.each(ctx, in, func(r *files.Reader) error {
			if err := r.Next(&row); err != nil {
				return err
			}
			err := out.Write(&row)
			var bad *files.RowError
			switch {
			case err == nil:
				c.rows++
				c.reader.far.count(c.rows)
				return nil
			case !errors.As(err, &bad):
				broken = out.failed(err)
				return broken
			}
			wrong := r.Wrong(fmt.Errorf("%v cannot hold it: %w", c.o.to, bad.Err))
			if !c.o.keepGoing {
				return wrong
			}
			c.reader.skip(wrong)
			return nil
		})
		if err != nil && broken == nil {
			return out.abandon(err)
		}
		if err != nil {
			return err
		}
	}
	return out.finish()
}
