module github.com/plimsoll/plimsoll/throughput/otelthroughput

go 1.26.0

require (
	github.com/plimsoll/plimsoll/throughput v0.1.0
	go.opentelemetry.io/otel v1.46.0
	go.opentelemetry.io/otel/metric v1.46.0
)

require github.com/cespare/xxhash/v2 v2.3.0 // indirect
