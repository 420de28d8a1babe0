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
		Group("Speed and faults on demand", f.settings()...).
		Rules(c.checkDir, c.checkKeys, f.checkParts, f.checkSum).
		Often("listen", "dir", "discard", "bandwidth", "latency", "bucket", "access-key", "secret-key")
}

func (c *Config) serverSettings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:9000; port 0 takes a free one"),
		setting.Count(&c.MaxRequests, "max-requests", "count", "requests at the same time; more get 503 SlowDown").
			Rule(c.checkMaxRequests),
		server.HeaderFlag(&c.HeaderTimeout),
		server.TimeFlag(&c.IdleTimeout, "idle-timeout",
			"silence, also in the middle of a body, after which a client is disconnected"),
		server.ShutdownFlag(&c.ShutdownTimeout),
	}
}

func (c *Config) dataSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Dir, "dir", "directory",
			"keep the data in this directory, and find it there again (default: in memory)"),
		setting.Switch(&c.Discard, "discard", "keep of the data nothing but sizes and checksums"),
		size(&c.Memory, "memory", "most memory for data (default a quarter of the machine's)"),
		setting.Text(&c.Bucket, "bucket", "name", "a bucket that exists from the start").SetByRun().Rule(c.checkBucket),
		setting.Switch(&c.MD5ETags, "md5-etags", "make an object's ETag its MD5 sum, as S3 does; costs CPU"),
		setting.Switch(&c.StrictPartSize, "strict-part-size",
			"refuse parts below 5 MiB, but for the last one, as S3 does"),
	}
}

func (c *Config) clientSettings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Region, "region", "name", "the region that clients must sign for").SetByRun(),
		setting.Text(&c.Domain, "domain", "name", "a host name such that BUCKET.DOMAIN addresses a bucket, too").SetByRun(),
		setting.Text(&c.AccessKey, "access-key", "key", "the access key that clients must use").SetByRun(),
		setting.Text(&c.SecretKey, "secret-key", "secret", "the secret of the access key").SetByRun(),
		setting.Text(&c.SessionToken, "session-token", "token",
			"a session token that clients must send (default: none may be sent)").SetByRun(),
		setting.Switch(&c.Anonymous, "anonymous", "take requests without a signature, too"),
	}
}

func (f *Faults) settings() []*setting.Setting {
	share := func(into *float64, name, help string) *setting.Setting {
		return server.RateFlag(into, name, "request", help)
	}
	return []*setting.Setting{
		setting.Size(&f.Bandwidth, "bandwidth",
			"most bytes a second in each direction, all connections together, such as 20MB (default no limit)").
			Rule(f.checkBandwidth),
		server.NotNegative(&f.Latency, "latency", "how long to wait before each answer"),
		share(&f.ErrorRate, "error-rate", "share of requests that are refused with 503 SlowDown"),
		share(&f.ResetRate, "reset-rate",
			"share of requests whose connection is cut, in the middle of the body if there is one"),
		share(&f.CorruptRate, "corrupt-rate", "share of downloads in which one byte is wrong"),
		setting.Count(&f.StallPart, "stall-part", "number",
			"the upload that stands still in the middle for --stall-for, counted from 1"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-part: how long it stands still"),
		setting.Count(&f.FailPart, "fail-part", "number",
			"the part of an upload that always fails with 500 InternalError, by its number"),
		size(&f.Full, "full", "refuse data beyond this size, as if the disk were full"),
		setting.Duration(&f.ClockSkew, "clock-skew", "how much the server's clock is ahead; below 0: behind"),
		setting.Count(&f.Seed, "seed", "number",
			"decides which requests suffer which fault: the same number, the same requests"),
	}
}

// size is a number of bytes that may be 0.
func size(into *int64, name, help string) *setting.Setting {
	return setting.Size(into, name, help).Rule(func(flag string) error {
		if *into < 0 {
			return fault.New(fault.Usage, "%s %d is negative", flag, *into).Hint("give a size such as 1GiB")
		}
		return nil
	})
}

func (c *Config) checkMaxRequests(flag string) error {
	if c.MaxRequests < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxRequests).Hint("give a number such as 1000")
	}
	return nil
}

func (c *Config) checkBucket(flag string) error {
	if why := badBucketName(c.Bucket); why != "" {
		return fault.New(fault.Usage, "%s %q is not a bucket's name: %s", flag, c.Bucket, why).
			Hint("give 3 to 63 lower-case letters, digits, dots or hyphens")
	}
	return nil
}

func (c *Config) checkDir() error {
	if c.Dir != "" && c.Discard {
		return fault.New(fault.Usage, "--dir and --discard contradict each other").
			Hint("give --dir to keep the data, or --discard to keep none of it")
	}
	return nil
}

func (c *Config) checkKeys() error {
	if c.AccessKey == "" || c.SecretKey == "" || c.Region == "" {
		return fault.New(fault.Usage, "--access-key, --secret-key and --region must not be empty").
			Hint("leave them out for the defaults, or give --anonymous to do without signatures")
	}
	return nil
}

// minBandwidth keeps the wait for the smallest piece of a body below a second.
const minBandwidth = 1 << 10

func (f *Faults) checkBandwidth(flag string) error {
	if f.Bandwidth != 0 && f.Bandwidth < minBandwidth {
		return fault.New(fault.Usage, "%s %d is too little", flag, f.Bandwidth).
			Hint("give at least %d bytes a second, such as 20MB; 0 for no limit", minBandwidth)
	}
	return nil
}

func (f *Faults) checkParts() error {
	if f.StallPart < 0 || f.FailPart < 0 {
		return fault.New(fault.Usage, "--stall-part and --fail-part count from 1").Hint("leave them out for none")
	}
	if (f.StallPart > 0) != (f.StallFor > 0) {
		return fault.New(fault.Usage, "--stall-part and --stall-for need each other").
			Hint("say which part stands still and for how long, such as --stall-part 3 --stall-for 2s")
	}
	return nil
}

func (f *Faults) checkSum() error {
	if f.ErrorRate+f.ResetRate > 1+1e-9 {
		return fault.New(fault.Usage, "--error-rate and --reset-rate sum to %v", f.ErrorRate+f.ResetRate).
			Hint("a request suffers at most one of them: lower them until they sum to 1 or less")
	}
	return nil
}
