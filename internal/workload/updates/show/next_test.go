package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// After a run that only published, the suggested command checks a server.
func TestNextCommand(t *testing.T) {
	for want, d := range map[string]*rundoc.UpdatesDetail{
		"plimsoll updates --verify last --kv http://YOUR-HOST:PORT": {Batch: 1000},
		"plimsoll report last --chart run.svg":                      {Batch: 1000, Proof: &rundoc.Proof{}},
	} {
		run := &rundoc.Run{Workload: "updates", Detail: d, Target: rundoc.Target{URL: "kafka://h/t"}}
		if got := show.Kind().NextCommand(run); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
