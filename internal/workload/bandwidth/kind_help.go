package bandwidth

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/run"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name:    rundoc.WorkloadBandwidth,
		OneDash: true,
		Help: run.Help{
			Use: "bandwidth [SIZE] [URL]", Short: "Measure upload and download of files, block by block",
			Long: fmt.Sprintf(long, stores.Drivers().Help()), Example: example,
			Most: 2, Args: "a size such as 128m, and then a URL",
		},
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(),
	}
}

// long has a place for the lines of the stores.
const long = `Measure how fast a file goes to a store and comes back: create it, write SIZE bytes in
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

const example = `  # five seconds of 1 GiB to the embedded S3 server and back
  plimsoll bandwidth

  # 128 MiB in blocks of 8 MiB, and a row for each block
  plimsoll bandwidth 128m s3://my-bucket/tmp/ --block 8m --csv blocks.csv

  # what 32 MiB parts, two at a time, do to the writer
  plimsoll bandwidth 1g s3a://my-bucket/tmp/ --part-size 32m --active-blocks 2

  # four files at the same time for a minute, read in parallel ranges
  plimsoll bandwidth 256m gs://my-bucket/tmp/ --streams 4 --duration 1m --policy prefetch

  # with the settings and the tokens of a Hadoop cluster
  plimsoll bandwidth 1g hdfs://namenode:8020/tmp/ --xmlfile core-site.xml --tokenfile tokens.bin`
