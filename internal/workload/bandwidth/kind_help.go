package bandwidth

import (
	"fmt"
	"strings"

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
			Use: "bandwidth [SIZE] [URL]", Short: "Measure how fast files go to a store and come back",
			Long: fmt.Sprintf(long, stores.Drivers().Help()), Example: example,
			Most: 2, Args: "a size such as 128m, and then a URL",
		},
		Offer:  urls,
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(), LeavesUploads: true,
		AmongMany: []run.Preset{
			// One file of some megabytes takes milliseconds, which say nothing.
			{Setting: "duration", Value: "5s", Unless: []string{"repeat"}},
		},
		SweepBy:  sweepBy,
		Compared: []string{rundoc.OperationUpload, rundoc.OperationDownload, "failed", "cpu_per_gib"},
		InTurn: []run.Preset{
			// A file each way, and of small ones as many as say something.
			{Setting: "duration", Value: "2s", Unless: []string{"repeat"}},
		},
	}
}

// sweepBy is the transfer that a sweep is about: how a file is read shows in the download alone.
func sweepBy(value func(name string) string, varied func(name string) bool) string {
	switch {
	case value("only") != "":
		return value("only")
	case varied("policy"):
		return rundoc.OperationDownload
	}
	return ""
}

// urls are the beginnings of the URLs of stores.
func urls() []string {
	var all []string
	for _, d := range stores.Drivers() {
		for _, scheme := range d.Schemes {
			if !strings.Contains(d.Forms, scheme+"://") && strings.Contains(d.Forms, scheme+":") {
				all = append(all, scheme+":")
			} else {
				all = append(all, scheme+"://")
			}
		}
	}
	return all
}

// long has a place for the lines of the stores.
const long = `Measure how fast a file goes to a store and comes back: create it, write SIZE
bytes in blocks, close it, open it, read it, compare every byte, and delete it.
The times are those that an application sees which streams to the store: a write
returns when the store's client has taken the block, and close waits for the
rest.

Without URL and SIZE it is a demo: ` + demoWords + `
(--target-flag bandwidth=0 lifts that). The scheme of a URL names the store:

%s
What follows the bucket of an object store is the name, literally, with any ?,
# and %%; the names of file:, sftp: and http: are percent-encoded.
A URL that ends with / gets a name of its own in that directory. A file that is
there is not replaced, unless you say --overwrite. Credentials are those that
the store's own tools use (environment, profiles, key files); they appear in no
report.

SIZE is written 128m or 1g, which is the default for a URL; a bare number is in
bytes (that of --block in MiB). Flags may also be written with one dash, as in
-block 8.`

const example = `  # a demo: a file again and again, to a store of its own and back
  plimsoll bandwidth

  # 128 MiB to a bucket and back, and a line of CSV for each block
  plimsoll bandwidth 128m s3://my-bucket/tmp/ --csv blocks.csv

  # four files at the same time for a minute, read in parallel
  plimsoll bandwidth 256m gs://my-bucket/tmp/ --streams 4 --duration 1m \
      --policy prefetch

  # what 32 MiB parts, two at a time, do to the writer
  plimsoll bandwidth 1g s3a://my-bucket/tmp/ --part-size 32m --active-blocks 2

  # with the settings and the tokens of a Hadoop cluster
  plimsoll bandwidth 1g hdfs://namenode:8020/tmp/ --xmlfile core-site.xml \
      --tokenfile tokens.bin`
