package chat

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestOutcomes(t *testing.T) {
	runtest.Outcomes(t, &rundoc.ChatDetail{}, fault.OK, (&Command{}).Conclude)
}
