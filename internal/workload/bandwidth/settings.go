package bandwidth

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
)

// Plan is what a bandwidth run does. A size of 0 was not given: the store decides. Settings declares
// what each field is.
type Plan struct {
	URL  string // as given; "" for the embedded target
	Load plan.Load

	Size  int64 // of each file
	Block int64 // of each write and read

	PartSize       int64
	ActiveBlocks   int           // parts of a stream in flight or in the queue; ranges read at the same time
	Streams        int           // files at the same time
	Repeat         int           // iterations; 0 when Duration ends the run
	Duration       time.Duration // no iteration begins after this
	Data           string        // random, text or zero
	Checksum       string        // crc32c, sha256 or none
	PayloadSigning bool
	Only           string // upload or download; "" for both
	Policy         string // read policies, the preferred first; "" for the default
	Flush          bool
	HFlush         bool
	Keep           bool
	Rename         bool
	Overwrite      bool // replace a file that is there

	Retries Retries       // attempts after the first, of each request
	Timeout time.Duration // of each request; 0: the store's default
	// MaxSilence ends a request whose connection moves no byte either way; 0: never.
	MaxSilence time.Duration

	TargetFlags []string // names of the demo store's settings that were given, but for its limit
	// StoreLimit is what the demo's store gives at most, in bytes a second each way; 0: no limit, or a URL's store.
	StoreLimit int64

	Endpoint   string
	Region     string
	PathStyle  bool
	CAFile     string // of certificates to trust
	Insecure   bool   // trust any
	XMLFile    string
	TokenFile  string
	Properties []string // the -D settings, key=value; a value can be secret, and stands in no document

	CSV          string
	CSVIteration bool
	CSVStream    bool
	Chart        string
	Verbose      bool
}

// The kinds of data.
const (
	DataRandom = content.Random
	DataText   = content.Text
	DataZero   = content.Zero
)

// The checksums.
const (
	ChecksumCRC32C = "crc32c"
	ChecksumSHA256 = "sha256"
	ChecksumNone   = "none"
)

// What a run can be limited to.
const (
	OnlyUpload   = "upload"
	OnlyDownload = "download"
)

// Retries is a number of attempts after the first; a negative one leaves it to the store.
type Retries int

// DefaultPlan is the plan of a run for which nothing was given.
func DefaultPlan() Plan {
	return Plan{
		Size: 1 << 30, Block: 8 << 20, Streams: 1, Repeat: 1,
		Data: DataRandom, Checksum: ChecksumCRC32C, Retries: -1,
		MaxSilence: time.Minute,
		Load: plan.Load{
			Pipeline: 1,
			Drain:    5 * time.Second,
			// What an operation may take is the store's to say: a block that waits for a place in the
			// queue has not failed.
			Retry: plan.Retry{Timeout: plan.MaxTime, MaxBackoff: time.Second},
		},
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user.
func (p *Plan) Resolve(given func(flag string) bool) {
	p.Load.Clients = p.Streams
	if p.Duration > 0 && !given("iterations") {
		p.Repeat = 0
	}
}

// Settings declares what can be set, and what is a rule for it.
func (p *Plan) Settings() *setting.Set {
	l := p.Load.Settings()
	size := setting.Field(&p.Size).At("size_bytes")
	size.Unit = setting.Bytes
	s := setting.New(setting.Field(&p.URL).At("url").WrittenAs(func() any { return shownURL(p.URL) }), size)
	s.Group("Files", append(p.fileSettings(),
		l.Seed.Flag("seed", "seed of the data (default: random, shown in the report)"))...)
	s.Group("Upload", p.writeSettings()...)
	s.Group("Download", setting.Text(&p.Policy, "policy", "list",
		"how to read: whole-file (default), sequential, random, vector (parallel ranges), prefetch (the same, in "+
			"order), or a Hadoop policy; the first known one of a list").
		At("policy").OmitZero().Offer("whole-file", "sequential", "random", "vector", "prefetch"))
	s.Group("Store", append(p.storeSettings(), p.hadoopSettings()...)...)
	s.Group("Output",
		setting.Output(&p.CSV, "csv", "file",
			"write operation, bytes, total bytes and duration in ms of each operation to this CSV file").
			At("csv").OmitZero().Ending("csv").OfResults(),
		setting.Switch(&p.CSVIteration, "csv-iteration", "with --csv: add the number of the iteration").
			At("csv_iteration").OmitZero().OfResults(),
		setting.Switch(&p.CSVStream, "csv-stream", "with --csv: add the number of the stream").
			At("csv_stream").OmitZero().OfResults(),
		plan.Chart(&p.Chart, "draw bandwidth and blocks over time to this .svg or .png file").At("chart").OmitZero(),
		setting.Switch(&p.Verbose, "verbose", "include each block in the report").At("verbose").OmitZero().
			OfResults())
	s.Group("", setting.Field(&p.StoreLimit).At("store_limit_bytes_per_s").OmitZero(),
		setting.Field(&p.TargetFlags).At("target_flags").OmitZero(),
		setting.Field(&p.URL).At("url_user").WrittenAs(func() any {
			return redact.HasUser(p.URL) || redact.HasUser(p.Endpoint)
		}).OmitZero())
	s.Group("", l.Rest()...)
	return s.Rules(p.checkSize, p.checkBlocks, p.checkCSV, p.checkUpload, p.checkDownload, p.checkLength, p.checkTrust)
}

func (p *Plan) fileSettings() []*setting.Setting {
	block := setting.Of(&p.Block, "block", "size", "size of each write and read; a bare number is in MiB",
		parseBlock, setting.FormatSize).At("block_bytes").Rule(p.checkBlock)
	block.Unit = setting.Bytes
	return []*setting.Setting{
		block,
		setting.Count(&p.Streams, "streams", "count", "files that are written, and then read, in parallel").
			At("streams").Rule(p.checkStreams).SaysConcurrency(),
		setting.Count(&p.Repeat, "iterations", "count", "how often each file is written, read and deleted").
			Formerly("repeat").At("repeat"),
		setting.Duration(&p.Duration, "duration", "instead of --iterations: write files for half of this time and "+
			"read them for the other half (demo: 8s)").
			At("repeat_for_ns").OmitZero().Rule(atMostMaxTime(&p.Duration)),
		setting.Text(&p.Only, "only", "transfer",
			"only upload, or only download an existing file, or a sample of SIZE bytes from the files of a "+
				"directory (default: both)").
			At("only").OmitZero().OneOf(OnlyUpload, OnlyDownload),
		setting.Switch(&p.Keep, "keep", "do not delete the files at the end").At("keep").OmitZero(),
		setting.Switch(&p.Rename, "rename", "rename each file to NAME.renamed after writing it").
			At("rename").OmitZero(),
		setting.Switch(&p.Overwrite, "overwrite", "replace an existing file (default: stop with an error)").At("overwrite").
			OmitZero(),
	}
}

func (p *Plan) writeSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&p.Data, "data", "kind",
			"content of the files: random, text or zero").
			At("data").OneOf(DataRandom, DataText, DataZero),
		setting.Size(&p.PartSize, "part-size",
			"size of the parts of an upload (default: 8MiB, or --block if larger)").
			At("part_bytes").OmitZero().Rule(p.checkPartSize),
		setting.Count(&p.ActiveBlocks, "active-blocks", "count",
			"parts of a file in flight or queued, and ranges read in parallel; 0: the default of the store's "+
				"client, usually 8").
			At("active_blocks").OmitZero().Between(0, maxActive),
		setting.Text(&p.Checksum, "checksum", "kind", "checksum that the server verifies, if it can: crc32c, "+
			"sha256 or none; none also disables the comparison after reading").
			At("checksum").OneOf(ChecksumCRC32C, ChecksumSHA256, ChecksumNone),
		setting.Switch(&p.PayloadSigning, "payload-signing",
			"S3: sign the payload, which costs CPU on both sides").
			At("payload_signing").OmitZero(),
		setting.Switch(&p.Flush, "flush", "flush after each block").At("flush").OmitZero(),
		setting.Switch(&p.HFlush, "hflush", "flush each block and make it durable").
			At("hflush").OmitZero(),
	}
}

func (p *Plan) storeSettings() []*setting.Setting {
	endpoint := setting.Text(&p.Endpoint, "endpoint", "url", "URL of the service (default: the public one)")
	return []*setting.Setting{
		redacted(endpoint, &p.Endpoint).At("endpoint").OmitZero(),
		setting.Text(&p.Region, "region", "name", "S3: region of the bucket (default: detected)").
			At("region").OmitZero(),
		setting.Switch(&p.PathStyle, "path-style", "S3: put the bucket in the URL path instead of the host name").
			At("path_style").OmitZero(),
		setting.Of(&p.Retries, "max-retries", "count",
			"retries per request (default: that of the store's client)",
			setting.ParseCount[Retries], formatRetries).
			At("max_retries").OmitIf(func() bool { return p.Retries < 0 }).Rule(p.checkRetries),
		setting.Duration(&p.Timeout, "timeout",
			"maximum time of a request (default: that of the store's client)").
			At("timeout_ns").OmitZero().Rule(atMostMaxTime(&p.Timeout)),
		setting.Duration(&p.MaxSilence, "max-silence",
			"abort an attempt (cause: timeout) after this long without any data; 0: never").
			At("max_silence_ns").Rule(atMostMaxTime(&p.MaxSilence)),
		setting.Text(&p.CAFile, "ca", "file", "https: PEM file with trusted certificates (default: the system's)").
			At("ca_file").OmitZero().Ending("pem"),
		setting.Switch(&p.Insecure, "insecure", "https: accept any certificate").At("insecure").OmitZero(),
	}
}

func (p *Plan) hadoopSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Each("define", "key=value", "Hadoop property; repeatable", p.define).Short("D").
			At("properties").WrittenAs(func() any { return p.propertyNames() }).OmitZero(),
		setting.Text(&p.XMLFile, "xmlfile", "file",
			"Hadoop configuration file; supported properties are applied and listed").
			At("xml_file").OmitZero().Ending("xml"),
		setting.Text(&p.TokenFile, "tokenfile", "file",
			"Hadoop credentials file; its tokens are used and listed").At("token_file").OmitZero(),
	}
}

// redacted is a URL, which the plan document has without its secrets.
func redacted(s *setting.Setting, url *string) *setting.Setting {
	return s.WrittenAs(func() any { return redact.URL(*url) })
}

// parseBlock takes a bare number for MiB, as Hadoop's tool of this name does.
func parseBlock(s string) (int64, error) {
	if _, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64); err == nil {
		s += "MiB"
	}
	return setting.ParseSize(s)
}

func formatRetries(r Retries) string {
	if r < 0 {
		return ""
	}
	return fmt.Sprint(int(r))
}

// define takes a setting of Hadoop.
func (p *Plan) define(s string) error {
	key, _, found := strings.Cut(s, "=")
	if !found || key == "" {
		return fmt.Errorf("%q is not a setting: write -D KEY=VALUE", key)
	}
	p.Properties = append(p.Properties, s)
	return nil
}

// propertyNames are the names of the Hadoop settings, without their values.
func (p *Plan) propertyNames() []string {
	var names []string
	for _, s := range p.Properties {
		key, _, _ := strings.Cut(s, "=")
		names = append(names, key)
	}
	return names
}

// MarshalJSON writes the plan as the run document has it, without secrets.
func (p Plan) MarshalJSON() ([]byte, error) { return p.Settings().MarshalJSON() }
