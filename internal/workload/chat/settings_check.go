package chat

import (
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// Limits of the chat protocol and of the tables that a report can hold.
const (
	maxUsers     = 100_000 // user ids are 1 to 100000
	maxRooms     = 10_000  // each has some KiB of figures in memory
	maxTemplates = 1000
	maxCharacter = 500 // of a message's text
)

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

func share(into *float64, name, help string) *setting.Setting {
	return setting.Share(into, name, help).Rule(func(flag string) error {
		if !(*into >= 0 && *into <= 1) {
			return usage("%s %v is out of range: it must be between 0%% and 100%%", flag, *into)
		}
		return nil
	})
}

func (p *Plan) checkURL() error {
	if p.URL == "" {
		return nil
	}
	return ws.CheckURL(p.URL)
}

func (p *Plan) checkRooms() error {
	if n := p.Load.Operations; n > 0 && int64(p.Mix.Rooms) > n {
		return usage("--rooms %d exceeds the %d messages of the run: some rooms would stay empty",
			p.Mix.Rooms, n).
			Hint("set --rooms to %d or less, or raise --messages", n)
	}
	return p.Heard.CheckRooms(p.Mix.Rooms, strings.Contains(p.URL, plan.Room))
}

func checkMessageSize(m *Mix, flag string) error {
	if m.MessageSize < 0 || m.MessageSize > maxCharacter {
		return usage("%s %d is out of range: it must be between 1 and %d characters", flag, m.MessageSize, maxCharacter)
	}
	return nil
}

func (p *Plan) checkShares() error {
	m := &p.Mix
	// The tolerance covers binary fractions (0.9 + 0.05 + 0.05), nothing that a person wrote.
	sum := m.TextShare + m.JoinShare + m.LeaveShare
	if math.Abs(sum-1) > 1e-6 {
		return usage("the shares add up to %.6g%%, not to 100%%: "+
			"--text-share %.6g%%, --join-share %.6g%%, --leave-share %.6g%%",
			sum*100, m.TextShare*100, m.JoinShare*100, m.LeaveShare*100).
			Hint("set all three, for example --text-share 80%% --join-share 10%% --leave-share 10%%")
	}
	return nil
}

func (p *Plan) checkDial() error { return p.Dial.Check(p.URL, &p.Load) }
