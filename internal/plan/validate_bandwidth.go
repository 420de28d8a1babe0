package plan

import (
	"slices"
	"strings"
	"time"
)

// Bounds of a bandwidth run. Those of the stores are checked by the stores.
const (
	maxBlock   = 4 << 30 // a block is in memory, several times
	maxStreams = 10_000
	maxActive  = 10_000
	maxRepeat  = 1_000_000
	// maxBlocks bounds what the checks of a download and an order of blocks take.
	maxBlocks = 100_000_000
)

// DefaultBandwidth is the plan of a bandwidth run for which nothing was given.
func DefaultBandwidth() Bandwidth {
	return Bandwidth{
		Size: 1 << 30, Block: 8 << 20, Streams: 1, Repeat: 1,
		Data: DataRandom, Checksum: ChecksumCRC32C, Retries: -1,
		Load: Load{
			Pipeline: 1,
			Drain:    5 * time.Second,
			// What an operation may take is the store's to say: a block that waits for a place in the
			// queue has not failed.
			Retry: Retry{Timeout: MaxTime, MaxBackoff: time.Second},
		},
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user.
func (b *Bandwidth) Resolve(given func(flag string) bool) {
	b.Load.Clients = b.Streams
	if b.Duration > 0 && !given("repeat") {
		b.Repeat = 0
	}
}

// Validate says what is wrong with a resolved plan, as a usage error that names the flag.
func (b *Bandwidth) Validate() error {
	out := Output{Chart: b.Chart, Bucket: 10 * time.Second}
	return first(b.checkSizes(), b.checkCounts(), b.checkNames(), b.checkOnly(), b.checkLength(), out.Validate())
}

// CheckGiven refuses what was given and would be taken for not given, since it is what stands
// for that in a plan. given reports whether the flag of that name was set by the user.
func (b *Bandwidth) CheckGiven(given func(flag string) bool) error {
	switch {
	case given("timeout") && b.Timeout == 0:
		return usage("--timeout is 0: no request can end in no time").Hint("leave it out for the time that the store's client has")
	case given("max-retries") && b.Retries < 0:
		return usage("--max-retries is %d: it must be from 0 to %d", b.Retries, MaxRetries).
			Hint("leave it out for as many as the store's client has; 0 is none")
	case given("duration") && b.Duration == 0:
		return usage("--duration is 0: it must be a time in which an iteration can begin").
			Hint("for one iteration, leave it out and say --repeat 1")
	case given("part-size") && b.PartSize == 0:
		return usage("--part-size is 0 bytes: it must be at least 1").Hint("leave it out for the default, 8 MiB or a block")
	}
	return nil
}

func (b *Bandwidth) checkSizes() error {
	switch {
	case b.Size < 0:
		return usage("the size is %d bytes: it cannot be negative", b.Size)
	case b.Block < 1:
		return usage("--block is %d bytes: it must be at least 1", b.Block)
	case b.Block > maxBlock:
		return usage("--block is %d bytes: at most 4 GiB, because blocks are held in memory", b.Block)
	case b.Size/b.Block > maxBlocks:
		return usage("%d bytes in blocks of %d are more than %d blocks", b.Size, b.Block, maxBlocks).
			Hint("use larger blocks, such as --block 8m")
	case b.PartSize < 0:
		return usage("--part-size is %d bytes: it cannot be negative", b.PartSize)
	}
	return nil
}

func (b *Bandwidth) checkCounts() error {
	for _, n := range []struct {
		flag             string
		value, low, high int
	}{
		{"streams", b.Streams, 1, maxStreams},
		{"active-blocks", b.ActiveBlocks, 0, maxActive},
		{"max-retries", int(b.Retries), -1, MaxRetries},
	} {
		if n.value < n.low || n.value > n.high {
			return usage("--%s is %d: it must be from %d to %d", n.flag, n.value, max(n.low, 0), n.high)
		}
	}
	if b.Timeout < 0 || b.Timeout > MaxTime {
		return usage("--timeout is %v: it must be from 0 to %v", b.Timeout, MaxTime)
	}
	return nil
}

func (b *Bandwidth) checkNames() error {
	for _, n := range []struct {
		flag, value string
		allowed     []string
	}{
		{"data", b.Data, []string{DataRandom, DataText, DataZero}},
		{"checksum", b.Checksum, []string{ChecksumCRC32C, ChecksumSHA256, ChecksumNone}},
		{"only", b.Only, []string{"", OnlyUpload, OnlyDownload}},
	} {
		if !slices.Contains(n.allowed, n.value) {
			known := strings.Join(slices.DeleteFunc(n.allowed, func(s string) bool { return s == "" }), ", ")
			return usage("--%s is %q: it must be one of %s", n.flag, n.value, known)
		}
	}
	if b.CSVIteration && b.CSV == "" {
		return usage("--csv-iteration is about the file of --csv, which is not given").
			Hint("add --csv FILE")
	}
	return nil
}

// checkOnly refuses settings that mean nothing in a run that only uploads or only downloads.
func (b *Bandwidth) checkOnly() error {
	if b.Only == OnlyUpload && b.Policy != "" {
		return usage("--policy says how to read, and --only upload reads nothing").Hint("leave one of them out")
	}
	if b.Only != OnlyDownload {
		return nil
	}
	if b.URL == "" {
		return usage("--only download needs the URL of a file that is there").
			Hint("make one with --only upload --keep, and name it")
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"flush", b.Flush}, {"hflush", b.HFlush}, {"rename", b.Rename}, {"keep", b.Keep},
		{"overwrite", b.Overwrite}, {"payload-signing", b.PayloadSigning},
	} {
		if f.set {
			return usage("--%s is about what is written, and --only download writes nothing", f.flag).
				Hint("leave one of them out")
		}
	}
	return nil
}

func (b *Bandwidth) checkLength() error {
	switch {
	case b.Duration < 0 || b.Duration > MaxTime:
		return usage("--duration is %v: it must be from 0 to %v", b.Duration, MaxTime)
	case b.Duration > 0 && b.Repeat > 0:
		return usage("--repeat and --duration are both given: only one can end the run").
			Hint("leave one of them out")
	case b.Duration == 0 && b.Repeat < 1:
		return usage("--repeat is %d: it must be at least 1", b.Repeat)
	case b.Repeat > maxRepeat:
		return usage("--repeat is %d: at most %d", b.Repeat, maxRepeat)
	}
	return nil
}
