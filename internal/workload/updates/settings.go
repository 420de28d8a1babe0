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

// DeadlineFlag is the flag of Plan.Within. It was --deadline, which is now the precision of a search.
const DeadlineFlag = "deadline"

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	s := setting.New(
		setting.Field(&p.URL).At("url").WrittenAs(func() any { return topics.Redact(p.URL) }),
		setting.Field(&p.URL).At("url_user").
			WrittenAs(func() any { return redact.HasUser(p.URL) || slices.ContainsFunc(p.KV, redact.HasUser) }).OmitZero(),
		setting.Field(&p.CommitBase).At("commit_base").OmitZero())
	s.Group("Load", p.loadSettings(l)...)
	s.Group("Failures", l.Failures("maximum time for the broker to acknowledge a batch, and for the server to "+
		"respond (its last response: --settle, 5s to 45s)")...)
	s.Group("Publishing", p.publishingSettings()...)
	s.Group("Data", p.dataSettings(l.Seed)...)
	s.Group("Server", p.serverSettings()...)
	s.Group("Reads",
		setting.Rate(&p.Reads, "reads", "reads per second from the servers, in addition to the updates; 0: none").
			At("reads_per_s").OmitZero().Rule(p.checkReads).SaysLoad(),
		setting.Text(&p.ReadKeys, "read-keys", "name", "keys to read: recent (just published, until found) or "+
			"hot (random ones of --hot-keys; the default with those)").
			At("read_keys").OmitZero().Offer(rundoc.ReadRecent, rundoc.ReadHot).Rule(p.checkReadKeys))
	s.Group("Several runs",
		setting.Switch(&p.Grid, "grid", "run a table of eight runs: 45 batches of 1,000 updates per second to "+
			"420 of 125, with 1 and 4 listeners").At("grid").OmitZero(),
		setting.Switch(&p.Max, "max", "search for the highest sustained rate, starting at --rate, with probes of "+
			"--duration (default 5s); see docs/updates.md").At("max").OmitZero(),
		setting.Duration(&p.MaxTime, "max-time", "with --max: maximum time of the search; it then reports what "+
			"it has found (default 3m)"),
		setting.Share(&p.SearchWithin, "within", "with --max: precision, as half the width of the 98% "+
			"confidence interval, from 2% to 50% (default 10%)").
			Formerly("search-within").GivesWay(setting.DurationOf(s, DeadlineFlag)))
	s.Group("Output", p.Output.Settings("batch")...)
	s.Group("", l.Rest()...)
	return s.Rules(p.checkTopic, p.checkPublishing, p.checkServer, p.checkMemory, p.Load.Retry.Check, p.checkModes,
		p.checkOneRun, p.Output.CheckFiles)
}

func (p *Plan) loadSettings(l *plan.LoadSettings) []*setting.Setting {
	return []*setting.Setting{
		l.Rate.Flag("rate", "publish this many batches per second, however fast broker and server are").
			Rule(p.checkRate),
		setting.Count(&p.Batch, "batch", "count", "updates per batch; a batch is one message").
			At("batch").Between(1, maxBatch),
		l.Duration.Flag("duration",
			"length of the measurement, after the warm-up (default 10s; with --from: until all is published)").
			Rule(p.checkDuration),
		l.WarmupTime.Flag("warmup-time", "length of the warm-up, at the same rate (default 2s)"),
		l.Arrivals.Flag("arrivals",
			"distribution of the starts: constant, poisson (random), or burst (once per second)").
			Offer(string(plan.Constant), string(plan.Burst), string(plan.Poisson)).Rule(p.checkArrivals),
		l.Clients.Flag("publishers", "publishing clients, each with a connection of its own").Between(1, maxPublishers).
			SaysConcurrency(),
		l.MaxClients.Flag("max-publishers", "add publishers up to this number while all have --in-flight batches "+
			"in flight (default 100; set it to --publishers for a fixed number)").
			Rule(p.checkMaxPublishers),
		l.Pipeline.Flag("in-flight", "unacknowledged batches per publisher").
			SaysConcurrency().
			Between(1, maxInFlight),
		l.Drain.Flag("drain", "how long to wait at the end for acknowledgements (default: as --timeout)"),
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
		setting.Text(&p.Acks, "acks", "count", "Kafka: wait for the acknowledgement of all replicas, 1 (the "+
			"leader) or 0 (none); JetStream: all or 0 (default all)").
			At("acks").OmitZero().Offer("all", "1", "0"),
		setting.Text(&p.Compression, "compression", "name", "compression: none, gzip, snappy, lz4 or zstd "+
			"(Kafka); none or gzip (Pub/Sub) (default none)").
			At("compression").OmitZero().Offer("none", "gzip", "snappy", "lz4", "zstd"),
		setting.Duration(&p.Linger, "linger", "Kafka, Pub/Sub: how long a batch may wait to be sent together "+
			"with others (default 0s)").
			At("linger_ns").OmitZero(),
	}
}

func (p *Plan) dataSettings(seed *setting.Setting) []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&p.KeyLength, "key-length", "bytes", "length of a key in bytes").
			At("key_length").OmitZero().Rule(p.generated(1, maxKeyLength, &p.KeyLength)),
		setting.Count(&p.ValueLength, "value-length", "bytes", "length of a value in bytes; of a set: of all its "+
			"elements together").
			At("value_length").OmitZero().Rule(p.generated(0, maxValue, &p.ValueLength)),
		setting.Count(&p.HotKeys, "hot-keys", "count",
			"number of different keys; 0: a new key for each update").
			At("hot_keys").OmitZero().Between(0, maxHotKeys),
		setting.Share(&p.Deletes, "deletes", "share of updates that delete their key").
			At("deletes_share").OmitZero().Rule(p.share(&p.Deletes)),
		setting.Share(&p.Sets, "sets", "share of values that are sets of strings").
			At("sets_share").OmitZero().Rule(p.share(&p.Sets)),
		seed.Flag("seed", "seed of keys and values; the same seed publishes the same updates (default: random, "+
			"shown in the report)"),
		setting.Text(&p.Codec, "codec", "name", "encoding of messages: compact, json or avro").
			At("codec").Offer("compact", "json", "avro").Rule(p.checkCodec),
		setting.Text(&p.From, "from", "directory",
			"publish the files of this directory instead of synthetic data; see 'plimsoll deltas generate'").
			At("from").OmitZero(),
	}
}

func (p *Plan) serverSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&p.Listeners, "listeners", "count",
			"demo server: number of parallel listeners").
			At("listeners").OmitZero().Rule(p.embedded(1, maxListeners, &p.Listeners)),
		setting.Count(&p.Receive, "receive-batch", "count", "demo server: messages that a listener receives at once").
			At("receive_batch").OmitZero().Rule(p.embedded(1, maxReceive, &p.Receive)),
		setting.Count(&p.Servers, "servers", "count",
			"number of demo servers; each must receive every batch").
			At("servers").OmitIf(func() bool { return p.Servers <= 1 }).Rule(p.checkServers),
		setting.List(&p.KV, "kv", "url",
			"measure the key/value server at this URL (default: a demo server); repeatable, and each server must "+
				"receive every batch").
			WrittenAs(p.writtenKV).At("kv").OmitZero(),
		setting.Switch(&p.PublishOnly, "publish-only", "only publish; verify later with --verify").
			At("publish_only").OmitZero(),
		setting.Text(&p.Check, "verify", "run",
			"publish nothing; verify that the server of --kv has everything that this run published (last, an "+
				"id, a file)").Formerly("check").
			NamesRun(),
		setting.Duration(&p.Within, DeadlineFlag,
			"a batch is in time if it is applied this soon after its scheduled start").Formerly("within").
			At("within_ns").OmitZero().Rule(p.checkWithin),
		setting.Duration(&p.Settle, "settle",
			"stop waiting for missing updates this long after the last one arrived").
			At("settle_ns").OmitZero().Rule(p.checkSettle),
	}
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
