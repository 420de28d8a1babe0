package cli

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/run"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
)

// updatesOptions are the settings of the updates command: the plan, and what the plan does not
// hold.
type updatesOptions struct {
	plan        updates.Plan
	patience    time.Duration // --timeout, where it was given; else 0
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// settings are all of them.
func (o *updatesOptions) settings() *setting.Set {
	return o.plan.Settings().
		Group("Server", kvtarget.Target().Flag(&o.targetFlags, "server")).
		Group("Output", o.Forms.Settings()...)
}
