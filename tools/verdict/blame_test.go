package main

import "testing"

func TestBlames(t *testing.T) {
	for _, tt := range []struct {
		reason string
		want   side
	}{
		{"The generator started 38 of 572 operations (6.64%) late by more than half of the response time's p99, " +
			"and more than 1 ms, although a client was free: the load was not offered as asked. Lower the rate, or " +
			"give the generator more CPU.", generator},
		{"53 of 99 operations (54%) were not sent although the clients were busy for only 3% of the window: " +
			"the generator did not offer the load. Lower the rate, or give the generator more CPU.", generator},
		{"One operation in a hundred started 297 µs or more too late although a client was free, which is more than " +
			"a tenth of the response time's p50 of 207 µs.", generator},
		{"The generator used 97% of the 1 CPUs that it may use (more than 85%): the figures may be its limit, " +
			"not the target's. Give it more CPUs, or generate less load.", generator},
		{"Garbage collection stopped the generator for 101 ms, 1.01% of the window (more than 1%).", generator},
		{"The CPU quota throttled the generator for 3.1 s, 62% of the window (more than 1%), and the response " +
			"times contain that. Raise the quota of its cgroup.", generator},

		// Of the rules 2.
		{"The generator started 38 of 572 operations (6.64%, more than 1%) late for its own reasons, one in a " +
			"hundred by 80 ms or more: the load was not offered as asked. Late is by more than half of the response " +
			"time's p99, and more than 5 ms. Lower the rate, or give the generator more CPU.", generator},
		{"The response time's p99 is 900 ms, but 9.0 ms without the generator's own delay, and that delay was 63% " +
			"of all response time: what is shown is to a large part not the target's. Believe the figures without " +
			"it, or give the generator more CPU, or less load.", generator},
		{"The generator's own delay was 83% of all response time, 1.2 ms of each operation on average (60% and " +
			"250 µs are too much): the throughput is the generator's limit, and the target may do more. Give the " +
			"generator more CPU, or use more machines.", generator},
		{"The generator did not run for 1.00 s, in one gap (those from 50.0 ms on count): 20% of the window (more than " +
			"0.2%). What came meanwhile waited for it, and the slowest times may be that. Look for what stopped " +
			"it: other programs, a CPU quota, a machine that was suspended.", generator},
		{"The generator's threads waited 9.1 s for a CPU, and ran for 1.1 s (more than 2 times as long, and more " +
			"than 500 ms in each second): the figures contain its waiting. Stop other programs on its CPUs, or give " +
			"it more of them.", generator},
		{"The generator used 90% of the 1 CPUs that it may use (more than 85%), and how long it waited for one is " +
			"not known: the figures may be its limit.", generator},
		{"Garbage collection used 31% of the CPU time available to the generator (more than 10%). Give it more " +
			"memory, or fewer clients.", generator},
		{"The generator's threads waited 9.1 s for a CPU, and ran for 8.1 s (more than 0.5 times as long). Target " +
			"and generator share this machine, and its CPUs were 99% busy, more than 90% (generator 40%, others " +
			"10%): the figures are what all can do together on them.", shared},

		// These mention the generator, and blame it for nothing.
		{"Target and generator share this machine, and its CPUs were 100% busy (more than 90%): the throughput " +
			"is what both can do together on these CPUs.", shared},
		{"Little's law: 30.61 operations were in flight by 1,000 independent samples, but 30 by throughput × time; " +
			"that differs by +2.03% (more than 2%). The generator may have been too busy to sample.", neither},
		{"Little's law: the clients had 0.25 operations in flight, but the recorded times amount to 0.2375; that " +
			"differs by +5.26% (more than 2%). This is a bug in Plimsoll: please report it.", lawBroken},
		{"All 30 clients were busy, and operations waited for one: the response time's p99 is 1.00 s.", target},
		{"All 30 clients were busy: 219 of 7,868 operations were not sent.", target},
		{"2.78% of 7,868 operations were not sent (more than 1%): the times are those of the rest.", neither},
		{"No operation ended ok, of 1,234 scheduled: there is no performance to believe.", target},
		{"The clients spent 43% of their time backing off or without a connection (more than 20%).", target},
		{"The window lasted only 900 ms: start and end effects weigh heavily.", neither},
		{"broken law: generator: it used 230% of the CPUs.", lawBroken},
		{"The streams waited for the instrument in 34.6% of their time in the upload (more than 20%): the bandwidth is " +
			"the instrument's, not the store's. Use fewer streams, or more CPUs.", generator},
		{"The upload lasted only 487 ms: start and end effects weigh heavily. Move more data to rely on the figures.",
			neither},

		// Of the present texts.
		{"The generator started 38 of 572 operations late (6.64%, limit 1%), with a p99 start delay of 80 ms: the load " +
			"was not offered as planned. Lower the rate, or give the generator more CPU.", generator},
		{"The response time's p99 is 900 ms, but 9.0 ms without the generator delay, which was 63% of all response time " +
			"(limit 10%). Use the corrected values, give the generator more CPU, or lower the load.", generator},
		{"The generator was paused for 1.00 s (one pause of 50.0 ms or more), 20% of the window (limit 0.2%), so the " +
			"slowest times may be its own. Look for other programs, a CPU quota or a suspended machine.", generator},
		{"The target's address is on this machine, which was 98.8% busy (limit 90%), and the generator waited 9.1 s for a CPU, " +
			"1.12 times as long as it ran (limit 0.5 times).", shared},
		{"The generator waited 9.1 s for a CPU while it ran for 1.1 s (limit 2 times as long, and 500 ms per second).",
			generator},
		{"Target and generator share this machine, which was 99% busy (limit 90%; generator 40%, others 10%), and the " +
			"generator waited 9.1 s for a CPU while it ran for 8.1 s (limit 0.5 times as long).", shared},
		{"All 30 clients were busy and operations waited for one: response time p99 1.00 s, service time 200 ms.", target},
		{"2.78% of 7,868 operations were not sent (limit 1%): the times cover only the rest. Fix the causes of the " +
			"errors, or lower the load.", neither},
		{"The clients spent 43% of their time backing off or disconnected (limit 20%): the load was that of fewer clients.",
			target},
		{"The window was only 900 ms (minimum 1.00 s), so start and end effects dominate.", neither},
		{"invariant violated: generator: it used 230% of the CPUs.", lawBroken},
		{"The weather was bad.", unknown},
	} {
		if got := blames(tt.reason); got != tt.want {
			t.Errorf("%q names the %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestShape(t *testing.T) {
	a := shape("The quota throttled for 3.1 s, 62% of the window, 1,234 times")
	b := shape("The quota throttled for 310 ms, 6.21% of the window, 9 times")
	if want := "The quota throttled for #, #% of the window, # times"; a != want || b != want {
		t.Errorf("%q, %q", a, b)
	}
}
