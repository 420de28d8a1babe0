package s3

import (
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Target is a server with the default settings, for --target-flag of a run.
func Target() *setting.Target {
	c := Default()
	return &setting.Target{Server: "s3", Example: "bandwidth=20MB", Set: c.Settings()}
}

// Settings declares what can be set of a server, and what is a rule for it.
func (c *Config) Settings() *setting.Set {
	f := &c.Faults
	return new(setting.Set).
		Group("Server", c.serverSettings()...).
		Group("Data", c.dataSettings()...).
		Group("Clients", c.clientSettings()...).
		Group("Limits and faults", f.settings()...).
		Rules(c.checkDir, c.checkKeys, f.checkParts, f.checkSum).
		Often("listen", "dir", "discard", "bandwidth", "delay", "bucket", "access-key", "secret-key")
}

func (c *Config) serverSettings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:9000; port 0 selects a free one"),
		setting.Count(&c.MaxRequests, "max-requests", "count", "maximum number of parallel requests; more get "+
			"503 SlowDown").
			Rule(c.checkMaxRequests),
		server.HeaderFlag(&c.HeaderTimeout),
		server.TimeFlag(&c.IdleTimeout, "idle-timeout",
			"disconnect a client after this time without data"),
		server.ShutdownFlag(&c.ShutdownTimeout),
	}
}

func (c *Config) dataSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Dir, "dir", "directory",
			"store the data in this directory (default: in memory)"),
		setting.Switch(&c.Discard, "discard", "store only sizes and checksums"),
		size(&c.Memory, "memory", "maximum memory for data (default: a quarter of the machine's)"),
		setting.Text(&c.Bucket, "bucket", "name", "create this bucket at the start").SetByRun().Rule(c.checkBucket),
		setting.Switch(&c.MD5ETags, "md5-etags", "use MD5 sums as ETags, as S3 does; costs CPU"),
		setting.Switch(&c.StrictPartSize, "strict-part-size",
			"reject parts below 5 MiB except the last one, as S3 does"),
	}
}

func (c *Config) clientSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Region, "region", "name", "region of signatures").SetByRun(),
		setting.Text(&c.Domain, "domain", "name", "also serve buckets as BUCKET.DOMAIN of this host name").SetByRun(),
		setting.Text(&c.AccessKey, "access-key", "key", "access key of clients").SetByRun(),
		setting.Text(&c.SecretKey, "secret-key", "secret", "secret key of clients").SetByRun(),
		setting.Text(&c.SessionToken, "session-token", "token",
			"session token that clients must send (default: none is accepted)").SetByRun(),
		setting.Switch(&c.Anonymous, "anonymous", "accept requests without a signature"),
	}
}

func (f *Faults) settings() []*setting.Setting {
	share := func(into *float64, name, help string) *setting.Setting {
		return server.RateFlag(into, name, "request", help)
	}
	return []*setting.Setting{
		setting.Size(&f.Bandwidth, "bandwidth",
			"total bytes per second in each direction, such as 20MB (default: no limit)").
			Rule(f.checkBandwidth),
		server.NotNegative(&f.Latency, "delay", "delay of each response").Formerly("latency"),
		share(&f.ErrorRate, "error-rate", "share of requests that get 503 SlowDown"),
		share(&f.ResetRate, "reset-rate",
			"share of requests whose connection is reset, within the body if there is one"),
		share(&f.CorruptRate, "corrupt-rate", "share of downloads with one wrong byte"),
		setting.Count(&f.StallPart, "stall-part", "number",
			"number of the upload request (from 1) that stalls halfway for --stall-for"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-part: length of the stall"),
		setting.Count(&f.FailPart, "fail-part", "number",
			"number of the part (from 1) that always fails with 500 InternalError"),
		size(&f.Full, "full", "reject data beyond this size, like a full disk"),
		setting.Duration(&f.ClockSkew, "clock-skew", "offset of the server's clock; negative: behind"),
		setting.Count(&f.Seed, "seed", "number",
			"seed that selects which requests suffer which fault"),
	}
}

// size is a number of bytes that may be 0.
func size(into *int64, name, help string) *setting.Setting {
	return setting.Size(into, name, help).Rule(func(flag string) error {
		if *into < 0 {
			return fault.New(fault.Usage, "%s %d is negative", flag, *into).Hint("use a size such as 1GiB")
		}
		return nil
	})
}

func (c *Config) checkMaxRequests(flag string) error {
	if c.MaxRequests < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxRequests).Hint("use a number such as 1000")
	}
	return nil
}

func (c *Config) checkBucket(flag string) error {
	if why := badBucketName(c.Bucket); why != "" {
		return fault.New(fault.Usage, "%s %q is not a bucket name: %s", flag, c.Bucket, why).
			Hint("give 3 to 63 lower-case letters, digits, dots or hyphens")
	}
	return nil
}

func (c *Config) checkDir() error {
	if c.Dir != "" && c.Discard {
		return fault.New(fault.Usage, "--dir and --discard are both given, but only one can be used").
			Hint("use --dir to keep the data, or --discard to drop it")
	}
	return nil
}

func (c *Config) checkKeys() error {
	if c.AccessKey == "" || c.SecretKey == "" || c.Region == "" {
		return fault.New(fault.Usage, "--access-key, --secret-key and --region must not be empty").
			Hint("remove them for the defaults, or add --anonymous to accept unsigned requests")
	}
	return nil
}

// minBandwidth keeps the wait for the smallest piece of a body below a second.
const minBandwidth = 1 << 10

func (f *Faults) checkBandwidth(flag string) error {
	if f.Bandwidth != 0 && f.Bandwidth < minBandwidth {
		return fault.New(fault.Usage, "%s %d is too low", flag, f.Bandwidth).
			Hint("give at least %d bytes per second, such as 20MB, or 0 for no limit", minBandwidth)
	}
	return nil
}

func (f *Faults) checkParts() error {
	if f.StallPart < 0 || f.FailPart < 0 {
		return fault.New(fault.Usage, "--stall-part and --fail-part count from 1").Hint("remove them for none")
	}
	if (f.StallPart > 0) != (f.StallFor > 0) {
		return fault.New(fault.Usage, "--stall-part and --stall-for must be given together").
			Hint("for example --stall-part 3 --stall-for 2s")
	}
	return nil
}

func (f *Faults) checkSum() error {
	if f.ErrorRate+f.ResetRate > 1+1e-9 {
		return fault.New(fault.Usage, "--error-rate and --reset-rate add up to %s",
			setting.FormatShare(f.ErrorRate+f.ResetRate)).
			Hint("a request suffers at most one of them: lower them to a total of at most 100%%")
	}
	return nil
}
