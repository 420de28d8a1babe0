package ws

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// LoadSettings are those of the load, with their flags. pause is that of the clients of a demo.
func LoadSettings(l *plan.LoadSettings, pause time.Duration) []*setting.Setting {
	return []*setting.Setting{
		l.Clients.Flag("clients", "simulated users, each with its own connection; with --rate the number at the start, "+
			"see --max-clients").SaysConcurrency(),
		l.Operations.Flag("messages",
			"end the run after this many messages, the warm-up's included (default: --duration ends it)"),
		l.Duration.Flag("duration",
			"how long to measure, after the warm-up (default 10s, unless --messages or --stages end the run)"),
		l.Rate.Flag("rate", "send this many messages a second, each when it is due, whatever the server does "+
			"(default: each client sends again when it has its answer)"),
		l.Arrivals.Flag("arrivals",
			"with --rate: how messages are spaced: poisson (at random), constant, "+
				"or burst (all of a second's at its start)").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "a rate that changes: 10s:2000,30s:2000 rises to 2000 a second within 10 s "+
			"and stays there for 30 s; it starts from --rate, else from 0 (default none)"),
		l.ClientStages.Flag("client-stages", "without --rate: a number of clients that changes: 10s:50,1m:50,10s:0 adds "+
			"clients until there are 50 after 10 s, keeps them for a minute, and removes them over 10 s; it starts from "+
			"--clients, else from 0 (default none)"),
		l.Pacing.Flag("pacing", "with --rate: how to wait until a message is due: spin (exact, and keeps a CPU busy), "+
			"sleep, "+
			"or auto (spin where there is CPU to spare)"),
		l.Realtime.Flag("realtime", "with --rate: give the thread that sends on time real-time priority (SCHED_FIFO), "+
			"where the system allows it"),
		l.Ramp.Flag("ramp", "raise the load evenly from nothing for this long, before measuring"),
		l.Pipeline.Flag("pipeline", "messages that one client may have waiting for their answers").SaysConcurrency(),
		l.ThinkTime.Flag("think-time",
			"how long a client pauses after each answer (default none; "+pause.String()+" in the demo)"),
		l.WarmupClients.Flag("warmup-clients", "clients of the warm-up, 0 for none (default as --clients, at most 32)"),
		l.WarmupOperations.Flag("warmup-messages",
			"messages that each client sends in the warm-up (default 1000, or as many as 2s allow; "+
				"with --messages a tenth of those at most)"),
		l.WarmupTime.Flag("warmup-time", "longest time that the warm-up may take (default 2s)"),
		l.Drain.Flag("drain", "how long to wait at the end for messages that are still under way (default as --timeout)"),
		l.MaxClients.Flag("max-clients", "with --rate: add clients up to this number when a message is due and all "+
			"clients are busy (default 10000; give the number of --clients to keep it fixed)"),
		l.MaxWaiting.Flag("max-waiting", "with --rate: messages that may wait when --max-clients is reached; "+
			"more are counted as unsent (default those of 10 s, at least 10000)"),
	}
}
