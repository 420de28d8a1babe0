package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	awstarget "github.com/plimsoll/plimsoll/internal/target/aws"
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

// awsTargetSet are the flags that may follow --target-flag.
func awsTargetSet(s *awsSettings) *pflag.FlagSet {
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	awsServerFlags(set, s)
	awsTimeFlags(set, s)
	return set
}

// awsRunChooses are the flags that the run sets itself, since it has to reach the server or
// has a flag of its own for them.
func awsRunChooses(name string) bool {
	switch name {
	case "listen", "tls", "certificate", "latency":
		return true
	}
	return false
}

// awsTargetArgs turns the values of --target-flag (trace=requests.csv) into arguments of the
// embedded responder, having checked them as the target will.
func awsTargetArgs(values []string) ([]string, error) {
	settings := awsSettings{Config: awstarget.Default()}
	set := awsTargetSet(&settings)
	var args []string
	for _, v := range values {
		name, setting, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		flag := set.Lookup(name)
		switch {
		case flag == nil:
			return nil, badAWSTargetFlag("%q is not a flag of 'plimsoll serve aws'", name)
		case awsRunChooses(name):
			return nil, badAWSTargetFlag("%s is chosen by the run itself", name)
		case !found:
			return nil, badAWSTargetFlag("%q lacks a value: write --target-flag trace=requests.csv", v)
		}
		if err := flag.Value.Set(setting); err != nil {
			return nil, badAWSTargetFlag("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+setting)
	}
	if err := settings.Validate(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// awsTargetFlagNames are what may stand before the value in --target-flag, each with its sign.
func awsTargetFlagNames() []string {
	var names []string
	awsTargetSet(&awsSettings{Config: awstarget.Default()}).VisitAll(func(f *pflag.Flag) {
		if !awsRunChooses(f.Name) {
			names = append(names, f.Name+"=")
		}
	})
	return names
}

func badAWSTargetFlag(format string, args ...any) error {
	return fault.New(fault.Usage, "--target-flag: "+format, args...).
		Hint("run 'plimsoll serve aws --help' for the flags that may follow")
}
