package ws

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// LoadSettings are those of the load, with their flags. pause is that of the clients of a demo.
func LoadSettings(l *plan.LoadSettings, pause time.Duration) []*setting.Setting {
	return []*setting.Setting{
		l.Clients.Flag("clients", "simulated users, each with a connection of its own; with --rate: the initial "+
			"number").SaysConcurrency(),
		l.Operations.Flag("messages",
			"stop after this many messages, including warm-up (default: --duration ends the run)"),
		l.Duration.Flag("duration",
			"length of the measurement, after the warm-up (default 10s, unless --messages or --stages is given)"),
		l.Rate.Flag("rate", "start this many messages per second, however fast the server is (default: each "+
			"client waits for the reply)"),
		l.Arrivals.Flag("arrivals",
			"with --rate: distribution of the starts: poisson (random), constant, or burst (once per second)").
			Offer(string(plan.Poisson), string(plan.Constant), string(plan.Burst)),
		l.Stages.Flag("stages", "rate over time: 10s:2000,30s:2000 rises to 2000/s within 10s and stays there "+
			"for 30s; it starts at --rate, or 0"),
		l.ClientStages.Flag("client-stages", "without --rate: clients over time: 10s:50,1m:50,10s:0 rises to 50 "+
			"within 10s, stays for 1m, and falls to 0 within 10s; it starts at --clients, or 0"),
		l.Pacing.Flag("pacing", "with --rate: how to wait for the start of a message: spin (exact, occupies a "+
			"CPU), sleep, or auto (spin if CPU is available)"),
		l.Realtime.Flag("realtime", "with --rate: send from a thread with real-time priority (SCHED_FIFO), if "+
			"the system permits"),
		l.Ramp.Flag("ramp", "increase the load linearly from 0 for this long before measuring"),
		l.Pipeline.Flag("pipeline", "messages that a client may have in flight").SaysConcurrency(),
		l.ThinkTime.Flag("think-time",
			"pause of a client after each reply (default 0s; "+pause.String()+" in the demo)"),
		l.WarmupClients.Flag("warmup-clients", "clients during warm-up; 0: no warm-up (default: as --clients, at "+
			"most 32)"),
		l.WarmupOperations.Flag("warmup-messages",
			"messages per client during warm-up (default 1000, within --warmup-time; at most a tenth of --messages)"),
		l.WarmupTime.Flag("warmup-time", "maximum length of the warm-up (default 2s)"),
		l.Drain.Flag("drain", "how long to wait at the end for messages in flight (default: as --timeout)"),
		l.MaxClients.Flag("max-clients", "with --rate: add clients up to this number while all are busy (default "+
			"10000; set it to --clients for a fixed number)"),
		l.MaxWaiting.Flag("max-waiting", "with --rate and all clients busy: messages that may wait; more count "+
			"as unsent (default: those of 10s, at least 10000)"),
	}
}
