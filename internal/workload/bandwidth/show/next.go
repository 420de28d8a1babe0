package show

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// chartCommand is the command suggested when the result suggests nothing else.
const chartCommand = "plimsoll report last --chart run.svg"

// next returns the command that removes the largest limiting factor of a run, if a flag can, or else draws a chart.
func next(run *rundoc.Run) string {
	d := run.Bandwidth()
	if d == nil {
		return chartCommand
	}
	flag, value := cure(d)
	if flag == "" {
		return chartCommand
	}
	flags := slices.Clone(planFlags)
	for i := range flags {
		if flags[i].Flag == flag {
			flags[i].Flag = "" // replaced below
		}
	}
	command := repeated(run, flags)
	if d.Streams > 1 {
		command = report.WithWord(command, "--streams", strconv.Itoa(d.Streams))
	}
	return cmp.Or(report.WithWord(command, flag, value), chartCommand)
}

// cure returns the flag that removes the largest limiting factor, or "" if no flag does.
func cure(d *rundoc.BandwidthDetail) (flag, value string) {
	var top rundoc.Limit
	for _, l := range d.Limits {
		if l.Share > top.Share {
			top = l
		}
	}
	upload := top.Transfer == rundoc.OperationUpload
	moving := top.What == "store" || top.What == "network"
	s := &d.Store
	switch {
	case top.What == "generation":
		return "--data", "zero"
	case top.What == "checksum":
		return "--checksum", "none"
	case upload && moving && s.AtOnce == 0 && s.ActiveParts > 0 && d.SizeBytes > s.PartBytes*int64(s.ActiveParts):
		return "--active-blocks", strconv.Itoa(2 * s.ActiveParts)
	case !upload && moving && d.SizeBytes > d.BlockBytes && s.Policy != "prefetch" && s.Policy != "vector":
		return "--policy", "prefetch"
	}
	return "", ""
}

// lessLoad is the command with fewer streams, or with less from the demo's server.
func lessLoad(run *rundoc.Run, share float64) string {
	d := run.Bandwidth()
	switch {
	case d == nil:
		return ""
	case d.Streams > 1:
		command := again(run)
		if run.Target.Embedded {
			command = withLimit(command, d.Store.LimitBytesPerS)
		}
		return report.WithWord(command, "--streams", strconv.Itoa(max(1, int(share*float64(d.Streams)))))
	case run.Target.Embedded && d.Upload != nil && d.Upload.BytesPerS > 1e7:
		return withLimit(again(run), int64(share*d.Upload.BytesPerS/1e6)*1e6)
	}
	return ""
}

// withLimit is a command, if there is one, against a demo's store that gives at most so much, 0 for all that it can.
func withLimit(command string, perS int64) string {
	const (
		usual = 250e6
		mb    = 1e6
	)
	text := strconv.FormatInt(perS, 10)
	if perS%mb == 0 && perS > 0 {
		text = strconv.FormatInt(perS/mb, 10) + "MB"
	}
	if perS == usual {
		return command
	}
	return report.WithWord(command, "--target-flag", "bandwidth="+text)
}

// planned is what the plan of a run says of what stands in a command without a flag, and of what depends on that.
type planned struct {
	URL        string `json:"url"`
	SizeBytes  int64  `json:"size_bytes"`
	Repeat     int    `json:"repeat"`
	DurationNS int64  `json:"repeat_for_ns"`
}

// again is the command that moves the same files as a run, but for the streams and for the limit of a demo's store;
// "" where it cannot say all that the run was told.
func again(run *rundoc.Run) string { return repeated(run, planFlags) }

func repeated(run *rundoc.Run, flags []report.PlanFlag) string {
	var p planned
	if json.Unmarshal(run.Plan, &p) != nil {
		return ""
	}
	// The demo, which has a size and a length of its own, and what has a URL, or a size.
	usual := planned{SizeBytes: 1 << 30, Repeat: 1}
	if p.URL == "" {
		usual = planned{SizeBytes: 256 << 20, DurationNS: int64(8 * time.Second)}
	}
	command := "plimsoll bandwidth"
	if p.SizeBytes != usual.SizeBytes {
		command = report.WithWord(command, report.SizeArgument(p.SizeBytes))
		usual.Repeat, usual.DurationNS = 1, 0
	}
	if p.URL != "" {
		command = report.WithWord(command, p.URL)
	}
	if p.Repeat != usual.Repeat && p.Repeat > 0 {
		command = report.WithWord(command, "--iterations", strconv.Itoa(p.Repeat))
	}
	if p.DurationNS != usual.DurationNS && p.DurationNS > 0 {
		command = report.WithWord(command, "--duration", time.Duration(p.DurationNS).String())
	}
	return report.Again(command, run, flags)
}

// planFlags are what the command repeats. A file that is kept, or renamed, would be in the way of the next run; and of
// the settings of Hadoop only their names are known.
var planFlags = []report.PlanFlag{
	{At: "url"},
	{At: "load"},
	{At: "size_bytes"},
	{At: "block_bytes", Flag: "--block", Default: "8MiB"},
	{At: "streams"},
	{At: "repeat"},
	{At: "repeat_for_ns"},
	{At: "only", Flag: "--only"},
	{At: "overwrite", Flag: "--overwrite"},
	{At: "data", Flag: "--data", Default: "random"},
	{At: "part_bytes", Flag: "--part-size"},
	{At: "active_blocks", Flag: "--active-blocks"},
	{At: "checksum", Flag: "--checksum", Default: "crc32c"},
	{At: "payload_signing", Flag: "--payload-signing"},
	{At: "flush", Flag: "--flush"},
	{At: "hflush", Flag: "--hflush"},
	{At: "policy", Flag: "--policy"},
	{At: "endpoint", Flag: "--endpoint"},
	{At: "region", Flag: "--region"},
	{At: "path_style", Flag: "--path-style"},
	{At: "max_retries", Flag: "--max-retries", Default: "that of the store's client"},
	{At: "timeout_ns", Flag: "--timeout"},
	{At: "max_silence_ns", Flag: "--max-silence", Default: "1m0s"},
	{At: "xml_file", Flag: "--xmlfile"},
	{At: "token_file", Flag: "--tokenfile"},
	{At: "ca_file", Flag: "--ca"},
	{At: "insecure", Flag: "--insecure"},
	{At: "csv"},
	{At: "csv_iteration"}, {At: "csv_stream"},
	{At: "chart"},
	{At: "verbose"},
	{At: "store_limit_bytes_per_s"},
}
