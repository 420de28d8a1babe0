package chat

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// Plan is what a chat run does. Settings declares what each field is.
type Plan struct {
	URL    string // as given; "" for the embedded target; may hold {room}
	Load   plan.Load
	Mix    Mix
	Heard  ws.Audience
	Dial   ws.Dial
	Output plan.Output

	TargetFlags []string // names of the demo server's settings that were given
}

// DefaultPlan is the plan of a run for which nothing was given. What depends on other settings (the
// length, the warm-up, the drain) is still open: Resolve fills it in.
func DefaultPlan() Plan {
	return Plan{
		Load:   plan.Load{Clients: 32, Pipeline: 1, Arrivals: plan.Poisson, Pacing: plan.Auto, Retry: plan.DefaultRetry()},
		Mix:    Mix{Users: 100000, Rooms: 20, Templates: 50, TextShare: 0.90, JoinShare: 0.05, LeaveShare: 0.05},
		Heard:  ws.DefaultAudience(),
		Dial:   ws.DefaultDial(),
		Output: plan.DefaultOutput(),
	}
}

// What the demo does, and in words: clients that pause, so that neither they nor the server on the same machine
// need all of it. Without a pause the two together take what there is, and the verdict has to doubt the figures.
const (
	demoThinkTime = 10 * time.Millisecond
	demoWords     = "32 clients with 10ms think time, about 3,000 messages per second"
)

// Resolve fills in what depends on other settings. given reports whether the flag of that name was set
// by the user; what was set stays. It is called once, before the check.
func (p *Plan) Resolve(given func(flag string) bool) error {
	if err := p.Load.Resolve(given); err != nil {
		return err
	}
	p.Heard.Resolve(&p.Load, given)
	return nil
}

// demo reports whether the user said neither which server to measure nor how much load to make.
func (p *Plan) demo(given func(flag string) bool) bool {
	l := p.Load.Settings()
	ws.LoadSettings(l, demoThinkTime) // which gives them the names of their flags
	return p.URL == "" && !l.Shaped(given)
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return redact.URL(p.URL) }),
		setting.Field(&p.URL).At("url_user").WrittenAs(func() any { return redact.HasUser(p.URL) }).OmitZero(),
		setting.Field(&p.TargetFlags).At("target_flags").OmitZero())
	s.Group("Load", ws.LoadSettings(l, demoThinkTime)...)
	s.Group("Failures", l.Failures("maximum time of one attempt")...)
	s.Group("Messages", mixSettings(&p.Mix, l.Seed)...)
	s.Group("Fan-out", p.Heard.Settings()...)
	s.Group("Connection", p.Dial.Settings()...)
	s.Group("Output", slices.Insert(p.Output.Settings("message"), 1, p.Output.WarmupSamples())...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkURL).Rules(p.Load.Rules()...).
		Rules(p.Heard.Check, p.checkRooms, p.checkShares, p.checkDial, p.Output.CheckFiles)
}

func mixSettings(m *Mix, seed *setting.Setting) []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&m.Rooms, "rooms", "count", "number of rooms, named 1, 2, 3 …").At("mix.rooms").
			Between(1, maxRooms),
		setting.Count(&m.Users, "users", "count", "number of different sender names in messages; the load is "+
			"--clients").At("mix.users").Between(1, maxUsers),
		setting.Count(&m.Templates, "templates", "count", "number of different texts").
			At("mix.templates").Between(1, maxTemplates),
		setting.Count(&m.MessageSize, "message-size", "characters",
			"length of each text, 1 to 500 (default: that of the templates)").
			At("mix.message_size").OmitZero().Rule(func(flag string) error { return checkMessageSize(m, flag) }),
		share(&m.TextShare, "text-share", "share of TEXT messages").At("mix.text_share"),
		share(&m.JoinShare, "join-share", "share of JOIN messages").At("mix.join_share"),
		share(&m.LeaveShare, "leave-share", "share of LEAVE messages").At("mix.leave_share"),
		seed.Flag("seed", "seed of all random values; the same seed sends the same messages (default: random, "+
			"shown in the report)"),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
