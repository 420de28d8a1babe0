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
			Use: "http [URL]", Short: "Measure the response times of an HTTP service", Long: long, Example: example,
			Most: 1, Args: "it takes one URL; quote a URL that contains ${…}, & or ?",
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

const long = `Measure an HTTP service: send requests, check the responses, and report
throughput, response times and failures by cause. Without a URL, Plimsoll runs a
demo against a server that it starts on this machine.

With --rate 2000, Plimsoll starts 2,000 requests per second, however fast the
service responds (open model). The response time counts from the scheduled start
of a request, so it includes the time that a request waits for a free client.

Without --rate and --stages, each of --clients sends its next request when the
last one is complete (closed model). A slow service then gets less load, and its
response times look better than users would experience them.

The URL, headers and body can contain placeholders: ${id} ${seq} ${client}
${now} ${uuid} ${int 1 1000} ${pick a|b|c} ${text 200} ${env.NAME}. Their values
depend only on --seed, the request number and its scheduled start, and are
escaped as their position requires. Values of ${env.NAME} are never saved.

The demo is: ` + demoWords + `.`

const example = `  # a demo: ten seconds against a local server
  plimsoll http

  # 500 requests per second for a minute
  plimsoll http http://localhost:8080/ --rate 500 --duration 1m

  # random queries, and conditions that every response must meet
  plimsoll http 'http://localhost:8080/search?q=${int 1 1000}' \
    --check 'status 200' --check 'json hits > 0'

  # a JSON body, and a token from the environment
  plimsoll http https://api.example.com/orders --body '{"id":"${uuid}"}' \
    --header 'Authorization: Bearer ${env.TOKEN}'

  # a demo server that is slow and fails
  plimsoll http --target-flag delay=20ms --target-flag error-rate=1%`
