package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// addS3ServerFlags adds the flags of an S3 server to cmd.
func addS3ServerFlags(cmd *cobra.Command, c *s3target.Config) {
	addGroup(cmd, "Server", func(set *pflag.FlagSet) { s3ServerFlags(set, c) })
	addGroup(cmd, "Data", func(set *pflag.FlagSet) { s3DataFlags(set, c) })
	addGroup(cmd, "Clients", func(set *pflag.FlagSet) { s3ClientFlags(set, c) })
	addGroup(cmd, "Speed and faults on demand", func(set *pflag.FlagSet) { s3FaultFlags(set, &c.Faults) })
}

func s3ServerFlags(set *pflag.FlagSet, c *s3target.Config) {
	set.SortFlags = false
	stringVar(set, &c.Listen, "listen", "address", "host:port to listen on; port 0 takes a free one")
	countVar(set, &c.MaxRequests, "max-requests", "count", "requests in flight; more get 503 SlowDown")
	durationVar(set, &c.HeaderTimeout, "header-timeout", "time that a client has for its request's headers")
	durationVar(set, &c.IdleTimeout, "idle-timeout", "silence of a connection, or in the middle of a body, before a close")
	durationVar(set, &c.ShutdownTimeout, "shutdown-timeout", "bound on the graceful end")
}

func s3DataFlags(set *pflag.FlagSet, c *s3target.Config) {
	set.SortFlags = false
	stringVar(set, &c.Dir, "dir", "directory", "keep the data in this directory, and find it there again; in memory by default")
	set.BoolVar(&c.Discard, "discard", false, "keep nothing of the data but sizes and checksums")
	longSizeVar(set, &c.Memory, "memory", "bound on data and metadata in memory; a quarter of the machine's by default")
	stringVar(set, &c.Bucket, "bucket", "name", "a bucket that exists from the start")
	set.BoolVar(&c.MD5ETags, "md5-etags", false, "make ETags of MD5 sums")
	set.BoolVar(&c.StrictPartSize, "strict-part-size", false, "refuse parts below 5 MiB, but for the last one, as S3 does")
}

func s3ClientFlags(set *pflag.FlagSet, c *s3target.Config) {
	set.SortFlags = false
	stringVar(set, &c.Region, "region", "name", "the region that clients must sign for")
	stringVar(set, &c.Domain, "domain", "name", "BUCKET.DOMAIN addresses a bucket, too")
	stringVar(set, &c.AccessKey, "access-key", "key", "the access key that clients must use")
	stringVar(set, &c.SecretKey, "secret-key", "secret", "its secret")
	stringVar(set, &c.SessionToken, "session-token", "token", "a session token that clients must send; none is accepted by default")
	set.BoolVar(&c.Anonymous, "anonymous", false, "take requests without a signature, too")
}

func s3FaultFlags(set *pflag.FlagSet, f *s3target.Faults) {
	set.SortFlags = false
	longSizeVar(set, &f.Bandwidth, "bandwidth", "bytes of bodies a second in each direction, over all connections, such as 20MB")
	durationVar(set, &f.Latency, "latency", "time between having a request in full and answering it")
	shareVar(set, &f.ErrorRate, "error-rate", "share of requests that are refused with 503 SlowDown")
	shareVar(set, &f.ResetRate, "reset-rate", "share of requests whose connection is cut, in the middle of the body if there is one")
	shareVar(set, &f.CorruptRate, "corrupt-rate", "share of answers to GetObject that have one byte flipped")
	countVar(set, &f.StallPart, "stall-part", "number", "which PutObject or UploadPart stands still in the middle, counted from 1 …")
	durationVar(set, &f.StallFor, "stall-for", "… and for how long")
	countVar(set, &f.FailPart, "fail-part", "number", "the part with this number always fails with 500 InternalError")
	longSizeVar(set, &f.Full, "full", "data beyond this size is refused as if the disk were full")
	durationVar(set, &f.ClockSkew, "clock-skew", "how much the server's clock is ahead; negative for behind")
	countVar(set, &f.Seed, "seed", "number", "which requests suffer which fault; the same seed, the same requests")
}

// longSizeVar is a size that may be more than fits into memory.
func longSizeVar(set *pflag.FlagSet, into *int64, name, help string) {
	set.Var(&value[int64]{into, "size", setting.ParseSize, setting.FormatSize}, name, help)
}

func s3Target() *targetFlags {
	cfg := s3target.Default()
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	s3ServerFlags(set, &cfg)
	s3DataFlags(set, &cfg)
	s3ClientFlags(set, &cfg)
	s3FaultFlags(set, &cfg.Faults)
	return &targetFlags{
		kind: "s3", example: "bandwidth=20MB", set: set, check: func() error { return cfg.Validate() },
		chosen: []string{"listen", "bucket", "region", "access-key", "secret-key", "session-token", "domain"},
	}
}
