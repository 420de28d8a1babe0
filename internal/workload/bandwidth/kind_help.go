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
			Use: "bandwidth [SIZE] [URL]", Short: "Measure transfer speed to and from an object store",
			Long: fmt.Sprintf(long, stores.Drivers().Help()), Example: example,
			Most: 2, Args: "it takes a size such as 128m, and then a URL",
		},
		Offer:  urls,
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(), LeavesUploads: true,
		AmongMany: []run.Preset{
			// One file of some megabytes takes milliseconds, which say nothing.
			{Setting: "duration", Value: "5s", Unless: []string{"iterations"}},
		},
		SweepBy:  sweepBy,
		Compared: []string{rundoc.OperationUpload, rundoc.OperationDownload, "failed", "cpu_per_gib"},
		InTurn: []run.Preset{
			// A file each way, and of small ones as many as say something.
			{Setting: "duration", Value: "2s", Unless: []string{"iterations"}},
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
const long = `Measure upload and download speed to a store: write files of SIZE bytes in
blocks, read them back, compare every byte, and delete them. Without SIZE and
URL, Plimsoll runs a demo against a server that it starts on this machine.

The times are what an application sees that streams to the store: a write
returns when the store's client has accepted the block, and close waits for the
data that is still in flight.

The demo is: ` + demoWords + `
(--target-flag bandwidth=0 removes the limit). The scheme of the URL selects the
store:

%s
After the bucket of an object store, the URL is the literal object name,
including ?, # and %%; names in file:, sftp: and http: URLs are percent-encoded.
If the URL ends in /, Plimsoll chooses a name in that directory. An existing
file is replaced only with --overwrite. Credentials come from the environment,
profiles or key files, as for the store's own tools; reports never contain them.

SIZE is written as 128m or 1g (the default with a URL); a bare number is in
bytes, but that of --block is in MiB. Flags may also have one dash, as in
-block 8.`

const example = `  # a demo: write and read files for eight seconds
  plimsoll bandwidth

  # upload 128 MiB to a bucket and download it, with a row of CSV per operation
  plimsoll bandwidth 128m s3://my-bucket/tmp/ --csv blocks.csv

  # four parallel files for a minute, with parallel reads
  plimsoll bandwidth 256m gs://my-bucket/tmp/ --streams 4 --duration 1m \
      --policy prefetch

  # the effect of 32 MiB parts, two at a time
  plimsoll bandwidth 1g s3a://my-bucket/tmp/ --part-size 32m --active-blocks 2

  # the settings and tokens of a Hadoop cluster
  plimsoll bandwidth 1g hdfs://namenode:8020/tmp/ --xmlfile core-site.xml \
      --tokenfile tokens.bin`
