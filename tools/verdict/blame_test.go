package main

import "testing"

func TestBlames(t *testing.T) {
	for _, tt := range []struct {
		reason string
		want   side
	}{
		{"The generator started 38 of 572 operations (6.64 %) late by more than half of the response time's p99, " +
			"and more than 1 ms, although a client was free: the load was not offered as asked. Lower the rate, or " +
			"give the generator more CPU.", generator},
		{"53 of 99 operations (54 %) were not sent although the clients were busy for only 3 % of the window: " +
			"the generator did not offer the load. Lower the rate, or give the generator more CPU.", generator},
		{"One operation in a hundred started 297 µs or more too late although a client was free, which is more than " +
			"a tenth of the response time's p50 of 207 µs.", generator},
		{"The generator used 97 % of the 1 CPUs that it may use (more than 85 %): the figures may be its limit, " +
			"not the target's. Give it more CPUs, or generate less load.", generator},
		{"Garbage collection stopped the generator for 101 ms, 1.01 % of the window (more than 1 %).", generator},
		{"The CPU quota throttled the generator for 3.1 s, 62 % of the window (more than 1 %), and the response " +
			"times contain that. Raise the quota of its cgroup.", generator},

		// These mention the generator, and blame it for nothing.
		{"Target and generator share this machine, and its CPUs were 100 % busy (more than 90 %): the throughput " +
			"is what both can do together on these CPUs.", shared},
		{"Little's law: 30.61 operations were in flight by 1,000 independent samples, but 30 by throughput × time; " +
			"that differs by +2.03 % (more than 2 %). The generator may have been too busy to sample.", neither},
		{"No operation ended ok, of 1,234 scheduled: there is no performance to believe.", target},
		{"The clients spent 43 % of their time backing off or without a connection (more than 20 %).", target},
		{"The window lasted only 900 ms: start and end effects weigh heavily.", neither},
		{"broken law: generator: it used 230 % of the CPUs.", lawBroken},
		{"The weather was bad.", unknown},
	} {
		if got := blames(tt.reason); got != tt.want {
			t.Errorf("%q names the %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestShape(t *testing.T) {
	a := shape("The quota throttled for 3.1 s, 62 % of the window, 1,234 times")
	b := shape("The quota throttled for 310 ms, 6.21 % of the window, 9 times")
	if want := "The quota throttled for #, # of the window, # times"; a != want || b != want {
		t.Errorf("%q, %q", a, b)
	}
}
