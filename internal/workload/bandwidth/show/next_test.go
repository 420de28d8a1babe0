package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The suggested command removes the largest limiting factor, if a flag can.
func TestNextCommand(t *testing.T) {
	const chart, again = "plimsoll report last --chart run.svg", "plimsoll bandwidth s3://b/k"
	limit := func(transfer, what string) []rundoc.Limit {
		return []rundoc.Limit{{Transfer: "upload", What: "pauses", Share: 0.1}, {Transfer: transfer, What: what, Share: 0.8}}
	}
	for name, c := range map[string]struct {
		limits []rundoc.Limit
		plan   string // further settings
		policy string
		want   string
	}{
		"no limit":              {nil, "", "", chart},
		"generating data":       {limit("upload", "generation"), "", "", again + " --data zero"},
		"comparing data":        {limit("download", "checksum"), "", "", again + " --checksum none"},
		"parts in flight":       {limit("upload", "store"), "", "", again + " --active-blocks 16"},
		"parts that were given": {limit("upload", "network"), `,"active_blocks":8`, "", again + " --active-blocks 16"},
		"reading one range":     {limit("download", "network"), "", "whole-file", again + " --policy prefetch"},
		"reading in parallel":   {limit("download", "network"), "", "prefetch", chart},
		"retries":               {limit("download", "retries"), "", "", chart},
	} {
		t.Run(name, func(t *testing.T) {
			d := &rundoc.BandwidthDetail{Streams: 1, SizeBytes: 1 << 30, BlockBytes: 8 << 20, Limits: c.limits}
			d.Store.PartBytes, d.Store.ActiveParts, d.Store.Policy = 8<<20, 8, c.policy
			run := &rundoc.Run{Workload: "bandwidth", Detail: d, Target: rundoc.Target{URL: "s3://b/k"}}
			run.Plan = []byte(`{"url":"s3://b/k","size_bytes":1073741824,"repeat":1` + c.plan + `}`)
			if got := show.Kind().NextCommand(run); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
