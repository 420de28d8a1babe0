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
	Mix    ws.Mix
	Dial   ws.Dial
	Output plan.Output

	TargetFlags []string // names of the demo server's settings that were given
}

// DefaultPlan is the plan of a run for which nothing was given. What depends on other settings (the
// length, the warm-up, the drain) is still open: Resolve fills it in.
func DefaultPlan() Plan {
	return Plan{
		Load:   plan.Load{Clients: 32, Pipeline: 1, Arrivals: plan.Poisson, Pacing: plan.Auto, Retry: plan.DefaultRetry()},
		Mix:    ws.Mix{Users: 100000, Rooms: 20, Templates: 50, TextShare: 0.90, JoinShare: 0.05, LeaveShare: 0.05},
		Dial:   ws.Dial{Headers: ws.Headers{}},
		Output: plan.DefaultOutput(),
	}
}

// What the demo does, and in words: clients that pause, so that neither they nor the server on the same machine
// need all of it. Without a pause the two together take what there is, and the verdict has to doubt the figures.
const (
	demoThinkTime = 10 * time.Millisecond
	demoWords     = "32 clients that pause 10ms after each answer, about 3,000 messages a second"
)

// Resolve fills in what depends on other settings. given reports whether the flag of that name was set
// by the user; what was set stays. It is called once, before the check.
func (p *Plan) Resolve(given func(flag string) bool) error { return p.Load.Resolve(given) }

// demo reports whether the user said neither which server to measure nor how much load to make.
func (p *Plan) demo(given func(flag string) bool) bool {
	l := p.Load.Settings()
	loadSettings(l) // which gives them the names of their flags
	return p.URL == "" && !l.Shaped(given)
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return redact.URL(p.URL) }),
		setting.Field(&p.URL).At("url_user").WrittenAs(func() any { return redact.HasUser(p.URL) }).OmitZero(),
		setting.Field(&p.TargetFlags).At("target_flags").OmitZero())
	s.Group("Load", loadSettings(l)...)
	s.Group("Failures", l.Failures("how long one try may wait for its answer")...)
	s.Group("Messages", mixSettings(&p.Mix, l.Seed)...)
	s.Group("Connection", p.Dial.Settings()...)
	s.Group("Output", slices.Insert(p.Output.Settings("message"), 1, p.Output.WarmupSamples())...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkURL).Rules(p.Load.Rules()...).
		Rules(p.checkRooms, p.checkShares, p.checkTLS, p.Output.CheckFiles)
}

func loadSettings(l *plan.LoadSettings) []*setting.Setting {
	return []*setting.Setting{
		l.Clients.Flag("clients", "simulated users, each with a connection of its own").SaysConcurrency(),
		l.Operations.Flag("messages",
			"end the run after this many messages, the warm-up's included (default: --duration ends it)"),
		l.Duration.Flag("duration",
			"how long to measure, after the warm-up (default 10s, unless --messages or --stages end the run)"),
		l.Rate.Flag("rate", "send this many messages a second, each when it is due, whatever the server does "+
			"(default: each client sends again when it has its answer)"),
		l.Arrivals.Flag("arrivals",
			"with --rate: how messages are spaced: poisson (at random), constant, "+
				"or burst (all of a second's at its start)").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "a rate that changes: 10s:2000,30s:2000 rises to 2000 a second within 10 s "+
			"and stays there for 30 s; it starts from --rate, else from 0 (default none)"),
		l.Pacing.Flag("pacing", "with --rate: how to wait until a message is due: spin (exact, and keeps a CPU busy), "+
			"sleep, "+
			"or auto (spin where there is CPU to spare)"),
		l.Realtime.Flag("realtime", "with --rate: give the thread that sends on time real-time priority (SCHED_FIFO), "+
			"where the system allows it"),
		l.Ramp.Flag("ramp", "raise the load evenly from nothing for this long, before measuring"),
		l.Pipeline.Flag("pipeline", "messages that one client may have waiting for their answers").SaysConcurrency(),
		l.ThinkTime.Flag("think-time",
			"how long a client pauses after each answer (default none; "+demoThinkTime.String()+" in the demo)"),
		l.WarmupClients.Flag("warmup-clients", "clients of the warm-up, 0 for none (default as --clients, at most 32)"),
		l.WarmupOperations.Flag("warmup-messages",
			"messages that each client sends in the warm-up (default 1000, or as many as 2s allow; "+
				"with --messages a tenth of those at most)"),
		l.WarmupTime.Flag("warmup-time", "longest time that the warm-up may take (default 2s)"),
		l.Drain.Flag("drain", "how long to wait at the end for messages that are still under way (default as --timeout)"),
		l.MaxWaiting.Flag("max-waiting", "with --rate: messages that may be due and wait for a free client; "+
			"more are counted as unsent (default those of 10 s, at least 10000)"),
	}
}

func mixSettings(m *ws.Mix, seed *setting.Setting) []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&m.Rooms, "rooms", "count", "number of rooms, which are called 1, 2, 3 …").At("mix.rooms").
			Between(1, maxRooms),
		setting.Count(&m.Users, "users", "count", "how many different names stand in the messages as their senders; "+
			"it adds no load: how many send at once is --clients").At("mix.users").Between(1, maxUsers),
		setting.Count(&m.Templates, "templates", "count", "number of different texts").
			At("mix.templates").Between(1, maxTemplates),
		setting.Count(&m.MessageSize, "message-size", "characters",
			"length of each text, 1 to 500 (default as long as the texts are)").
			At("mix.message_size").OmitZero().Rule(func(flag string) error { return checkMessageSize(m, flag) }),
		share(&m.TextShare, "text-share", "share of TEXT messages").At("mix.text_share"),
		share(&m.JoinShare, "join-share", "share of JOIN messages").At("mix.join_share"),
		share(&m.LeaveShare, "leave-share", "share of LEAVE messages").At("mix.leave_share"),
		seed.Flag("seed", "what the messages are made from: the same number, the same messages (default random, shown in "+
			"the report)"),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
