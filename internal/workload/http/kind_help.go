package http

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadHTTP,
		Help: run.Help{
			Use: "http [URL]", Short: "Measure how long an HTTP service takes to answer", Long: long, Example: example,
			Most: 1, Args: "one URL, and flags; quote a URL that holds ${…}, & or ?",
		},
		Offer:  func() []string { return []string{"http://", "https://"} },
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: ReportKind(),
		AmongMany: []run.Preset{
			{Setting: "duration", Value: "5s", Unless: []string{"count", "stages", "until"}},
			{Setting: "warmup-time", Value: "1s", Unless: []string{"warmup-requests", "warmup-clients", "until"}},
			// In the demo, too: clients that pause hide what the server can do.
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
		BySlices: true,
		InTurn: []run.Preset{
			{Setting: "duration", Value: "1s", Unless: []string{"count", "stages"}},
			{Setting: "warmup-time", Value: "300ms", Unless: []string{"warmup-requests", "warmup-clients"}},
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
	}
}

const long = `Measure an HTTP service: send requests, read the answers, check them, and report
how many got through, how long they took, and what failed and why.

With --rate 2000 there are 2000 requests a second, each sent when it is due,
whatever the server does, as users come who know nothing of each other. The
response time counts from the moment when a request was due (open model).

Without --rate and --stages each of the --clients sends its next request when
the last one has been answered (closed model): a slow server gets less to do,
and looks better than it would to users.

URL, headers and body may have places: ${id} ${seq} ${client} ${now} ${uuid}
${int 1 1000} ${pick a|b|c} ${text 200} ${env.NAME}. What stands there is a
function of --seed, of the request's number and of the time when it is due, and
is escaped for where it stands. What comes from the environment is not saved.

Without a URL it is a demo, against a server of its own on this machine:
` + demoWords + `.`

const example = `  # a demo: ten seconds against a server of its own
  plimsoll http

  # 500 requests a second for a minute
  plimsoll http http://localhost:8080/ --rate 500 --duration 1m

  # a search of a thousand words, and what each answer must be
  plimsoll http 'http://localhost:8080/search?q=${int 1 1000}' \
    --check 'status 200' --check 'json hits > 0'

  # JSON with a key that is in the environment
  plimsoll http https://api.example.com/orders --body '{"id":"${uuid}"}' \
    --header 'Authorization: Bearer ${env.TOKEN}'

  # a demo server that is slow and fails
  plimsoll http --target-flag delay=20ms --target-flag error-rate=1%`
