package main

import "time"

// pair is a server under faults and who loads it.
type pair struct {
	name     string
	server   []string // what follows plimsoll serve; none: the workload has one of its own
	metrics  string   // where the server tells how many goroutines it has; none: it does not
	workload []string // what follows plimsoll; URL stands for the server's address, BROKER for that of the message service in it
	shorter  []string // what a short run has besides
	lasting  bool     // the workload can run for the whole time
	killed   bool     // the server is killed and started again, at the same address
}

// short is how long a workload runs that is started again and again.
const short = 10 * time.Second

// pairs are those whose server goes on, and the same with servers that are killed. What ends with its server, as the message
// service in that of keys and values does, cannot have a workload that lasts longer.
func pairs() []pair {
	standing := []pair{
		{name: "chat", lasting: true, metrics: "/metrics",
			server:   []string{"chat", "--error-rate", "0.01", "--drop-rate", "0.002", "--silent-rate", "0.001", "--garbage-rate", "0.002"},
			workload: []string{"chat", "URL", "--clients", "20", "--rate", "50", "--timeout", "2s"}},
		{name: "fanout", lasting: true, metrics: "/metrics",
			server: []string{"chat", "--broadcast", "--broadcast-loss", "0.001", "--broadcast-duplicates", "0.001",
				"--drop-rate", "0.002"},
			workload: []string{"chat", "URL", "--fanout", "--receivers", "20", "--rate", "5", "--timeout", "2s"}},
		{name: "ws", lasting: true, metrics: "/metrics",
			server:   []string{"chat", "--echo", "--drop-rate", "0.002", "--duplicate-rate", "0.01", "--reorder-rate", "0.01"},
			workload: []string{"ws", "URL", "--protocol", "echo", "--clients", "20", "--rate", "50", "--timeout", "2s"}},
		{name: "http", lasting: true, metrics: "/metrics",
			server:   []string{"http", "--error-rate", "0.02", "--drop-rate", "0.005", "--jitter", "5ms"},
			workload: []string{"http", "URL", "--clients", "20", "--rate", "100", "--timeout", "2s"}},
		{name: "http2", lasting: true, metrics: "/metrics",
			server:   []string{"http", "--tls", "--error-rate", "0.02", "--drop-rate", "0.005", "--jitter", "5ms"},
			workload: []string{"http", "URL", "--http2", "--insecure", "--clients", "5", "--rate", "50", "--timeout", "2s"}},
		{name: "bandwidth", metrics: "/_plimsoll/metrics",
			server:   []string{"s3", "--error-rate", "0.02", "--reset-rate", "0.01", "--delay", "2ms"},
			workload: []string{"bandwidth", "1m", "s3://plimsoll/soak/", "--iterations", "50"}},
		{name: "overhead",
			server:   []string{"aws", "--delay", "1ms"},
			workload: []string{"overhead"}},
		{name: "kv", lasting: true, metrics: "/metrics",
			server: []string{"kv", "nats+js://", "--skip-ack", "40", "--apply-delay", "1ms"},
			workload: []string{"updates", "BROKER", "--kv", "URL", "--rate", "10", "--batch", "100", "--reads", "20", "--hot-keys", "5000",
				"--seed", "1", "--warmup-time", "0", "--timeout", "2s"},
			shorter: []string{"--seed", "2"}}, // keys of its own, and always the same: a store has what it was given
	}
	var all []pair
	for _, p := range standing {
		all = append(all, p)
		p.name, p.killed = p.name+" killed", true
		if p.server[0] == "kv" {
			p.lasting, p.server = false, append(p.server, "--journal", "journal")
			p.shorter = append(p.shorter, "--duration", short.String())
		}
		all = append(all, p)
	}
	return append(all,
		pair{name: "updates", workload: []string{"updates", "--rate", "20", "--duration", "5s", "--warmup-time", "0"}})
}
