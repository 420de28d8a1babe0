package updates

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/run"
)

// What makes no run, or several, is no run of a set.
func TestJobRejectsSeveralRuns(t *testing.T) {
	for flag, set := range map[string]func(*Plan){
		"--verify makes no run":     func(p *Plan) { p.Check = "last" },
		"--grid makes several runs": func(p *Plan) { p.Grid = true },
		"--max makes several runs":  func(p *Plan) { p.Max = true },
	} {
		c := &Command{Plan: DefaultPlan()}
		if _, err := c.Job(&run.Env{}); err != nil {
			t.Fatal(err)
		}
		set(&c.Plan)
		if _, err := c.Job(&run.Env{}); err == nil || !strings.HasPrefix(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
