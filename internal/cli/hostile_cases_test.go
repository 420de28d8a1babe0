//go:build linux

package cli_test

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/peertest/hostile"
)

// hostileSecret is in each command's credentials, and nowhere in what it prints.
const hostileSecret = "hostile-secret-Zm9vYmFy"

// client is a command that connects to a server, which may be hostile.
type client struct {
	name string
	// of says what of the product's own lists it stands for: a kind, the scheme of a URL, a flag.
	of []string
	// own are the levels whose modes it takes the furthest.
	own []hostile.Level
	// args and env have ADDRESS where the hostile server is, GOOD where one is that answers as it should, and ␣ for
	// blanks that are no end of an argument.
	args string
	env  []string
	// serves says that the command goes on until it is told to end.
	serves bool
	// aside says that the server is asked for something beside the measurement, which may go well without.
	aside bool
}

// hostileClients are all commands that connect, each as short as it can be.
func hostileClients() []client {
	return slices.Concat(hostileLoads(), hostileStores(), hostileTopics(), hostileAside())
}

const (
	shortLoad   = " --clients 2 --duration 200ms --warmup-time 0s --timeout 300ms --max-retries 0 --quiet --no-save"
	shortUpload = " --overwrite --timeout 300ms --max-retries 0 --quiet --no-save"
	shortTopic  = " --duration 200ms --warmup-time 0s --timeout 300ms --max-retries 0 --settle 300ms --quiet --no-save"
	awsKeys     = "AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=" + hostileSecret
	awsAsks     = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://ADDRESS/credentials AWS_CONTAINER_AUTHORIZATION_TOKEN=" +
		hostileSecret
)

func hostileLoads() []client {
	web, two, socket := []hostile.Level{hostile.HTTP}, []hostile.Level{hostile.HTTP2}, []hostile.Level{hostile.WebSocket}
	return []client{
		{name: "http", of: []string{"http"}, own: web, args: "http http://ADDRESS/ --bearer " + hostileSecret + shortLoad},
		{name: "http-looks", own: web, args: "http http://ADDRESS/ --compressed --redirects 5 --user u:" + hostileSecret +
			" --check json␣ok␣=␣true" + shortLoad},
		{name: "http-open", own: web, args: "http http://ADDRESS/ --rate 50 --redirects 5" + shortLoad},
		{name: "http-tls", args: "http https://ADDRESS/ --insecure" + shortLoad},
		{name: "http2", own: two, args: "http http://ADDRESS/ --http2 --bearer " + hostileSecret + shortLoad},
		{name: "http2-looks", own: two, args: "http http://ADDRESS/ --http2 --compressed --check json␣ok␣=␣true" + shortLoad},
		{name: "ws", of: []string{"ws"}, own: socket, args: "ws ws://ADDRESS/ --protocol echo" + shortLoad},
		{name: "ws-tls", args: "ws wss://ADDRESS/ --protocol echo --insecure" + shortLoad},
		{name: "chat", of: []string{"chat"}, own: socket, args: "chat ws://ADDRESS/" + shortLoad},
		{name: "chat-fanout", own: socket, args: "chat ws://ADDRESS/ --fanout --receivers 2" + shortLoad},
		{name: "overhead", of: []string{"overhead", "--endpoint"}, own: web, env: strings.Fields(awsKeys),
			args: "overhead S3/PutObject DynamoDB/GetItem --endpoint http://ADDRESS --region eu-north-1 " +
				"--duration 200ms --warmup-time 50ms --timeout 300ms --quiet --no-save"},
	}
}

func hostileStores() []client {
	web := []hostile.Level{hostile.HTTP}
	upload := func(name, scheme, url string, own []hostile.Level, env string, more ...string) client {
		return client{name: name, of: []string{"bandwidth", scheme + "://", "--endpoint"}, own: own, env: strings.Fields(env),
			args: "bandwidth 64k " + url + " " + strings.Join(more, " ") + shortUpload}
	}
	s3 := "--endpoint http://ADDRESS --path-style --region eu-north-1"
	return []client{
		upload("s3", "s3", "s3://bucket/a/key", web, awsKeys, s3),
		{name: "leftovers", own: web, env: strings.Fields(awsKeys), args: "bandwidth leftovers s3://bucket/ " + s3 +
			" --timeout 300ms --max-retries 0"},
		upload("s3-region", "s3", "s3://bucket/a/key", web, awsKeys, "--endpoint http://ADDRESS --path-style"),
		upload("s3a", "s3", "s3a://bucket/a/key", web, awsKeys, s3, "-D fs.s3a.connection.timeout=300ms"),
		upload("s3-credentials", "s3", "s3://bucket/a/key", web, awsAsks, "--endpoint http://GOOD --path-style --region a-b-1"),
		upload("s3-proxy", "s3", "s3://bucket/a/key", web, awsKeys+" HTTP_PROXY=http://u:"+hostileSecret+"@ADDRESS",
			"--endpoint http://store.invalid --path-style --region eu-north-1"),
		upload("gs", "gs", "gs://bucket/a/key", web, "", "--endpoint http://ADDRESS -D fs.gs.auth.type=UNAUTHENTICATED"),
		upload("gs-metadata", "gs", "gs://bucket/a/key", web, "GCE_METADATA_HOST=ADDRESS", "--endpoint http://GOOD",
			"-D fs.gs.auth.type=APPLICATION_DEFAULT"),
		upload("az", "az", "az://container/a/key", web, "", "--endpoint http://ADDRESS/account",
			"-D fs.azure.account.key=aG9zdGlsZS1zZWNyZXQtWm05dlltRnk="),
		upload("az-metadata", "abfs", "abfs://container@account.dfs.core.windows.net/a/key", web,
			"IDENTITY_ENDPOINT=http://ADDRESS IDENTITY_HEADER="+hostileSecret, "--endpoint https://GOOD/account",
			"-D fs.azure.account.auth.type=OAuth -D fs.azure.account.oauth.provider.type=MsiTokenProvider"),
		upload("hdfs", "hdfs", "hdfs://ADDRESS/a/file", []hostile.Level{hostile.Hadoop}, "HADOOP_USER_NAME=u"),
		upload("sftp", "sftp", "sftp://u:"+hostileSecret+"@ADDRESS/a/file", []hostile.Level{hostile.SSH}, ""),
		upload("web", "http", "http://u:"+hostileSecret+"@ADDRESS/a/file", web, ""),
		upload("web-token", "http", "http://ADDRESS/a/file", web, "PLIMSOLL_BEARER_TOKEN="+hostileSecret),
		upload("web-tls", "https", "https://ADDRESS/a/file", nil, "", "--insecure"),
	}
}

func hostileTopics() []client {
	// Each scheme twice: who publishes, and who receives in the server that is started for the run.
	both := func(scheme, url string, own hostile.Level, env string) []client {
		one := client{name: scheme, of: []string{"updates", scheme + "://"}, own: []hostile.Level{own}, env: strings.Fields(env),
			args: "updates " + url + " --publish-only" + strings.ReplaceAll(shortTopic, " --settle 300ms", "")}
		other := one
		other.serves = true
		other.name, other.args = scheme+"-received", "serve kv "+url+" --listen 127.0.0.1:0 --timeout 300ms"
		return []client{one, other}
	}
	secret := "u:" + hostileSecret + "@"
	return slices.Concat(
		both("nats", "nats://"+secret+"ADDRESS/subject", hostile.NATS, ""),
		both("nats+js", "nats+js://"+secret+"ADDRESS/subject", hostile.NATS, ""),
		both("redis", "redis://"+secret+"ADDRESS/0", hostile.Redis, ""),
		both("rediss", "rediss://"+secret+"ADDRESS/0", hostile.Raw, ""),
		both("kafka", "kafka://ADDRESS/subject", hostile.Kafka, ""),
		both("awssnssqs", "awssnssqs://subject?region=eu-north-1&endpoint=http://ADDRESS", hostile.HTTP, awsKeys),
		both("gcppubsub", "gcppubsub://project/subject", hostile.GRPC, "PUBSUB_EMULATOR_HOST=ADDRESS"),
	)
}

// hostileAside are clients that ask for something beside, or before the measurement.
func hostileAside() []client {
	web := []hostile.Level{hostile.HTTP}
	return []client{
		{name: "oauth2", of: []string{"--oauth2-token-url"}, own: web, args: "http http://GOOD/ --oauth2-token-url http://ADDRESS/token " +
			"--oauth2-client-id u --oauth2-client-secret " + hostileSecret + shortLoad, aside: true},
		{name: "proxy", of: []string{"--proxy"}, own: web, args: "http http://GOOD/ --proxy http://u:" + hostileSecret + "@ADDRESS" + shortLoad},
		{name: "sigv4", own: web, env: strings.Fields(awsAsks), args: "http http://GOOD/ --aws-sigv4 s3:eu-north-1" + shortLoad,
			aside: true},
		{name: "otlp", of: []string{"--otlp"}, own: web, aside: true, env: []string{"OTEL_EXPORTER_OTLP_HEADERS=a=" + hostileSecret},
			args: "http http://GOOD/ --otlp http://u:" + hostileSecret + "@ADDRESS/ --otlp-every 1s" + shortLoad},
		{name: "kv", of: []string{"--kv"}, own: web, args: "updates --kv http://ADDRESS --reads 50" + shortTopic},
		{name: "kv-data", of: []string{"--data-endpoint"}, own: web, env: strings.Fields(awsKeys + " AWS_REGION=eu-north-1"),
			serves: true, args: "serve kv --data s3://bucket/a --data-endpoint http://ADDRESS --listen 127.0.0.1:0 --timeout 300ms"},
		{name: "overhead-credentials", own: web, env: strings.Fields(awsAsks + " AWS_CONFIG_FILE=aws-config"),
			args: "overhead S3/PutObject --endpoint http://GOOD --profile hostile --duration 100ms --warmup-time 50ms " +
				"--timeout 300ms --quiet --no-save"},
	}
}
