package archtest

// module is the path that all packages of ours begin with.
const module = "github.com/plimsoll/plimsoll"

// row says what one package may import, beside the standard library. Paths of ours are
// relative to the module, those of others name a module or a package of it.
type row struct {
	pkg    string
	ours   []string
	others []string
}

// table is the architecture. It is printed in ARCHITECTURE.md, and changes together with
// that, in the commit that changes the design.
var table = []row{
	{pkg: "cmd/plimsoll", ours: []string{"internal/cli"}},
	{pkg: "internal/archtest"},
	{
		pkg: "internal/cli",
		ours: []string{
			"internal/delta", "internal/delta/files", "internal/engine", "internal/engine/op", "internal/fault", "internal/hadoop", "internal/hostclock", "internal/kvapi", "internal/outfile", "internal/passive",
			"internal/plan", "internal/record", "internal/report", "internal/store", "internal/store/az", "internal/store/disk",
			"internal/store/gs", "internal/store/hdfs", "internal/store/s3", "internal/store/sftp",
			"internal/store/web", "internal/target", "internal/target/aws", "internal/target/chat",
			"internal/target/kv", "internal/target/nats", "internal/target/s3", "internal/topic", "internal/topic/kafka", "internal/topic/nats", "internal/topic/pubsub", "internal/topic/redis",
			"internal/topic/sqs",
			"internal/workload", "internal/workload/bandwidth", "internal/workload/chat",
			"internal/workload/overhead", "internal/workload/updates", "rundoc",
		},
		others: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
	},
	{pkg: "internal/delta", others: []string{"github.com/cespare/xxhash", "github.com/go-json-experiment/json"}},
	{pkg: "internal/delta/files", ours: []string{"internal/delta", "internal/outfile"}, others: []string{"github.com/hamba/avro"}},
	{
		pkg: "internal/engine",
		ours: []string{
			"internal/engine/op", "internal/fault", "internal/plan", "internal/record", "internal/wake",
			"internal/workload",
		},
	},
	{pkg: "internal/engine/op"},
	{pkg: "internal/fault"},
	{pkg: "internal/hadoop"},
	{pkg: "internal/hostclock", others: []string{"golang.org/x/sys"}},
	{pkg: "internal/kvapi", ours: []string{"rundoc"}},
	{pkg: "internal/outfile"},
	{pkg: "internal/passive", ours: []string{"internal/stats", "rundoc"}},
	{pkg: "internal/peertest"},
	{pkg: "internal/plan", ours: []string{"internal/fault"}},
	{
		pkg:    "internal/record",
		ours:   []string{"rundoc"},
		others: []string{"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
	},
	{
		pkg:    "internal/report",
		ours:   []string{"internal/fault", "internal/stats", "rundoc"},
		others: []string{"golang.org/x/image", "gonum.org/v1/plot"},
	},
	{pkg: "internal/stats", others: []string{"golang.org/x/perf"}},
	{pkg: "internal/store", ours: []string{"internal/hadoop", "throughput"}, others: []string{"golang.org/x/sys"}},
	{pkg: "internal/store/az", ours: []string{"internal/hadoop", "internal/store"}, others: []string{"github.com/Azure/azure-sdk-for-go"}},
	{pkg: "internal/store/disk", ours: []string{"internal/store"}, others: []string{"golang.org/x/sys"}},
	{pkg: "internal/store/gs", ours: []string{"internal/hadoop", "internal/store"}, others: []string{"cloud.google.com/go/storage", "google.golang.org/api"}},
	{
		pkg:    "internal/store/hdfs",
		ours:   []string{"internal/hadoop", "internal/store"},
		others: []string{"github.com/colinmarc/hdfs", "github.com/jcmturner/gokrb5", "google.golang.org/protobuf"},
	},
	{pkg: "internal/store/s3", ours: []string{"internal/hadoop", "internal/store"}, others: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"}},
	{pkg: "internal/store/sftp", ours: []string{"internal/store"}, others: []string{"github.com/pkg/sftp", "golang.org/x/crypto"}},
	{pkg: "internal/store/storetest", ours: []string{"internal/store"}},
	{pkg: "internal/store/web", ours: []string{"internal/store"}},
	{pkg: "internal/target", ours: []string{"internal/fault"}, others: []string{"golang.org/x/sys"}},
	{
		pkg:    "internal/target/aws",
		ours:   []string{"internal/fault", "internal/target", "internal/wake"},
		others: []string{"golang.org/x/net", "golang.org/x/sys"},
	},
	{
		pkg:  "internal/target/chat",
		ours: []string{"internal/fault", "internal/target", "internal/wake"},
		others: []string{
			"github.com/go-json-experiment/json", "github.com/lxzan/gws", "github.com/prometheus/client_golang",
		},
	},
	{
		pkg: "internal/target/kv",
		ours: []string{
			"internal/delta", "internal/delta/files", "internal/fault", "internal/hostclock", "internal/kvapi",
			"internal/target", "internal/target/kv/store", "internal/topic", "rundoc",
		},
		others: []string{
			"github.com/HdrHistogram/hdrhistogram-go", "github.com/fsnotify/fsnotify", "github.com/go-json-experiment/json",
			"github.com/prometheus/client_golang",
		},
	},
	{pkg: "internal/target/kv/store", ours: []string{"internal/delta"}, others: []string{"golang.org/x/sys"}},
	{pkg: "internal/target/nats", ours: []string{"internal/fault"}, others: []string{"github.com/nats-io/nats-server"}},
	{
		pkg:    "internal/target/s3",
		ours:   []string{"internal/fault", "internal/target", "internal/wake"},
		others: []string{"github.com/prometheus/client_golang", "golang.org/x/sys"},
	},
	{pkg: "internal/topic"},
	{pkg: "internal/topic/kafka", ours: []string{"internal/topic"}, others: []string{"github.com/twmb/franz-go"}},
	{pkg: "internal/topic/nats", ours: []string{"internal/topic"}, others: []string{"github.com/nats-io/nats.go"}},
	{
		pkg:  "internal/topic/pubsub",
		ours: []string{"internal/topic"},
		others: []string{
			"cloud.google.com/go/pubsub", "github.com/googleapis/gax-go", "google.golang.org/api", "google.golang.org/grpc", "google.golang.org/protobuf",
		},
	},
	{pkg: "internal/topic/redis", ours: []string{"internal/topic"}, others: []string{"github.com/redis/go-redis"}},
	{pkg: "internal/topic/sqs", ours: []string{"internal/topic"}, others: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"}},
	{pkg: "internal/topic/topictest", ours: []string{"internal/topic"}, others: []string{"github.com/google/go-cmp"}},
	{pkg: "internal/wake", others: []string{"golang.org/x/sys"}},
	{pkg: "internal/workload", ours: []string{"internal/engine/op"}},
	{
		pkg:  "internal/workload/bandwidth",
		ours: []string{"internal/engine/op", "internal/plan", "internal/store", "internal/workload"},
	},
	{
		pkg:    "internal/workload/chat",
		ours:   []string{"internal/engine/op", "internal/fault", "internal/plan", "internal/workload"},
		others: []string{"github.com/go-json-experiment/json", "github.com/lxzan/gws"},
	},
	{
		pkg:    "internal/workload/overhead",
		ours:   []string{"internal/engine/op", "internal/plan", "internal/workload"},
		others: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"},
	},
	{
		pkg: "internal/workload/updates",
		ours: []string{
			"internal/delta", "internal/delta/files", "internal/engine/op", "internal/hostclock", "internal/kvapi", "internal/plan",
			"internal/topic", "internal/workload", "rundoc",
		},
	},
	{pkg: "rundoc", ours: []string{"internal/outfile"}, others: []string{"github.com/HdrHistogram/hdrhistogram-go"}},
	{pkg: "throughput"},
	{pkg: "throughput/otelthroughput", ours: []string{"throughput"}, others: []string{"go.opentelemetry.io/otel"}},
	{pkg: "throughput/promthroughput", ours: []string{"throughput"}, others: []string{"github.com/prometheus/client_golang"}},
}

// forbiddenNames say nothing about what is in a package.
var forbiddenNames = []string{"util", "utils", "common", "helper", "helpers", "lib", "misc", "base", "shared"}

// testOnly are packages of the standard library that only tests may import, and packages
// whose name ends in "test".
var testOnly = []string{"testing", "net/http/httptest"}

const (
	maxLines     = 500 // of a file, without a reason
	maxMainLines = 25  // of a main.go
)

// The comments that allow an exception, each followed by its reason.
const (
	longFile     = "more than 500 lines: "
	packageState = "package state: "
)
