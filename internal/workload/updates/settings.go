package updates

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Plan is what an updates run does. Settings declares what each field is.
type Plan struct {
	URL         string   // of the topic, as given; "" or without a host for the embedded broker
	KV          []string // URLs of key/value servers; none for embedded ones
	Servers     int      // how many of those are started; 1 where 0
	PublishOnly bool     // no server is asked
	Load        plan.Load

	// How the clients of the message service publish; "" and 0: as they do without being told.
	Acks, Compression string
	Linger            time.Duration

	Batch int    // updates in a message
	Codec string // compact, json or avro
	From  string
	// What follows is about generated data, and has no meaning with From.
	KeyLength   int   // bytes
	ValueLength int   // bytes
	HotKeys     int64 // updates are of so many keys; 0: each of a key of its own
	Deletes     float64
	Sets        float64
	// CommitBase is the logical commit time of the first batch. It is the wall clock's time at the
	// start, in ns, so that a later run of the same keys wins.
	CommitBase int64

	Listeners int           // of the embedded server
	Receive   int           // messages that one of its receive calls returns at most
	Within    time.Duration // how soon after it was due a batch is applied in time
	Settle    time.Duration // bound of the wait for what has not arrived, since the last that did

	Reads    float64 // a second, beside the updates; 0: none
	ReadKeys string  // recent or hot; "" without reads

	Check string // a run whose manifest is checked; nothing is published then
	Grid  bool   // the run is a cell of the reference's table
	Max   bool   // the rate was searched for
	// How precise that search is, and how long it may last; 0: as a load line.
	SearchWithin float64
	MaxTime      time.Duration
	Output       plan.Output
}

// What a run takes for settings that nobody gave. Batch, rate, listeners and lengths are those of
// the reference.
const (
	defaultListeners = 4
	defaultReceive   = 10
	defaultSettle    = 30 * time.Second
	defaultWithin    = time.Second // the reference's times are within, but for some of its p99.9
)

// DefaultPlan is the plan of a run for which nothing was given.
func DefaultPlan() Plan {
	return Plan{
		Load:  plan.Load{Clients: 2, Pipeline: 8, Rate: 45, Arrivals: plan.Constant, Retry: plan.DefaultRetry()},
		Batch: 1000, Codec: "compact", KeyLength: 30, ValueLength: 10,
		Servers:   1,
		Listeners: defaultListeners, Receive: defaultReceive, Settle: defaultSettle, Within: defaultWithin,
		Output: plan.DefaultOutput(),
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user. The number of batches in files is not known yet.
func (p *Plan) Resolve(given func(flag string) bool) {
	l := &p.Load
	if p.Generated() {
		if !given("duration") {
			l.Duration = plan.DefaultDuration
		}
		if !given("warmup-time") {
			l.WarmupTime = plan.DefaultWarmupTime
		}
	} else {
		p.KeyLength, p.ValueLength = 0, 0
	}
	if l.WarmupTime > 0 {
		l.WarmupClients = l.Clients
	}
	if p.Generated() && !given("max-publishers") {
		l.MaxClients = p.enoughPublishers()
	}
	if !given("drain") {
		l.Drain = l.Retry.Timeout
	}
	p.SetRate(l.Rate)
	if p.Reads > 0 && p.ReadKeys == "" {
		p.ReadKeys = rundoc.ReadRecent
		if p.HotKeys > 0 {
			p.ReadKeys = rundoc.ReadHot
		}
	}
	if !p.EmbeddedServer() {
		p.Listeners, p.Receive, p.Servers = 0, 0, 0
	}
	if p.PublishOnly {
		p.Settle, p.Within = 0, 0
	}
}

// enoughPublishers returns the default of MaxClients: 100, or as many as the memory for batches allows.
func (p *Plan) enoughPublishers() int {
	const enough = 100
	most := float64(enough)
	if each := p.prepared(1); each > 0 {
		most = min(most, maxPrepared/each)
	}
	return max(p.Load.Clients, int(most))
}

// SetRate changes the rate, and what follows from it.
func (p *Plan) SetRate(rate float64) {
	p.Load.Rate = rate
	p.Load.MaxWaiting = p.Load.EnoughWaiting()
}

// SetBatches says how many batches the files hold. None of them is ever given up, however late:
// the schedule may be behind, and still each row is published.
func (p *Plan) SetBatches(n int64) {
	p.Load.Operations = n
	p.Load.MaxWaiting = max(1, n)
}

// EmbeddedBroker reports whether the topic is at the embedded server's own broker.
func (p *Plan) EmbeddedBroker() bool {
	if p.URL == "" {
		return len(p.KV) == 0
	}
	parsed, err := url.Parse(p.URL)
	return err == nil && strings.HasPrefix(parsed.Scheme, "nats") && parsed.Host == ""
}

// EmbeddedServer reports whether a key/value server is started for the run.
func (p *Plan) EmbeddedServer() bool { return len(p.KV) == 0 && !p.PublishOnly }

// writtenKV is the URL of the server, or a list of several, without secrets.
func (p *Plan) writtenKV() any {
	var all []string
	for _, u := range p.KV {
		all = append(all, redact.URL(u))
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// Generated reports whether the data is generated, and not read from files.
func (p *Plan) Generated() bool { return p.From == "" }

// generation is the definition of generated data.
func (p *Plan) generation() delta.Generation {
	return delta.Generation{
		Seed: p.Load.Seed, Batch: p.Batch, KeyLength: p.KeyLength, ValueLength: p.ValueLength,
		Keys: uint64(p.HotKeys), Deletes: p.Deletes, Sets: p.Sets, Commit: p.CommitBase,
	}
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return topics.Redact(p.URL) }),
		setting.Field(&p.URL).At("url_user").
			WrittenAs(func() any { return redact.HasUser(p.URL) || slices.ContainsFunc(p.KV, redact.HasUser) }).OmitZero(),
		setting.Field(&p.CommitBase).At("commit_base").OmitZero())
	s.Group("Load", p.loadSettings(l)...)
	s.Group("Failures", l.Failures("how long the message service may take to accept a batch, "+
		"and the server to answer; the server's last answer may take --settle, 5s to 45s, unless this is given")...)
	s.Group("Publishing", p.publishingSettings()...)
	s.Group("Data", p.dataSettings(l.Seed)...)
	s.Group("Server", p.serverSettings()...)
	s.Group("Reads",
		setting.Rate(&p.Reads, "reads", "make this many reads a second from the servers beside the updates, each when it is "+
			"due; 0: none").At("reads_per_s").OmitZero().Rule(p.checkReads).SaysLoad(),
		setting.Text(&p.ReadKeys, "read-keys", "name", "which keys are read: recent (those just sent, until each is found) "+
			"or hot (of --hot-keys, at random; default with those)").
			At("read_keys").OmitZero().Offer(rundoc.ReadRecent, rundoc.ReadHot).Rule(p.checkReadKeys))
	s.Group("Several runs",
		setting.Switch(&p.Grid, "grid", "make eight runs and one table of them: from 45 batches of 1000 a second "+
			"to 420 of 125, with 1 listener and with 4").At("grid").OmitZero(),
		setting.Switch(&p.Max, "max", "search for the largest rate that the server keeps up with, from --rate on, by probes "+
			"of --duration (default 5s): the load line of what docs/updates.md calls sustained").At("max").OmitZero(),
		setting.Duration(&p.MaxTime, "max-time", "of --max, the most that the whole search may last; what it has found by "+
			"then is reported (default 3m)"),
		setting.Share(&p.SearchWithin, "search-within", "of --max, how precise the largest rate is to be: half of the width "+
			"of its 98% interval, from 2% to 50% (default 10%)"))
	s.Group("Output", p.Output.Settings("batch")...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkTopic, p.checkPublishing, p.checkServer, p.checkMemory, p.Load.Retry.Check, p.checkModes,
		p.checkOneRun, p.Output.CheckFiles)
}

func (p *Plan) loadSettings(l *plan.LoadSettings) []*setting.Setting {
	return []*setting.Setting{
		l.Rate.Flag("rate", "send this many batches a second, each when it is due, whatever message service and server do").
			Rule(p.checkRate),
		setting.Count(&p.Batch, "batch", "count", "updates in a batch, which is one message").
			At("batch").Between(1, maxBatch),
		l.Duration.Flag("duration",
			"how long to measure, after the warm-up (default 10s; with --from until all is published)").
			Rule(p.checkDuration),
		l.WarmupTime.Flag("warmup-time", "length of the warm-up, at the same rate; 0 for none (default 2s)"),
		l.Arrivals.Flag("arrivals",
			"how batches are spaced: constant, poisson (at random), or burst (all of a second's at its start)").
			Offer(string(plan.Constant), string(plan.Burst), string(plan.Poisson)).Rule(p.checkArrivals),
		l.Clients.Flag("publishers", "clients that publish, each with a connection of its own").Between(1, maxPublishers).
			SaysConcurrency(),
		l.MaxClients.Flag("max-publishers", "add publishers up to this number when a batch is due and all of them have "+
			"--in-flight batches on their way (default 100; give the number of --publishers to keep it fixed)").
			Rule(p.checkMaxPublishers),
		l.Pipeline.Flag("in-flight", "batches that one publisher may have on their way to the message service").
			SaysConcurrency().
			Between(1, maxInFlight),
		l.Drain.Flag("drain", "how long to wait at the end for the message service to accept what is under way (default "+
			"as --timeout)"),
	}
}

// publishing are the options of the topic's URL that settings stand for.
func (p *Plan) publishing() []topics.Option {
	var all []topics.Option
	given := []topics.Option{{Name: "acks", Value: p.Acks}, {Name: "compression", Value: p.Compression}}
	for _, o := range given {
		if o.Value != "" {
			all = append(all, o)
		}
	}
	if p.Linger != 0 {
		all = append(all, topics.Option{Name: "linger", Value: p.Linger.String()})
	}
	return all
}

func (p *Plan) publishingSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&p.Acks, "acks", "count", "whose acknowledgement a publisher waits for: all, 1 (the leader's) or 0 "+
			"(nobody's); of Kafka, and of JetStream all or 0 (default all)").
			At("acks").OmitZero().Offer("all", "1", "0"),
		setting.Text(&p.Compression, "compression", "name", "how batches are compressed on their way, of Kafka: none, "+
			"gzip, snappy, lz4 or zstd, and of Pub/Sub none or gzip (default none)").
			At("compression").OmitZero().Offer("none", "gzip", "snappy", "lz4", "zstd"),
		setting.Duration(&p.Linger, "linger", "how long a batch may wait for others that are sent with it, of Kafka "+
			"and Pub/Sub (default 0s)").
			At("linger_ns").OmitZero(),
	}
}

func (p *Plan) dataSettings(seed *setting.Setting) []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&p.KeyLength, "key-length", "bytes", "length of each key").
			At("key_length").OmitZero().Rule(p.generated(1, maxKeyLength, &p.KeyLength)),
		setting.Count(&p.ValueLength, "value-length", "bytes", "length of each value, or of a set's elements together").
			At("value_length").OmitZero().Rule(p.generated(0, maxValue, &p.ValueLength)),
		setting.Count(&p.HotKeys, "hot-keys", "count",
			"spread the updates over this many keys; 0: each has a key of its own").
			At("hot_keys").OmitZero().Between(0, maxHotKeys),
		setting.Share(&p.Deletes, "deletes", "share of the updates that delete their key").
			At("deletes_share").OmitZero().Rule(p.share(&p.Deletes)),
		setting.Share(&p.Sets, "sets", "share of the values that are sets of strings").
			At("sets_share").OmitZero().Rule(p.share(&p.Sets)),
		seed.Flag("seed", "what keys and values are made from: the same number, the same updates (default random, shown "+
			"in the report)"),
		setting.Text(&p.Codec, "codec", "name", "how messages are written: compact, json or avro").
			At("codec").Offer("compact", "json", "avro").Rule(p.checkCodec),
		setting.Text(&p.From, "from", "directory",
			"publish the files of this directory, cut into batches, instead of made-up data; 'plimsoll deltas generate' "+
				"makes some").
			At("from").OmitZero(),
	}
}

func (p *Plan) serverSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&p.Listeners, "listeners", "count",
			"demo server: how many listeners receive batches and apply them at the same time").
			At("listeners").OmitZero().Rule(p.embedded(1, maxListeners, &p.Listeners)),
		setting.Count(&p.Receive, "receive-batch", "count", "demo server: messages that one listener takes at once").
			At("receive_batch").OmitZero().Rule(p.embedded(1, maxReceive, &p.Receive)),
		setting.Count(&p.Servers, "servers", "count",
			"demo server: how many are started; each gets every batch, and proves it").
			At("servers").OmitIf(func() bool { return p.Servers <= 1 }).Rule(p.checkServers),
		setting.List(&p.KV, "kv", "url",
			"measure the key/value server at this URL (default: one that is started for the run); several "+
				"times for several servers, each of which has to get every batch").
			WrittenAs(p.writtenKV).At("kv").OmitZero(),
		setting.Switch(&p.PublishOnly, "publish-only", "publish, and ask no server; --check asks one later").
			At("publish_only").OmitZero(),
		setting.Text(&p.Check, "check", "run",
			"publish nothing: check that the server of --kv has all that this run published (last, last~1, an id, a file)").
			NamesRun(),
		setting.Duration(&p.Within, "within",
			"how soon after it was due a batch has to be applied to count as in time").
			At("within_ns").OmitZero().Rule(p.checkWithin),
		setting.Duration(&p.Settle, "settle",
			"how long to wait for updates that have not arrived, since the last that did").
			At("settle_ns").OmitZero().Rule(p.checkSettle),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
