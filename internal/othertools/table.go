package othertools

import "strings"

// flag is a flag of other tools, with what it is here.
type flag struct {
	names   string            // without their dashes, divided by spaces
	looks   func(string) bool // what its value looks like; nil: anything
	of      string            // whose it is, or what it is
	here    meaning
	example string              // a value that fits, which stands for one that was not given
	write   func(string) string // the value as it is written here; nil: the same
	secret  bool                // the value is not repeated
	always  bool                // the hint is one in commands that measure nothing, too
}

// meaning is what to write instead. A command has another flag for it than the next: the first that the command at
// hand has is taken.
type meaning struct {
	ways    []way
	instead string // what to do in a command that has none of them
	note    string // what is different about it here
}

// way is what to write in commands that have this flag, with % for the value.
type way struct{ flag, write string }

// in is what to write in a command that has these flags; "" when it has none of the meaning.
func (m *meaning) in(has func(flag string) bool) string {
	for _, w := range m.ways {
		if has(w.flag) {
			return w.write
		}
	}
	return ""
}

// as is a meaning of flags that are written like this.
func as(instead string, write ...string) meaning {
	m := meaning{instead: instead}
	for _, w := range write {
		name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), " ")
		m.ways = append(m.ways, way{name, w})
	}
	return m
}

// noting adds what is different here.
func (m meaning) noting(what string) meaning {
	m.note = what
	return m
}

// leaveOut is for what need not be said here.
func leaveOut(why string) meaning { return meaning{instead: "leave it out: " + why} }

// flags are the flags of other tools. The first whose name and value fit is taken.
func flags() []flag {
	const measuring = "it is for commands that measure"
	clients := as(measuring, "--clients %", "--streams %", "--concurrency %", "--publishers %")
	length := as(measuring, "--duration %", "--time %")
	count := as("this command runs for a time: see --duration", "--messages %", "--repeat %", "--calls %", "--count %")
	rate := as("here clients work one after the other, as fast as they can", "--rate %")
	stages := as("the load of this command does not change in a run", "--stages %").
		noting("the numbers are operations a second, not clients")
	warmup := as("this command has no warm-up: the first file is counted, too", "--warmup-time %", "--warmup %")
	header := as("this command sends no headers of yours", "--header 'Name: value'")
	rows := as("'plimsoll report last --format csv' has the figures of a run", "--samples %", "--csv %")
	script := leaveOut("there are no scripts or test plans here; the command and its flags say what to do")
	steps := as(script.instead, "--requests FILE.yaml", "--protocol FILE.yaml").
		noting("no script: a list of what is sent, docs/http.md and docs/ws.md have its form")
	insecure := as("certificates are always checked here", "--insecure")
	const madeUp = "leave it out: what is sent is made up here; see --help for what it can be"
	body, method := as(madeUp, "--body TEXT", "--message TEXT"), as(madeUp, "--method %")
	bodyFile := as(madeUp, "--body @%")
	asJSON := as(measuring, "--json", "--format json")
	asMarkdown := as(measuring, "--markdown", "--format markdown")
	quiet := as(measuring, "--quiet")
	into := as(measuring, "--out %")
	return []flag{
		{names: "vus", of: "k6's number of users", here: clients, example: "10"},
		{names: "u", looks: looksLikeNumber, of: "k6's and Locust's number of users", here: clients,
			example: "10"},
		{names: "users", of: "Locust's number of users", here: clients, example: "10"},
		{names: "c connections", of: "the number of connections of wrk, oha, hey and ab", here: clients,
			example: "10"},
		{names: "concurrent concurrency", of: "warp's and others' number of clients", here: clients,
			example: "10"},
		{names: "amount", of: "thor's number of connections", here: clients, example: "10"},
		{names: "clients streams publishers", of: "the number of clients in another command", here: clients,
			example: "10"},
		{names: "workers", of: "vegeta's number of workers", here: clients, example: "10"},
		{names: "max-workers", of: "vegeta's largest number of workers", here: as(measuring, "--max-clients %",
			"--max-publishers %", "--streams %", "--concurrency %"), example: "10"},

		{names: "d", looks: looksLikeTimeOrNumber, of: "the length of a run of k6 and wrk", here: length,
			example: "30s", write: withUnit},
		{names: "z", of: "the length of a run of oha and hey", here: length, example: "30s", write: withUnit},
		{names: "duration time", of: "the length of a run elsewhere", here: length, example: "30s",
			write: withUnit},
		{names: "run-time runtime timelimit", of: "the length of a run of other tools", here: length,
			example: "30s", write: withUnit},
		{names: "warmup warm-up", of: "the length of a warm-up elsewhere", example: "2s", write: withUnit,
			here: warmup},
		{names: "warmup-time", of: "the length of a warm-up elsewhere", example: "2s", write: withUnit,
			here: warmup},

		{names: "iterations i", of: "k6's number of iterations", here: count, example: "1000"},
		{names: "n", looks: looksLikeNothing, of: "JMeter's way to run without a window",
			here: leaveOut("there is no window here")},
		{names: "n requests number count", of: "the number of requests of oha, hey and ab", here: count,
			example: "1000"},
		{names: "messages calls repeat", of: "the number of operations in another command", here: count,
			example: "1000"},

		{names: "rate r", of: "vegeta's and others' rate", here: rate, example: "50", write: perSecond},
		{names: "R", of: "wrk2's rate", here: rate, example: "2000"},
		{names: "q", looks: looksLikeNumber, of: "the rate of oha and hey", here: rate, example: "50"},
		{names: "qps rps", of: "the rate of other tools", here: rate, example: "50"},
		{names: "stage stages", of: "k6's stages", here: stages, example: "10s:200"},
		{names: "s", looks: looksLikeStage, of: "k6's stages", here: stages, example: "10s:200"},
		{names: "spawn-rate", of: "how Locust's users come one after the other", example: "10s",
			here: as("all clients begin at once here", "--ramp 10s").noting("the time until all are there")},
		{names: "think pause sleep", of: "the pause of a user elsewhere", example: "1s", write: withUnit,
			here: as("there is no pause here", "--think-time %")},

		{names: "t", looks: endsIn(".jmx"), of: "JMeter's test plan", here: script, example: "plan.jmx"},
		{names: "t", looks: looksLikeNumber, of: "the number of threads of wrk, or seconds of ab", example: "4",
			here: meaning{instead: "leave threads out, they are no setting here; the length of a run is --duration 30s, " +
				"in overhead --time 30s"}},
		{names: "t", looks: looksLikeTime, of: "the length of a run of Locust", here: length, example: "30s"},
		{names: "threads", of: "wrk's number of threads",
			here: leaveOut("threads are no setting here; for how many clients there are, see --help")},
		{names: "latency", of: "wrk's way to ask for percentiles", here: leaveOut("a report has them always")},
		{names: "L location", of: "how curl follows redirects, or wrk's way to ask for percentiles",
			here: as("leave it out: a report has percentiles always", "--redirects 10").
				noting("percentiles are always there")},
		{names: "script s simulation f file", of: "the script of wrk, Gatling or Locust", here: steps},
		{names: "targets", of: "vegeta's list of requests",
			here: as("leave it out: the one URL of a run is its argument", steps.ways[0].write)},
		{names: "url host target", of: "the address of other tools",
			here: leaveOut("the URL of a run is its argument, without a flag; in overhead it is --endpoint")},
		{names: "headless non-gui nongui no-tui", of: "for tools with a window",
			here: leaveOut("there is none here")},

		{names: "u a A basic-auth", looks: hasAny(":"), of: "how curl, hey and ab are told who asks", secret: true,
			example: "NAME:${env.PASSWORD}", here: as(header.instead, "--user %", "--header 'Authorization: Basic …'")},
		{names: "x", looks: hasAny(":"), of: "the proxy of curl and hey", secret: true, example: "http://HOST:PORT",
			here: as("no proxy is used here", "--proxy %")},
		{names: "m max-time", looks: looksLikeTimeOrNumber, of: "how long curl waits", example: "5s", write: withUnit,
			here: as(measuring, "--timeout %")},
		{names: "http2-prior-knowledge h2c", of: "how other tools speak HTTP/2 without TLS",
			here: as("HTTP/2 is not spoken here", "--http2")},
		{names: "http3 quic", of: "for HTTP/3", here: meaning{instead: "HTTP/3 is not spoken here"}},
		{names: "unix-socket", of: "a socket of this machine",
			here: as("a service is reached over TCP here: have it listen on 127.0.0.1, too", "--unix-socket %")},
		{names: "I head", of: "how curl asks for a head alone", here: as(madeUp, "--method HEAD")},
		{names: "F form", looks: hasAny("="), of: "a field of curl's form", example: "NAME=VALUE",
			here: as(madeUp, "--requests FILE.yaml").noting("a request of the file has form: {NAME: VALUE}")},
		{names: "b", looks: hasAny("="), of: "a cookie of curl", secret: true,
			here: as(header.instead, "--header 'Cookie: NAME=VALUE'")},
		{names: "user-agent", of: "who a request says that it comes from",
			here: as(header.instead, "--header 'User-Agent: NAME'")},
		{names: "header headers H", of: "a header of requests", here: header, secret: true},
		{names: "method m X request", looks: looksLikeMethod, of: "the method of requests", here: method, example: "POST"},
		{names: "p D body-file", of: "the file with the body of requests", here: bodyFile, example: "FILE"},
		{names: "send execute", of: "what wscat and others send", here: as(madeUp, "--message TEXT", "--body TEXT")},
		{names: "sub-protocol subprotocols ws-protocol", of: "the subprotocol of a WebSocket client", example: "NAME",
			here: as("this command does not speak WebSocket", "--subprotocol %")},
		{names: "ping ping-interval heartbeat keepalive", of: "how other tools keep connections alive",
			here: as("leave it out: connections stay as they are here", "--protocol FILE.yaml").
				noting("the file has every: [{after: 15s, send: …}]")},
		{names: "subscribers listeners", of: "the number of those who only receive", example: "200",
			here: as("nobody only receives here", "--fanout --receivers %")},
		{names: "body d b m method p data data-raw data-binary", of: "the body or the method of requests", here: body},
		{names: "T content-type", of: "the type of a body", here: as(header.instead, "--header 'Content-Type: TYPE'")},
		{names: "C cookie", of: "a cookie of requests", here: as(header.instead, "--header 'Cookie: NAME=VALUE'")},
		{names: "A", of: "hey's Accept header, or curl's User-Agent", here: as(header.instead, "--header 'Name: value'")},
		{names: "disable-keepalive disable-keep-alive", of: "how other tools make a connection for each request",
			here: as("connections are kept here", "--no-keep-alive")},
		{names: "insecure k insecure-skip-tls-verify", of: "how other tools take any certificate",
			here: insecure},
		{names: "cert cacert root-certs", of: "the certificates of other tools", example: "ca.pem",
			here: as("the system's certificates are trusted here", "--ca %")},

		{names: "obj.size size object-size", of: "warp's size of an object", example: "10MiB",
			here: meaning{instead: "see --help for what is sent", ways: []way{{"block", "plimsoll bandwidth %"},
				{"value-length", "--value-length 100"}, {"message-size", "--message-size 100"}}}},
		{names: "bs block-size blocksize", of: "the block of dd and fio", example: "4k",
			here: as("see --help for what is sent", "--block %")},
		{names: "port", of: "the port of other tools", example: "8080", always: true,
			here: as("it is a part of the URL of a run", "--listen 127.0.0.1:%")},
		{names: "part.size", of: "warp's size of a part", example: "8MiB",
			here: as("there are no parts here", "--part-size %")},
		{names: "objects", of: "warp's number of objects", here: count, example: "1000"},
		{names: "noclear keep-data", of: "how warp leaves its objects there",
			here: as("nothing stays there here", "--keep")},
		{names: "bucket", of: "warp's bucket", here: leaveOut("it is a part of the URL: s3://BUCKET/PATH/")},
		{names: "access-key secret-key session-token", of: "warp's credentials",
			here: leaveOut("credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the profile")},

		{names: "out o", looks: looksLikeJSONOutput, of: "k6's output as JSON",
			here: as(measuring, "--json > %"), example: "json=FILE", write: fileOf},
		{names: "out o", looks: looksLikeCSVOutput, of: "k6's output as CSV", here: rows,
			example: "csv=FILE.csv", write: fileOf},
		{names: "o", looks: isWord("json"), of: "the form of the output elsewhere", here: asJSON,
			example: "json"},
		{names: "out o", looks: beginsWith("web-dashboard"), of: "k6's page while a run goes on",
			here: as(measuring, "--ui 8080"), example: "web-dashboard"},
		{names: "out o", looks: beginsWith("experimental-prometheus-rw"), of: "k6's way to Prometheus",
			here: as(measuring, "--metrics 9464").noting("Prometheus fetches"), example: "experimental-prometheus-rw"},
		{names: "out o", looks: beginsWith("opentelemetry", "experimental-opentelemetry", "influxdb", "statsd", "datadog"),
			of: "k6's way to services of metrics", example: "opentelemetry",
			here: as(measuring, "--otlp http://HOST:4318").noting("an OpenTelemetry collector passes them on")},
		{names: "web-dashboard dashboard", of: "how other tools show a run while it goes on",
			here: as(measuring, "--ui 8080")},
		{names: "summary-export", of: "k6's summary as JSON", here: as(measuring, "--json > %"), example: "FILE.json"},
		{names: "o output", looks: endsIn(".json"), of: "the file of a JSON report elsewhere",
			here: as(measuring, "--json > %"), example: "FILE.json"},
		{names: "o output", looks: endsIn(".csv"), of: "the file of single results elsewhere", here: rows,
			example: "FILE.csv"},
		{names: "o output results-folder", of: "where other tools write their results",
			here:    into.noting("a directory for all files of the run; the JSON document alone: --json > FILE"),
			example: "DIRECTORY"},
		{names: "report html html-report", of: "how other tools write a page",
			here: as(measuring, "--html %"), example: "FILE.html"},
		{names: "color colour no-color no-colour", of: "how other tools are told of colours", always: true,
			here: meaning{instead: "set NO_COLOR=1 in the environment for a report without; a pipe has none"}},
		{names: "l g", of: "the file of single results of JMeter and ab", here: rows, example: "FILE.csv"},
		{names: "format form", looks: isWord("json"), of: "the form of a saved run's report", here: asJSON,
			example: "json"},
		{names: "format form", looks: isWord("markdown", "md"), of: "the form of a saved run's report",
			here: asMarkdown, example: "markdown"},
		{names: "format form", of: "the form of a saved run's report", example: "csv",
			here: meaning{ways: []way{{"no-save", "plimsoll report last --format %"}}, instead: measuring}},
		{names: "csv", of: "the file of a bandwidth run", here: rows, example: "FILE.csv"},
		{names: "samples", of: "the file of single operations of other commands", here: rows,
			example: "FILE.csv"},
		{names: "json", of: "how a run prints its document", here: asJSON},
		{names: "markdown", of: "how a run prints Markdown", here: asMarkdown},
		{names: "quiet q silent", of: "how other tools say nothing", here: quiet},
		{names: "config conf", of: "the configuration of other tools",
			here: leaveOut("there is no configuration file; each setting is a flag")},
		{names: "verbose v", of: "how other tools say more",
			here: leaveOut("all of it is in 'plimsoll report last --full'; the version is 'plimsoll --version'")},
	}
}

// command is a command of other tools, with what it is here.
type command struct {
	names string // divided by spaces
	say   string // what there is
	write string // a command of ours
	// anyKind says that a URL behind it decides which command of ours it is.
	anyKind bool
	files   bool // a URL of HTTP is that of a file
}

// commands are the commands of other tools.
func commands() []command {
	const service, socket = "plimsoll http http://HOST:8080/PATH", "plimsoll ws ws://HOST:8080/PATH "
	const store = "plimsoll bandwidth s3://BUCKET/PATH/"
	return []command{
		{names: Run, anyKind: true, write: service,
			say: "there are no scripts, but plan files; each kind of server has a command of its own"},
		{names: "attack bench benchmark load loadtest stress test start measure " +
			"k6 wrk wrk2 vegeta oha hey ab jmeter gatling locust artillery siege " +
			"fortio h2load bombardier autocannon", anyKind: true, write: service,
			say: "each kind of server has a command of its own, such as this for HTTP"},
		{names: "https web rest api url curl", anyKind: true, write: service, say: "an HTTP service is measured by"},
		{names: "grpc sql tcp dns", write: "plimsoll --help", say: "that cannot be measured yet; what can be"},
		{names: "websocket websockets wss wscat websocat thor tsung sockjs", write: socket + "--message TEXT", anyKind: true,
			say: "a WebSocket service is measured by"},
		{names: "socketio socket.io", write: socket + "--protocol socketio", say: "a service of Socket.IO is measured by"},
		{names: "stomp", write: socket + "--protocol stomp", say: "STOMP over WebSocket is measured by"},
		{names: "mqtt", write: socket + "--protocol mqtt", say: "MQTT over WebSocket is measured by"},
		{names: "graphql graphql-ws", write: socket + "--protocol graphql", say: "GraphQL over WebSocket is measured by"},
		{names: "signalr", write: socket + "--protocol signalr", say: "a hub of SignalR is measured by"},
		{names: "phoenix", write: socket + "--protocol phoenix", say: "channels of Phoenix are measured by"},
		{names: "centrifugo", write: socket + "--protocol centrifugo", say: "Centrifugo is measured by"},
		{names: "s3 store storage transfer cp copy warp mixed multipart", write: store, anyKind: true, files: true,
			say: "a store is measured by"},
		{names: "get download", write: "plimsoll bandwidth s3://BUCKET/FILE --only download",
			say: "downloads alone are"},
		{names: "put upload", write: "plimsoll bandwidth s3://BUCKET/PATH/ --only upload",
			say: "uploads alone are"},
		{names: "sdk aws dynamodb", write: "plimsoll overhead DynamoDB",
			say: "what a call of the AWS SDK costs is said by"},
		{names: "kafka nats redis sqs pubsub publish topic", write: "plimsoll updates nats://HOST:4222/TOPIC",
			anyKind: true, say: "how fast a topic is, is said by"},
		{names: "diff cmp", write: "plimsoll compare last~1 last",
			say: "two saved runs are shown side by side, and two servers measured in turn, by"},
		{names: "latest last show open summary", write: "plimsoll report last",
			say: "the last run is shown by"},
		{names: "plot graph", write: "plimsoll report last --chart run.svg", say: "the last run is drawn by"},
		{names: "export dump encode", write: "plimsoll report last --format json",
			say: "the last run's document is written by"},
		{names: "list ls history results", write: "plimsoll runs", say: "the saved runs are listed by"},
		{names: "config configure settings options init", write: "plimsoll chat --help",
			say: "there is no configuration file; each setting is a flag, and a command's help lists them"},
		{names: "mock listen target", write: "plimsoll serve chat", say: "a server to measure is started by"},
		{names: "kv", write: "plimsoll serve kv", say: "the key/value server is started by"},
		{names: "generate gen", write: "plimsoll deltas generate", say: "files of updates are made by"},
		{names: "man manual", write: "plimsoll docs man", say: "manual pages are written by"},
		{names: "words glossary explain", write: "plimsoll help words",
			say: "the words of a report are explained by"},
		{names: "demo example examples", write: "plimsoll chat",
			say: "a first run, with a server of its own, is"},
		{names: "usage commands", write: "plimsoll --help", say: "all commands are shown by"},
	}
}
