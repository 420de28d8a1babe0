package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
)

// kvDataFlags say where delta files are.
type kvDataFlags struct {
	places   []string
	endpoint string
}

// addKVServerFlags adds the flags of a key/value server to cmd.
func addKVServerFlags(cmd *cobra.Command, c *kvtarget.Config) {
	addGroup(cmd, "Server", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &c.Listen, "listen", "address", "host:port to listen on; port 0 takes a free one")
		durationVar(set, &c.HeaderTimeout, "header-timeout", "time that a client has for its request's headers")
		durationVar(set, &c.BodyTimeout, "body-timeout", "time that it has for the body, and as much again for taking the answer")
		durationVar(set, &c.IdleTimeout, "idle-timeout", "silence of a connection before it is closed")
		durationVar(set, &c.ShutdownTimeout, "shutdown-timeout", "bound on the graceful end")
	})
	addGroup(cmd, "Receiving", func(set *pflag.FlagSet) {
		set.SortFlags = false
		countVar(set, &c.Listeners, "listeners", "count", "goroutines that receive and apply")
		countVar(set, &c.Batch, "receive-batch", "count", "messages that one receive call returns at most")
		stringVar(set, &c.Subscription, "subscription", "name", "name at the message service, one for each server; plimsoll-kv-HOST by default")
		set.BoolVar(&c.Ephemeral, "ephemeral", false, "let the message service forget the subscription when the server ends")
		durationVar(set, &c.Timeout, "timeout", "bound on each request to the message service but a receive call that waits")
	})
	addGroup(cmd, "Data", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &c.Journal, "journal", "directory", "write applied batches to a file here, and apply those that are there at the start")
		set.BoolVar(&c.JournalSync, "journal-sync", false, "wait for the disk before each acknowledgement, so that a crash of the machine loses nothing either")
		longSizeVar(set, &c.Memory, "memory", "bound on keys and values; half of the machine's memory by default")
		durationVar(set, &c.KeepDeletes, "keep-deletes", "how long a batch may be on its way: a deleted key is remembered so long, so that an older update does not bring it back")
		durationVar(set, &c.KeepRuns, "keep-runs", "silence of a run before what was received of it is forgotten")
	})
	addGroup(cmd, "Faults on demand", func(set *pflag.FlagSet) {
		countVar(set, &c.SkipAck, "skip-ack", "number", "every so many batches, one is not acknowledged the first time; 0 for none")
	})
}

// addKVDataFlags adds the flags of the files that a key/value server loads.
func addKVDataFlags(cmd *cobra.Command, c *kvtarget.Config, data *kvDataFlags) {
	addGroup(cmd, "Files", func(set *pflag.FlagSet) {
		set.SortFlags = false
		set.Var(each{"place", func(s string) error {
			data.places = append(data.places, s)
			return nil
		}}, "data", "directory with delta files, or s3://BUCKET/PATH, which are loaded at the start and when they appear; may be given several times")
		stringVar(set, &data.endpoint, "data-endpoint", "url", "the S3 server of the buckets, when it is not AWS")
		durationVar(set, &c.DataScan, "data-scan", "how often they are looked for, besides what the system tells of a directory")
	})
}
