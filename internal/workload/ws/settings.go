package ws

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Plan is what a run over WebSocket does. Settings declares what each field is.
type Plan struct {
	URL    string // as given; "" for the embedded target; may hold {room}
	Load   plan.Load
	Speech Speech
	Heard  Audience
	Dial   Dial
	Output plan.Output

	TargetFlags []string // names of the demo server's settings that were given
}

// Speech says what the clients say, and what they take for an answer.
type Speech struct {
	Protocol string // the name of a preset, or of a file
	Message  string // instead: the one message
	Answers  string // what answers it: order, only, or a selector; "": order
	Table    string // CSV, instead of the protocol's; ${csv.NAME} is a column of it
	Rooms    int

	inputs infile.Files // that were read
}

// DefaultPlan is the plan of a run for which nothing was given. What depends on other settings is still open: Resolve
// fills it in.
func DefaultPlan() Plan {
	return Plan{
		Load:   plan.Load{Clients: 32, Pipeline: 1, Arrivals: plan.Poisson, Pacing: plan.Auto, Retry: plan.DefaultRetry()},
		Speech: Speech{Rooms: 1},
		Heard:  DefaultAudience(),
		Dial:   DefaultDial(),
		Output: plan.DefaultOutput(),
	}
}

// What the demo speaks, and does in words: see the chat's.
const (
	demoProtocol  = "chat"
	echoProtocol  = "echo" // which the demo server can speak, too
	demoThinkTime = 10 * time.Millisecond
	demoWords     = "32 clients with 10ms think time, about 3,000 messages per second"
)

// Resolve fills in what depends on other settings. given reports whether the flag of that name was set by the user.
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
	LoadSettings(l, demoThinkTime)
	return p.URL == "" && !l.Shaped(given)
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return redact.URL(p.URL) }),
		setting.Field(&p.URL).At("url_user").WrittenAs(func() any { return redact.HasUser(p.URL) }).OmitZero(),
		setting.Field(&p.TargetFlags).At("target_flags").OmitZero())
	s.Group("Protocol", append(p.Speech.settings(), l.Seed.Flag("seed", "seed of all random values; the same "+
		"seed sends the same messages (default: random, shown in the report)"))...)
	s.Group("Fan-out", p.Heard.Settings()...)
	s.Group("Load", LoadSettings(l, demoThinkTime)...)
	s.Group("Failures", l.Failures("maximum time of one attempt")...)
	s.Group("Connection", p.Dial.Settings()...)
	s.Group("Output", slices.Insert(p.Output.Settings("message"), 1, p.Output.WarmupSamples())...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkURL, p.checkSpeech, p.Heard.Check).Rules(p.Load.Rules()...).
		Rules(p.checkRooms, p.checkDial, p.Output.CheckFiles)
}

func (s *Speech) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&s.Protocol, "protocol", "file|preset", "messages of the service: a preset (see "+
			"--protocols) or a file").
			At("protocol.name").OmitZero().Offer(presetNames()...),
		setting.Text(&s.Message, "message", "text", "instead of --protocol: send this message; it can contain "+
			"placeholders such as ${id}").
			At("protocol.message").OmitZero().WrittenAs(func() any { return redact.Size(s.Message) }),
		setting.Text(&s.Answers, "answers", "order|only|/id", "with --message: which received message is its "+
			"reply: the next in order; the only one expected; or the one with its id at this JSON pointer "+
			"(default order)").
			At("protocol.answers").OmitZero().Offer(answersInOrder, answersOnly),
		setting.Text(&s.Table, "data-file", "file", "CSV file with values, instead of the protocol's: client n uses "+
			"row n, and ${csv.NAME} is replaced by its column NAME").Formerly("csv").
			At("protocol.table").OmitZero().Ending("csv"),
		setting.Count(&s.Rooms, "rooms", "count", "number of rooms, named 1, 2, 3 …, for ${room}").
			At("protocol.rooms").Between(1, maxRooms),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
