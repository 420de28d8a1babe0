package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

func addBandwidthFlags(cmd *cobra.Command, o *bandwidth.Command) {
	o.Plan = plan.DefaultBandwidth()
	p := &o.Plan
	addGroup(cmd, "Files", func(set *pflag.FlagSet) { fileFlags(set, p) })
	addGroup(cmd, "How it is written", func(set *pflag.FlagSet) { writeFlags(set, p) })
	addGroup(cmd, "How it is read", func(set *pflag.FlagSet) {
		stringVar(set, &p.Policy, "policy", "list", "read policy, or several, of which the first that is known is taken: whole-file (default), sequential, random (a range for each block, in random order), vector (ranges in parallel, in order of arrival), prefetch (ranges in parallel, in order), and Hadoop's other names")
	})
	addGroup(cmd, "Store", func(set *pflag.FlagSet) { storeFlags(set, o) })
	addGroup(cmd, "Output", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &p.CSV, "csv", "file", "stream one CSV row per operation to this file: operation, bytes, total, duration in ms")
		set.BoolVar(&p.CSVIteration, "csv-iteration", false, "add the column iteration to it")
		stringVar(set, &p.Chart, "chart", "file", "draw bandwidth and blocks over time, as .png or .svg")
		set.BoolVar(&p.Verbose, "verbose", false, "report each block, too")
		formFlags(set, &o.Forms)
	})
}

func fileFlags(set *pflag.FlagSet, p *plan.Bandwidth) {
	set.SortFlags = false
	blockVar(set, &p.Block, "block", "bytes of each write and read; a bare number is MiB")
	countVar(set, &p.Streams, "streams", "count", "files that are written, and then read, at the same time")
	countVar(set, &p.Repeat, "repeat", "count", "iterations: each writes, reads and deletes")
	durationVar(set, &p.Duration, "duration", "begin iterations for this long, instead of --repeat (default 5s, if neither SIZE, URL nor --repeat is given)")
	stringVar(set, &p.Only, "only", "transfer", "upload or download alone; a download needs a file that is there, and an upload is deleted unless --keep is given")
	set.BoolVar(&p.Keep, "keep", false, "do not delete the files")
	set.BoolVar(&p.Rename, "rename", false, "rename the file to its name and .renamed, between closing and opening it")
	set.BoolVar(&p.Overwrite, "overwrite", false, "replace a file that is there")
	countVar(set, &p.Load.Seed, "seed", "number", "the same seed writes the same data (default random, shown in the report)")
}

func writeFlags(set *pflag.FlagSet, p *plan.Bandwidth) {
	set.SortFlags = false
	stringVar(set, &p.Data, "data", "kind", "what is written: random, text or zero; never the same page twice, whichever it is")
	bytesVar(set, &p.PartSize, "part-size", "bytes of a part of an object (default 8MiB, or a block if that is larger)")
	countVar(set, &p.ActiveBlocks, "active-blocks", "count", "parts of a file that may be on their way or wait for that, and ranges that are read in parallel; 0 for the default (8 for most stores)")
	stringVar(set, &p.Checksum, "checksum", "kind", "what parts carry for the server to check, where it can: crc32c, sha256 or none; with none, what is read is not compared either")
	set.BoolVar(&p.PayloadSigning, "payload-signing", false, "S3: sign what is sent, too; costs a SHA-256 on both sides")
	set.BoolVar(&p.Flush, "flush", false, "flush after each block")
	set.BoolVar(&p.HFlush, "hflush", false, "flush after each block and ask the store to make it durable")
}

func storeFlags(set *pflag.FlagSet, o *bandwidth.Command) {
	p := &o.Plan
	set.SortFlags = false
	stringVar(set, &p.Endpoint, "endpoint", "url", "address of the service, when it is not the usual one")
	stringVar(set, &p.Region, "region", "name", "S3: region of the bucket (default: found out)")
	set.BoolVar(&p.PathStyle, "path-style", false, "S3: the bucket in the path, not in the host's name")
	set.Var(&value[plan.Retries]{&p.Retries, "count", setting.ParseCount[plan.Retries], func(r plan.Retries) string {
		if r < 0 {
			return ""
		}
		return fmt.Sprint(int(r))
	}}, "max-retries", "attempts of a request after the first (default as the store's client has it)")
	durationVar(set, &p.Timeout, "timeout", "time that one request may take (default as the store's client has it)")
	set.VarP(each{"key=value", func(s string) error {
		key, _, found := strings.Cut(s, "=")
		if !found || key == "" {
			return fmt.Errorf("%q is not a setting: write -D key=value", key)
		}
		p.Properties = append(p.Properties, key)
		o.Properties = append(o.Properties, s)
		return nil
	}}, "define", "D", "Hadoop setting; may be given several times")
	stringVar(set, &p.XMLFile, "xmlfile", "file", "Hadoop configuration file: the settings that mean something here are applied and listed")
	stringVar(set, &p.TokenFile, "tokenfile", "file", "Hadoop credentials file, whose tokens are used and listed")
	set.Var(each{"name=value", func(s string) error {
		o.TargetFlags = append(o.TargetFlags, s)
		return nil
	}}, "target-flag", "flag of 'plimsoll serve s3' for the embedded target, such as bandwidth=20MB; may be given several times")
}

// blockVar is a size of which a bare number is MiB, as in Hadoop's tool of this name.
func blockVar(set *pflag.FlagSet, into *int64, name, help string) {
	parse := func(s string) (int64, error) {
		if _, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64); err == nil {
			s += "MiB"
		}
		return setting.ParseSize(s)
	}
	set.Var(&value[int64]{into, "size", parse, formatBytes}, name, help)
}

func bytesVar(set *pflag.FlagSet, into *int64, name, help string) {
	set.Var(&value[int64]{into, "size", setting.ParseSize, formatBytes}, name, help)
}

func formatBytes(n int64) string { return setting.FormatSize(n) }

// twoDashes writes the flags of the bandwidth command that have one dash (-block 8), as the
// tool has them that people come from, with two. What is one letter long is left alone.
func twoDashes(args []string, cmd *cobra.Command) []string {
	if len(args) == 0 || args[0] != cmd.Name() {
		return args
	}
	list := append([]string(nil), args...)
	for i, a := range list {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			list[i] = "-" + a
		}
	}
	return list
}
