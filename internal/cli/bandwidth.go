package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
)

// bandwidthLong has a place for the lines of the stores.
const bandwidthLong = `Measure how fast a file goes to a store and comes back: create it, write SIZE bytes in
blocks, close it, open it, read it, compare every byte, and delete it. The times are those
that an application sees which streams to the store: a write returns when the store's client
has taken the block, and close waits for the rest.

Without a URL the embedded S3 server is measured, which runs as a process of its own; without
a SIZE as well, with 1 GiB again and again for 5 s. The scheme of a URL names the store:

%s
A URL that ends with / gets a name of its own in that directory. A file that is there is not
replaced, unless you say --overwrite. Credentials are those that the store's own tools use
(environment, profiles, key files); they appear in no report.

SIZE is written 128m or 1g, which is the default; a bare number is in bytes (that of --block
in MiB). Flags may also be written with one dash, as in -block 8.`

const bandwidthExample = `  # five seconds of 1 GiB to the embedded S3 server and back
  plimsoll bandwidth

  # 128 MiB in blocks of 8 MiB, and a row for each block
  plimsoll bandwidth 128m s3://my-bucket/tmp/ --block 8m --csv blocks.csv

  # what 32 MiB parts, two at a time, do to the writer
  plimsoll bandwidth 1g s3a://my-bucket/tmp/ --part-size 32m --active-blocks 2

  # four files at the same time for a minute, read in parallel ranges
  plimsoll bandwidth 256m gs://my-bucket/tmp/ --streams 4 --duration 1m --policy prefetch

  # with the settings and the tokens of a Hadoop cluster
  plimsoll bandwidth 1g hdfs://namenode:8020/tmp/ --xmlfile core-site.xml --tokenfile tokens.bin`

// bandwidthArgs describes the arguments.
const bandwidthArgs = "a size such as 128m, and then a URL"

func newBandwidth(env *Env) *cobra.Command {
	o := &bandwidthOptions{}
	cmd := &cobra.Command{
		Use:     "bandwidth [SIZE] [URL]",
		Short:   "Measure upload and download of files, block by block",
		Long:    fmt.Sprintf(bandwidthLong, stores.Drivers().Help()),
		Example: bandwidthExample,
		Args:    atMost(2, bandwidthArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(args, cmd.Flags().Changed); err != nil {
				return err
			}
			return runBandwidth(cmd.Context(), env, o)
		},
	}
	addBandwidthFlags(cmd, o)
	completeWith(cmd, "data", plan.DataRandom, plan.DataText, plan.DataZero)
	completeWith(cmd, "checksum", plan.ChecksumCRC32C, plan.ChecksumSHA256, plan.ChecksumNone)
	completeWith(cmd, "only", plan.OnlyUpload, plan.OnlyDownload)
	completeWith(cmd, "policy", "whole-file", "sequential", "random", "vector", "prefetch")
	offer(cmd, "target-flag", cobra.ShellCompDirectiveNoSpace, s3Target().names()...)
	return cmd
}

// defaultBandwidthTime is how long a run goes on for which nothing is given: long enough to
// believe its figures.
const defaultBandwidthTime = 5 * time.Second

// resolve fills in what was not given and checks what was.
func (o *bandwidthOptions) resolve(args []string, given func(flag string) bool) error {
	if err := o.arguments(args); err != nil {
		return err
	}
	if o.plan.URL == "" && !o.sized && !given("repeat") && !given("duration") {
		o.plan.Duration = defaultBandwidthTime
	}
	o.plan.Resolve(given)
	if !given("seed") {
		o.plan.Load.Seed = plan.RandomSeed()
	}
	if err := o.plan.CheckGiven(given); err != nil {
		return err
	}
	if err := o.plan.Validate(); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	if err := o.checkMeaning(given); err != nil {
		return err
	}
	if o.plan.URL != "" && len(o.targetFlags) > 0 {
		return fault.New(fault.Usage, "--target-flag is for the embedded target, and a URL is given").
			Hint("leave one of them out")
	}
	var err error
	o.serverArgs, err = s3Target().args(o.targetFlags)
	return err
}

// arguments reads the size and the URL. Each may be missing.
func (o *bandwidthOptions) arguments(args []string) error {
	if len(args) > 0 {
		size, err := setting.ParseSize(args[0])
		switch {
		case err == nil:
			o.plan.Size, o.sized = size, true
			args = args[1:]
		case !isURL(args[0]):
			return fault.New(fault.Usage, "the size: %w", err).Hint("the order is SIZE and URL, as in: plimsoll bandwidth 128m s3://bucket/key")
		}
	}
	if len(args) == 0 {
		return nil
	}
	if args[0] == "" {
		return fault.New(fault.Usage, "the URL is empty").Hint("leave it out to measure the embedded server")
	}
	o.plan.URL = args[0]
	if len(args) == 1 {
		return nil
	}
	return fault.New(fault.Usage, "%q stands behind the URL", args[1]).
		Hint("the order is SIZE and URL, as in: plimsoll bandwidth 128m s3://bucket/key")
}

// isURL reports whether an argument looks like a URL or a path, and not like a size.
func isURL(s string) bool { return strings.ContainsAny(s, ":/") }
