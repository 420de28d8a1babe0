package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
)

// awsSettings are what the flags of a canned responder set.
type awsSettings struct {
	awstarget.Config
	trace string // file
}

// addAWSServerFlags adds the flags of a canned responder to cmd.
func addAWSServerFlags(cmd *cobra.Command, s *awsSettings) {
	addGroup(cmd, "Server", func(set *pflag.FlagSet) { awsServerFlags(set, s) })
	addGroup(cmd, "Times", func(set *pflag.FlagSet) { awsTimeFlags(set, s) })
}

func awsServerFlags(set *pflag.FlagSet, s *awsSettings) {
	set.SortFlags = false
	stringVar(set, &s.Listen, "listen", "address", "host:port to listen on; port 0 takes a free one")
	set.BoolVar(&s.TLS, "tls", false, "TLS, with a certificate of its own making, and HTTP/2 for clients that offer it")
	stringVar(set, &s.Certificate, "certificate", "file", "write the certificate here; a temporary file by default, removed at the end")
	countVar(set, &s.MaxConnections, "max-connections", "count", "connections at a time; more are closed at once")
	durationVar(set, &s.IdleTimeout, "idle-timeout", "a connection without the end of a request, or a part of a body, for up to twice this long is closed")
	durationVar(set, &s.ShutdownTimeout, "shutdown-timeout", "bound on the graceful end")
}

func awsTimeFlags(set *pflag.FlagSet, s *awsSettings) {
	set.SortFlags = false
	durationVar(set, &s.Latency, "latency", "time between having a request in full and answering it; none by default")
	stringVar(set, &s.trace, "trace", "file", "write a line of CSV for each request, with its times")
}
