package chat

import (
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Plan is what a chat run does. Settings declares what each field is.
type Plan struct {
	URL    string // as given; "" for the embedded target; may hold {room}
	Load   plan.Load
	Mix    Mix
	Dial   Dial
	Output plan.Output
}

// Mix says what the messages are.
type Mix struct {
	Users       int     // user ids are 1 to Users
	Rooms       int     // rooms are 1 to Rooms
	Templates   int     // different message texts
	MessageSize int     // characters of the text; 0: as the template has
	TextShare   float64 // shares sum to 1
	JoinShare   float64
	LeaveShare  float64
}

// Dial says how a connection is made.
type Dial struct {
	Headers     Headers
	Origin      string
	Subprotocol []string
	CAFile      string
	Insecure    bool // accept any certificate
}

// DefaultPlan is the plan of a run for which nothing was given. What depends on other settings (the
// length, the warm-up, the drain) is still open: Resolve fills it in.
func DefaultPlan() Plan {
	return Plan{
		Load:   plan.Load{Clients: 32, Pipeline: 1, Arrivals: plan.Poisson, Pacing: plan.Auto, Retry: plan.DefaultRetry()},
		Mix:    Mix{Users: 100000, Rooms: 20, Templates: 50, TextShare: 0.90, JoinShare: 0.05, LeaveShare: 0.05},
		Dial:   Dial{Headers: Headers{}},
		Output: plan.DefaultOutput(),
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that name was set
// by the user; what was set stays. It is called once, before the check.
func (p *Plan) Resolve(given func(flag string) bool) error { return p.Load.Resolve(given) }

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return redact.URL(p.URL) }))
	s.Group("Load", loadSettings(l)...)
	s.Group("Failures", l.Failures("time that an attempt has for its answer")...)
	s.Group("Messages", p.Mix.settings(l.Seed)...)
	s.Group("Connection", p.Dial.settings()...)
	s.Group("Output", p.Output.Settings("message")...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkURL).Rules(p.Load.Rules()...).
		Rules(p.checkRooms, p.Mix.checkShares, p.checkTLS, p.Output.CheckFiles)
}

func loadSettings(l *plan.LoadSettings) []*setting.Setting {
	return []*setting.Setting{
		l.Clients.Flag("clients", "simulated users, each with a connection of its own"),
		l.Operations.Flag("messages", "end after this many messages, those of the warm-up included"),
		l.Duration.Flag("duration",
			"length of the measurement window (default 10s, when nothing else ends the run)"),
		l.Rate.Flag("rate", "open model: messages per second, sent when due whatever the target does"),
		l.Arrivals.Flag("arrivals",
			"spacing of the open model: poisson, constant, or burst for all of a second's at its start").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "open model whose rate changes: 10s:2000,30s:2000,10s:0; "+
			"it starts from --rate if that is given, else from 0"),
		l.Pacing.Flag("pacing", "how the open model waits until a message is due: spin (watch the clock for the last 60 µs), "+
			"sleep, or auto (spin where there is CPU to spare)"),
		l.Realtime.Flag("realtime", "give the thread that sends on time real-time priority (SCHED_FIFO), "+
			"where the system allows it"),
		l.Ramp.Flag("ramp", "bring the load up linearly before the window"),
		l.Pipeline.Flag("pipeline", "messages that a client may have in flight"),
		l.ThinkTime.Flag("think-time", "pause of a client after each answer"),
		l.WarmupClients.Flag("warmup-clients", "clients of the warm-up; 0 for no warm-up "+
			"(default 32, at most --clients; more than those only if you say so)"),
		l.WarmupOperations.Flag("warmup-messages", "messages of each of them "+
			"(default 1000, or 2s if that ends first; with --messages at most a tenth of them)"),
		l.WarmupTime.Flag("warmup-time", "bound on the length of the warm-up (default 2s)"),
		l.Drain.Flag("drain", "bound on the wait for what is in flight at the end (default as --timeout)"),
		l.MaxWaiting.Flag("max-waiting", "open model: messages that are due and wait for a client; "+
			"more are counted unsent (default 10 s of them, at least 10000)"),
	}
}

func (m *Mix) settings(seed *setting.Setting) []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&m.Rooms, "rooms", "count", "rooms are 1 to this").At("mix.rooms").Between(1, maxRooms),
		setting.Count(&m.Users, "users", "count", "user ids are 1 to this").At("mix.users").Between(1, maxUsers),
		setting.Count(&m.Templates, "templates", "count", "different message texts").
			At("mix.templates").Between(1, maxTemplates),
		setting.Count(&m.MessageSize, "message-size", "characters",
			"length of each text, 1 to 500 (default as the templates have it)").
			At("mix.message_size").OmitZero().Rule(m.checkMessageSize),
		share(&m.TextShare, "text-share", "share of TEXT messages").At("mix.text_share"),
		share(&m.JoinShare, "join-share", "share of JOIN messages").At("mix.join_share"),
		share(&m.LeaveShare, "leave-share", "share of LEAVE messages").At("mix.leave_share"),
		seed.Flag("seed", "the same seed sends the same messages (default random, shown in the report)"),
	}
}

func (d *Dial) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Each("header", "'Name: value'", "header of the handshake; may be given several times", d.Headers.Add).
			At("dial.headers").WrittenAs(func() any { return d.Headers }).OmitZero(),
		setting.Text(&d.Origin, "origin", "origin", "Origin header of the handshake").
			At("dial.origin").OmitZero().Rule(d.checkOrigin),
		setting.List(&d.Subprotocol, "subprotocol", "name",
			"WebSocket subprotocol to offer; may be given several times").
			At("dial.subprotocols").OmitZero().Rule(d.checkSubprotocols),
		setting.Text(&d.CAFile, "ca", "file", "PEM file of the authorities to trust, for wss://").
			At("dial.ca_file").OmitZero(),
		setting.Switch(&d.Insecure, "insecure", "accept any certificate, for wss://").At("dial.insecure").OmitZero(),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
