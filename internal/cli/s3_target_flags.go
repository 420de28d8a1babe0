package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	s3target "github.com/plimsoll/plimsoll/internal/target/s3"
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
	set.Var(&value[int64]{into, "size", plan.ParseSize, formatLongSize}, name, help)
}

// formatLongSize leaves 0 out, which stands for "none" or "decided later".
func formatLongSize(n int64) string {
	for _, unit := range []struct {
		shift  int
		suffix string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n > 0 && n%(1<<unit.shift) == 0 {
			return fmt.Sprintf("%d%s", n>>unit.shift, unit.suffix)
		}
	}
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// s3TargetSet are the flags that may follow --target-flag.
func s3TargetSet(cfg *s3target.Config) *pflag.FlagSet {
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	s3ServerFlags(set, cfg)
	s3DataFlags(set, cfg)
	s3ClientFlags(set, cfg)
	s3FaultFlags(set, &cfg.Faults)
	return set
}

// s3RunChooses are the flags that the run sets itself, since it has to reach the server.
func s3RunChooses(name string) bool {
	switch name {
	case "listen", "bucket", "region", "access-key", "secret-key", "session-token", "domain":
		return true
	}
	return false
}

// s3TargetArgs turns the values of --target-flag (bandwidth=20MB) into arguments of the
// embedded S3 target, having checked them as the target will. A flag that is on or off may
// stand alone.
func s3TargetArgs(values []string) ([]string, error) {
	cfg := s3target.Default()
	set := s3TargetSet(&cfg)
	var args []string
	for _, v := range values {
		name, setting, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		flag := set.Lookup(name)
		switch {
		case flag == nil:
			return nil, badS3TargetFlag("%q is not a flag of 'plimsoll serve s3'", name)
		case s3RunChooses(name):
			return nil, badS3TargetFlag("%s is chosen by the run itself", name)
		case !found && flag.NoOptDefVal != "":
			setting = flag.NoOptDefVal
		case !found:
			return nil, badS3TargetFlag("%q lacks a value: write --target-flag bandwidth=20MB", v)
		}
		if err := flag.Value.Set(setting); err != nil {
			return nil, badS3TargetFlag("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+setting)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// s3TargetFlagNames are what may stand before the value in --target-flag, each with its sign.
func s3TargetFlagNames() []string {
	cfg := s3target.Default()
	var names []string
	s3TargetSet(&cfg).VisitAll(func(f *pflag.Flag) {
		switch {
		case s3RunChooses(f.Name):
		case f.NoOptDefVal != "":
			names = append(names, f.Name)
		default:
			names = append(names, f.Name+"=")
		}
	})
	return names
}

func badS3TargetFlag(format string, args ...any) error {
	return fault.New(fault.Usage, "--target-flag: "+format, args...).
		Hint("run 'plimsoll serve s3 --help' for the flags that may follow")
}
