package main

import "time"

// pair is a server under faults and who loads it.
type pair struct {
	name     string
	server   []string // what follows plimsoll serve; none: the workload has one of its own
	workload []string // what follows plimsoll; URL stands for the server's address
	lasting  bool     // the workload can run for the whole time
}

// short is how long a workload runs that is started again and again.
const short = 10 * time.Second

func pairs() []pair {
	return []pair{
		{name: "chat", lasting: true,
			server:   []string{"chat", "--error-rate", "0.01", "--drop-rate", "0.002", "--silent-rate", "0.001", "--garbage-rate", "0.002"},
			workload: []string{"chat", "URL", "--clients", "20", "--rate", "50", "--timeout", "2s"}},
		{name: "ws", lasting: true,
			server:   []string{"chat", "--echo", "--drop-rate", "0.002", "--duplicate-rate", "0.01", "--reorder-rate", "0.01"},
			workload: []string{"ws", "URL", "--protocol", "echo", "--clients", "20", "--rate", "50", "--timeout", "2s"}},
		{name: "http", lasting: true,
			server:   []string{"http", "--error-rate", "0.02", "--drop-rate", "0.005", "--jitter", "5ms"},
			workload: []string{"http", "URL", "--clients", "20", "--rate", "100", "--timeout", "2s"}},
		{name: "bandwidth",
			server:   []string{"s3", "--error-rate", "0.02", "--reset-rate", "0.01", "--latency", "2ms"},
			workload: []string{"bandwidth", "1m", "s3://plimsoll/soak/", "--repeat", "50"}},
		{name: "overhead",
			server:   []string{"aws", "--latency", "1ms"},
			workload: []string{"overhead"}},
		{name: "updates", workload: []string{"updates", "--rate", "20", "--duration", "5s", "--warmup-time", "0"}},
	}
}
