package cli

import (
	"crypto/rand"
	"encoding/binary"

	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
)

// chatOptions are the settings of the chat command: the plan, and what the plan does not
// hold because it changes nothing of the measurement.
type chatOptions struct {
	plan        chat.Plan
	targetFlags []string
	forms
}

// settings are all of them.
func (o *chatOptions) settings() *setting.Set {
	return o.plan.Settings().
		Group("Connection", chattarget.Target().Flag(&o.targetFlags, "target")).
		Group("Output", o.forms.settings()...)
}

// checkOutputs makes sure that the files can be written.
func (o *chatOptions) checkOutputs() error {
	out := &o.plan.Output
	return checkFiles(outputFile{"samples", out.Samples}, outputFile{"buckets", out.Buckets}, outputFile{"chart", out.Chart})
}

// randomSeed is a seed that a person can copy from a report without error.
func randomSeed() uint64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return uint64(binary.BigEndian.Uint32(b[:]))
}
