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
func leaveOut(why string) meaning { return meaning{instead: "remove it: " + why} }

// flags are the flags of other tools. The first whose name and value fit is taken.
func flags() []flag {
	const measuring = "only commands that measure have such a flag"
	clients := as(measuring, "--clients %", "--streams %", "--publishers %")
	length := as(measuring, "--duration %")
	count := as("this command runs for a time; see --duration", "--messages %", "--iterations %", "--calls %", "--count %")
	rate := as("this command has no rate; its clients run as fast as they can", "--rate %")
	stages := as("the load of this command is constant", "--stages %").
		noting("the numbers are operations per second, not clients")
	warmup := as("this command has no warm-up; the first file counts, too", "--warmup-time %")
	header := as("this command cannot send other headers", "--header 'Name: value'")
	rows := as("'plimsoll report last --format csv' writes the results of a run", "--samples %", "--csv %")
	script := leaveOut("Plimsoll has no scripts or test plans; commands and flags describe the test")
	steps := as(script.instead, "--requests FILE.yaml", "--protocol FILE.yaml").
		noting("not a script, but a list of requests or messages; see docs/http.md and docs/ws.md")
	insecure := as("this command always verifies certificates", "--insecure")
	const madeUp = "remove it: this command generates its data; see --help=all"
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
		{names: "max-workers", of: "vegeta's maximum number of workers", here: as(measuring, "--max-clients %",
			"--max-publishers %", "--streams %"), example: "10"},

		{names: "d", looks: looksLikeTimeOrNumber, of: "the length of a run of k6 and wrk", here: length,
			example: "30s", write: withUnit},
		{names: "z", of: "the length of a run of oha and hey", here: length, example: "30s", write: withUnit},
		{names: "duration time", of: "the length of a run in other tools", here: length, example: "30s",
			write: withUnit},
		{names: "run-time runtime timelimit", of: "the length of a run of other tools", here: length,
			example: "30s", write: withUnit},
		{names: "warmup warm-up", of: "the length of a warm-up in other tools", example: "2s", write: withUnit,
			here: warmup},
		{names: "warmup-time", of: "the length of a warm-up in other tools", example: "2s", write: withUnit,
			here: warmup},

		{names: "iterations i", of: "k6's number of iterations", here: count, example: "1000"},
		{names: "n", looks: looksLikeNothing, of: "JMeter without a window",
			here: leaveOut("Plimsoll has no window")},
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
		{names: "spawn-rate", of: "Locust's spawn rate", example: "10s",
			here: as("all clients start at once", "--ramp 10s").noting("the time until all have started")},
		{names: "think pause sleep", of: "the pause of a user in other tools", example: "1s", write: withUnit,
			here: as("this command has no pauses", "--think-time %")},

		{names: "t", looks: endsIn(".jmx"), of: "JMeter's test plan", here: script, example: "plan.jmx"},
		{names: "t", looks: looksLikeNumber, of: "the number of threads of wrk, or seconds of ab", example: "4",
			here: meaning{instead: "remove a number of threads, which Plimsoll does not need; the length of a " +
				"run is --duration 30s"}},
		{names: "t", looks: looksLikeTime, of: "the length of a run of Locust", here: length, example: "30s"},
		{names: "threads", of: "wrk's number of threads",
			here: leaveOut("Plimsoll does not need it; see --help for the number of clients")},
		{names: "latency", of: "wrk's flag for percentiles", here: leaveOut("reports always have them")},
		{names: "L location", of: "curl's flag to follow redirects, or wrk's flag for percentiles",
			here: as("remove it: reports always have percentiles", "--redirects 10").
				noting("reports always have percentiles")},
		{names: "script s simulation f file", of: "the script of wrk, Gatling or Locust", here: steps},
		{names: "targets", of: "vegeta's list of requests",
			here: as("remove it: the URL is an argument", steps.ways[0].write)},
		{names: "url host target", of: "the address of other tools",
			here: leaveOut("pass the URL as an argument without a flag; overhead uses --endpoint")},
		{names: "headless non-gui nongui no-tui", of: "for tools with a window",
			here: leaveOut("Plimsoll has none")},

		{names: "u a A basic-auth", looks: hasAny(":"), of: "the credentials of curl, hey and ab", secret: true,
			example: "NAME:${env.PASSWORD}", here: as(header.instead, "--user %", "--header 'Authorization: Basic …'")},
		{names: "x", looks: hasAny(":"), of: "the proxy of curl and hey", secret: true, example: "http://HOST:PORT",
			here: as("this command does not use a proxy", "--proxy %")},
		{names: "m max-time", looks: looksLikeTimeOrNumber, of: "curl's timeout", example: "5s", write: withUnit,
			here: as(measuring, "--timeout %")},
		{names: "http2-prior-knowledge h2c", of: "other tools' flag for HTTP/2 without TLS",
			here: as("this command does not support HTTP/2", "--http2")},
		{names: "http3 quic", of: "for HTTP/3", here: meaning{instead: "Plimsoll does not support HTTP/3"}},
		{names: "unix-socket", of: "a Unix socket",
			here: as("this command needs TCP: let the service listen on 127.0.0.1, too", "--unix-socket %")},
		{names: "I head", of: "curl's flag for HEAD requests", here: as(madeUp, "--method HEAD")},
		{names: "F form", looks: hasAny("="), of: "a field of curl's form", example: "NAME=VALUE",
			here: as(madeUp, "--requests FILE.yaml").noting("write form: {NAME: VALUE} in a request of the file")},
		{names: "b", looks: hasAny("="), of: "a cookie of curl", secret: true,
			here: as(header.instead, "--header 'Cookie: NAME=VALUE'")},
		{names: "user-agent", of: "the User-Agent header",
			here: as(header.instead, "--header 'User-Agent: NAME'")},
		{names: "header headers H", of: "a header of requests", here: header, secret: true},
		{names: "method m X request", looks: looksLikeMethod, of: "the method of requests", here: method, example: "POST"},
		{names: "p D body-file", of: "the file with the body of requests", here: bodyFile, example: "FILE"},
		{names: "send execute", of: "the message of wscat and others", here: as(madeUp, "--message TEXT", "--body TEXT")},
		{names: "sub-protocol subprotocols ws-protocol", of: "the subprotocol of a WebSocket client", example: "NAME",
			here: as("this command does not use WebSocket", "--subprotocol %")},
		{names: "ping ping-interval heartbeat keepalive", of: "other tools' flag for heartbeats",
			here: as("remove it: this command sends no heartbeats", "--protocol FILE.yaml").
				noting("write every: [{after: 15s, send: …}] in the file")},
		{names: "subscribers listeners", of: "the number of receivers in other tools", example: "200",
			here: as("this command has no receivers", "--fanout --receivers %")},
		{names: "body d b m method p data data-raw data-binary", of: "the body or the method of requests", here: body},
		{names: "T content-type", of: "the type of a body", here: as(header.instead, "--header 'Content-Type: TYPE'")},
		{names: "C cookie", of: "a cookie of requests", here: as(header.instead, "--header 'Cookie: NAME=VALUE'")},
		{names: "A", of: "hey's Accept header, or curl's User-Agent", here: as(header.instead, "--header 'Name: value'")},
		{names: "disable-keepalive disable-keep-alive", of: "other tools' flag for a connection per request",
			here: as("this command keeps connections open", "--no-keep-alive")},
		{names: "insecure k insecure-skip-tls-verify", of: "other tools' flag to accept any certificate",
			here: insecure},
		{names: "cert cacert root-certs", of: "the certificates of other tools", example: "ca.pem",
			here: as("this command trusts the system's certificates", "--ca %")},

		{names: "obj.size size object-size", of: "warp's size of an object", example: "10MiB",
			here: meaning{instead: "see --help=all for the size of the data", ways: []way{{"block", "plimsoll bandwidth %"},
				{"value-length", "--value-length 100"}, {"message-size", "--message-size 100"}}}},
		{names: "bs block-size blocksize", of: "the block of dd and fio", example: "4k",
			here: as("see --help=all for the size of the data", "--block %")},
		{names: "port", of: "the port of other tools", example: "8080", always: true,
			here: as("put it in the URL", "--listen 127.0.0.1:%")},
		{names: "part.size", of: "warp's size of a part", example: "8MiB",
			here: as("this command has no parts", "--part-size %")},
		{names: "objects", of: "warp's number of objects", here: count, example: "1000"},
		{names: "noclear keep-data", of: "warp's flag to keep its objects",
			here: as("this command leaves nothing behind", "--keep")},
		{names: "bucket", of: "warp's bucket", here: leaveOut("put it in the URL: s3://BUCKET/PATH/")},
		{names: "access-key secret-key session-token", of: "warp's credentials",
			here: leaveOut("credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the profile")},

		{names: "out o", looks: looksLikeJSONOutput, of: "k6's output as JSON",
			here: as(measuring, "--json > %"), example: "json=FILE", write: fileOf},
		{names: "out o", looks: looksLikeCSVOutput, of: "k6's output as CSV", here: rows,
			example: "csv=FILE.csv", write: fileOf},
		{names: "o", looks: isWord("json"), of: "the output format of other tools", here: asJSON,
			example: "json"},
		{names: "out o", looks: beginsWith("web-dashboard"), of: "k6's live page",
			here: as(measuring, "--ui 8080"), example: "web-dashboard"},
		{names: "out o", looks: beginsWith("experimental-prometheus-rw"), of: "k6's output to Prometheus",
			here: as(measuring, "--metrics 9464").noting("Prometheus scrapes it"), example: "experimental-prometheus-rw"},
		{names: "out o", looks: beginsWith("opentelemetry", "experimental-opentelemetry", "influxdb", "statsd", "datadog"),
			of: "k6's output to metrics services", example: "opentelemetry",
			here: as(measuring, "--otlp http://HOST:4318").noting("an OpenTelemetry collector forwards them")},
		{names: "web-dashboard dashboard", of: "other tools' live page",
			here: as(measuring, "--ui 8080")},
		{names: "summary-export", of: "k6's summary as JSON", here: as(measuring, "--json > %"), example: "FILE.json"},
		{names: "o output", looks: endsIn(".json"), of: "the JSON report of other tools",
			here: as(measuring, "--json > %"), example: "FILE.json"},
		{names: "o output", looks: endsIn(".csv"), of: "the raw results of other tools", here: rows,
			example: "FILE.csv"},
		{names: "o output results-folder", of: "the output directory of other tools",
			here:    into.noting("a directory for the run; use --json > FILE for only the document"),
			example: "DIRECTORY"},
		{names: "report html html-report", of: "other tools' HTML report",
			here: as(measuring, "--html %"), example: "FILE.html"},
		{names: "color colour no-color no-colour", of: "other tools' flag for colors", always: true,
			here: meaning{instead: "set NO_COLOR=1 in the environment; there are no colors in a pipe"}},
		{names: "l g", of: "the raw results of JMeter and ab", here: rows, example: "FILE.csv"},
		{names: "format form", looks: isWord("json"), of: "the format of a saved run", here: asJSON,
			example: "json"},
		{names: "format form", looks: isWord("markdown", "md"), of: "the format of a saved run",
			here: asMarkdown, example: "markdown"},
		{names: "format form", of: "the format of a saved run", example: "csv",
			here: meaning{ways: []way{{"no-save", "plimsoll report last --format %"}}, instead: measuring}},
		{names: "csv", of: "the file of a bandwidth run", here: rows, example: "FILE.csv"},
		{names: "samples", of: "the samples of other commands", here: rows,
			example: "FILE.csv"},
		{names: "json", of: "the flag of a run for its document", here: asJSON},
		{names: "markdown", of: "the flag of a run for Markdown", here: asMarkdown},
		{names: "quiet q silent", of: "other tools' quiet mode", here: quiet},
		{names: "config conf", of: "the configuration of other tools",
			here: leaveOut("Plimsoll has no configuration file; use flags or a plan file")},
		{names: "verbose v", of: "other tools' verbose mode",
			here: leaveOut("'plimsoll report last --full' shows everything; 'plimsoll --version' prints the " +
				"version")},
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
			say: "Plimsoll runs plan files, not scripts; every kind of service has a command:"},
		{names: "attack bench benchmark load loadtest stress test start measure " +
			"k6 wrk wrk2 vegeta oha hey ab jmeter gatling locust artillery siege " +
			"fortio h2load bombardier autocannon", anyKind: true, write: service,
			say: "every kind of service has a command, such as this one for HTTP:"},
		{names: "https web rest api url curl", anyKind: true, write: service, say: "to measure an HTTP service, use"},
		{names: "grpc sql tcp dns", write: "plimsoll --help", say: "Plimsoll cannot measure this; for what it " +
			"can measure, see"},
		{names: "websocket websockets wss wscat websocat thor tsung sockjs", write: socket + "--message TEXT", anyKind: true,
			say: "to measure a WebSocket service, use"},
		{names: "socketio socket.io", write: socket + "--protocol socketio", say: "to measure a Socket.IO " +
			"service, use"},
		{names: "stomp", write: socket + "--protocol stomp", say: "to measure STOMP over WebSocket, use"},
		{names: "mqtt", write: socket + "--protocol mqtt", say: "to measure MQTT over WebSocket, use"},
		{names: "graphql graphql-ws", write: socket + "--protocol graphql", say: "to measure GraphQL over " +
			"WebSocket, use"},
		{names: "signalr", write: socket + "--protocol signalr", say: "to measure a SignalR hub, use"},
		{names: "phoenix", write: socket + "--protocol phoenix", say: "to measure Phoenix channels, use"},
		{names: "centrifugo", write: socket + "--protocol centrifugo", say: "to measure Centrifugo, use"},
		{names: "s3 store storage transfer cp copy warp mixed multipart", write: store, anyKind: true, files: true,
			say: "to measure a store, use"},
		{names: "get download", write: "plimsoll bandwidth s3://BUCKET/FILE --only download",
			say: "to measure only downloads, use"},
		{names: "put upload", write: "plimsoll bandwidth s3://BUCKET/PATH/ --only upload",
			say: "to measure only uploads, use"},
		{names: "sdk aws dynamodb", write: "plimsoll overhead DynamoDB",
			say: "to measure AWS SDK calls, use"},
		{names: "kafka nats redis sqs pubsub publish topic", write: "plimsoll updates nats://HOST:4222/TOPIC",
			anyKind: true, say: "to measure a topic, use"},
		{names: "diff cmp", write: "plimsoll compare last~1 last",
			say: "to compare two saved runs or two servers, use"},
		{names: "latest last show open summary", write: "plimsoll report last",
			say: "to show the last run, use"},
		{names: "plot graph", write: "plimsoll report last --chart run.svg", say: "to draw the last run, use"},
		{names: "export dump encode", write: "plimsoll report last --format json",
			say: "to print the document of the last run, use"},
		{names: "list ls history results", write: "plimsoll runs", say: "to list saved runs, use"},
		{names: "config configure settings options init", write: "plimsoll chat --help",
			say: "Plimsoll has no configuration file; for the flags of a command, use"},
		{names: "mock listen target", write: "plimsoll serve chat", say: "to start a demo server, use"},
		{names: "kv", write: "plimsoll serve kv", say: "to start the key/value server, use"},
		{names: "generate gen", write: "plimsoll deltas generate", say: "to create files of updates, use"},
		{names: "man manual", write: "plimsoll docs man", say: "to write manual pages, use"},
		{names: "words glossary terms explain", write: "plimsoll help glossary",
			say: "to explain the terms of a report, use"},
		{names: "demo example examples", write: "plimsoll chat",
			say: "for a first run against a demo server, use"},
		{names: "usage commands", write: "plimsoll --help", say: "to list all commands, use"},
	}
}
