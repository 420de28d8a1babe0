module github.com/plimsoll/plimsoll/throughput/awsthroughput

go 1.26.0

require github.com/aws/smithy-go v1.28.8
