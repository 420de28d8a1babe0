package cli

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
)

// overheadOptions are the settings of the overhead command.
type overheadOptions struct {
	plan overhead.Plan
	run.Forms
}

// settings are all of them.
func (o *overheadOptions) settings() *setting.Set {
	return o.plan.Settings().Group("Output", o.Forms.Settings()...)
}
