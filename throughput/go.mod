module github.com/plimsoll/plimsoll/throughput

go 1.26.0
