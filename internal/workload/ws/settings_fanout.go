package ws

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Audience says who is to get what the clients send, besides an answer.
type Audience struct {
	Fanout bool // what is measured is when all receivers of a room have a message
	// Receivers are connections beside those of the clients, which send nothing of their own. For fan-out alone.
	Receivers int
}

const defaultReceivers = 200

// DefaultAudience is nobody.
func DefaultAudience() Audience { return Audience{Receivers: defaultReceivers} }

// Settings declares them.
func (a *Audience) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Switch(&a.Fanout, "fanout", "measure until all receivers of its room have a message; receivers "+
			"are additional connections").At("load.fanout").OmitZero(),
		setting.Count(&a.Receivers, "receivers", "count", "with --fanout: number of receiving connections").
			At("load.receivers").OmitIf(func() bool { return !a.Fanout }).Between(1, maxReceivers).SaysSize(),
	}
}

// Resolve fills in what depends on fan-out, in a load that has been resolved. Messages are tried once, because one that
// is sent again is delivered twice; and the number of clients is fixed, because each is a receiver, too.
func (a *Audience) Resolve(load *plan.Load, given func(flag string) bool) {
	if a.Fanout && !given("max-retries") {
		load.Retry.Max = 0
	}
	if a.Fanout && load.Open() && !given("max-clients") {
		load.MaxClients = load.Clients
	}
}

// Check refuses receivers without fan-out.
func (a *Audience) Check() error {
	if !a.Fanout && a.Receivers != defaultReceivers {
		return usage("--receivers needs --fanout").Hint("add --fanout, or remove --receivers")
	}
	return nil
}

// CheckRooms refuses rooms that nobody is in. own says that each connection has one.
func (a *Audience) CheckRooms(rooms int, own bool) error {
	if a.Fanout && own && rooms > a.Receivers {
		return usage("--rooms %d exceeds the %d receivers: some rooms would have no receiver", rooms,
			a.Receivers).
			Hint("set --rooms to %d or less, or raise --receivers", a.Receivers)
	}
	return nil
}

// Serve are the arguments of a demo server that has these settings, with what receivers need of it.
func (a *Audience) Serve(args []string) []string {
	const broadcast = "--broadcast"
	said := func(arg string) bool { return arg == broadcast || strings.HasPrefix(arg, broadcast+"=") }
	if !a.Fanout || slices.ContainsFunc(args, said) {
		return args
	}
	return append(slices.Clone(args), broadcast)
}

// TargetFlags are the --target-flag of a demo server, with the one that those about its deliveries need.
func (a *Audience) TargetFlags(flags []string) []string {
	const broadcast = "broadcast"
	if !a.Fanout || len(flags) == 0 || slices.Contains(setting.NamesIn(flags), broadcast) {
		return flags
	}
	return append(slices.Clone(flags), broadcast)
}

// Join adds the receivers to what the clients of a load do.
func (a *Audience) Join(o *Options, load *plan.Load) {
	if a.Fanout {
		o.Receivers, o.Clients, o.Timeout = a.Receivers, load.MostClients(), load.Retry.Timeout
	}
}
