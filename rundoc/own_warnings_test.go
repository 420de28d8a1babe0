package rundoc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestWarningsOfTheOpenModel has each word that accuses, and documents in which it must not be said.
func TestWarningsOfTheOpenModel(t *testing.T) {
	// 270 of 300/s are sent, each takes 110 ms but for the own delay: 33 at the same time, and 32 may be.
	const target, few, enough, nobody = "The target did not keep up", "clients were too few", "the clients were enough",
		"The load was not carried in full"
	const generator, cap = "The generator did not keep up", "The clients were too few for the load"
	accusing := []string{target, few, generator}
	codes := map[string]string{rundoc.WarnTargetBehind: target, rundoc.WarnGenerator: generator, rundoc.WarnTooFew: cap,
		rundoc.WarnLoadBehind: nobody}
	// One in ten took 10 ms, and the others so long that all took 110 ms on average.
	slowed := func(r *rundoc.Run) { ownRun(t, r, tenth(10*ms, 110*ms)) }
	faster := func(r *rundoc.Run) { ownRun(t, r, all(100*ms, 0)) }
	for _, tt := range []struct {
		name string
		own  int64
		edit func(*rundoc.Run)
		say  []string
	}{
		{"the target was busy, and had been quick enough", 0, slowed, []string{target,
			"waited for it in 93.8 % of their time, the generator's own delay left out; " +
				"300 a second of 110 ms each are 33 at the same time, and 32 may be. It can be quicker: one in ten took 10.0 ms or " +
				"less, and then they would have been enough."}},
		{"the target was never quicker", 0, func(r *rundoc.Run) {}, []string{cap,
			"300 a second of 110 ms each are 33 at the same time, and 32 may be. Raise --clients to 42 or more: if the " +
				"service times stay as they are, the target keeps up."}},
		{"one in ten just quick enough", 0, func(r *rundoc.Run) { ownRun(t, r, tenth(106*ms, 110*ms)) }, []string{target}},
		{"one in ten not quick enough", 0, func(r *rundoc.Run) { ownRun(t, r, tenth(107*ms, 110*ms)) }, []string{cap}},
		{"clients that pause between the steps of their flows", 0, func(r *rundoc.Run) {
			r.Flows = []rundoc.FlowFigures{{Name: "buy", Started: 2940}}
			r.Ledger.States = map[string]int64{rundoc.StatePausing: 128_000 * ms}
			r.Little.InFlightPredicted = 16
		}, []string{cap, "300 a second of 154 ms each"}},
		{"clients that pause, and a target that had been quicker", 0, func(r *rundoc.Run) {
			slowed(r)
			r.Flows = []rundoc.FlowFigures{{Name: "buy", Started: 2940}}
			r.Ledger.States = map[string]int64{rundoc.StatePausing: 32_000 * ms}
			r.Little.InFlightPredicted = 28.8
		}, []string{target}},
		{"flows of which none began", 0, func(r *rundoc.Run) {
			r.Flows = []rundoc.FlowFigures{{Name: "buy"}}
		}, []string{nobody}},
		{"operations of which one has no times", 0, func(r *rundoc.Run) {
			slowed(r)
			r.Operations = append(r.Operations, rundoc.Operation{Name: "none"})
		}, []string{target}},
		{"busy by chance, with clients enough", 0, faster, []string{nobody}},
		{"a generator without CPU to spare, and no stamps", 0, func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.SendDelayP99NS = 0.86, 500*ms
		}, []string{nobody, "waited 500 ms or more for a free client. The response times contain"}},
		{"a generator without CPU to spare, and with stamps", 0, func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.Stamps = 0.86, &rundoc.Stamps{Used: 2_700}
		}, []string{cap}},
		{"just busy enough", 0, func(r *rundoc.Run) { r.Little.InFlightPredicted = 28.81 }, []string{cap}},
		{"not busy enough", 0, func(r *rundoc.Run) { r.Little.InFlightPredicted = 28.79 }, []string{nobody}},
		{"busy with the generator's own delay", 10 * ms, func(r *rundoc.Run) {}, []string{nobody}},
		{"by times that may be the generator's", 0, func(r *rundoc.Run) {
			for i := range r.Operations {
				r.Operations[i].ServiceTime.Free = nil
			}
		}, []string{nobody}},
		{"of slots that nobody knows", 0, func(r *rundoc.Run) { r.Little.Slots = 0 }, []string{nobody}},
		{"a generator that is late", 0, func(r *rundoc.Run) {
			r.Generator.OwnLate, r.Generator.OwnDelayP99NS, r.Generator.SendDelayP99NS = new(int64(30)), 10*ms, 19*ms
		}, []string{generator}},
		{"a generator that is hardly late", 0, func(r *rundoc.Run) {
			r.Generator.OwnLate, r.Generator.OwnDelayP99NS, r.Generator.SendDelayP99NS = new(int64(29)), 10*ms, 19*ms
		}, []string{cap}},
		{"clients that were too few", 0, func(r *rundoc.Run) {
			r.Little.Slots, r.Ledger.Clients, r.Little.InFlightPredicted, r.Generator.SendDelayP99NS = 29, 29, 28.9, 500*ms
		}, []string{cap, "waited 500 ms or more for a free client. The " + few,
			"300 a second of 110 ms each are 33 at the same time, and 29 may be"}},
		{"clients that were too few for a target that had been quicker", 0, func(r *rundoc.Run) {
			slowed(r)
			r.Little.Slots, r.Ledger.Clients, r.Little.InFlightPredicted, r.Generator.SendDelayP99NS = 29, 29, 28.9, 500*ms
		}, []string{target, "The " + few + ", or the target too slow: 300"}},
		{"clients that were enough", 0, func(r *rundoc.Run) {
			faster(r)
			r.Little.InFlightPredicted, r.Generator.SendDelayP99NS = 25, 500*ms
		}, []string{nobody, enough}},
		{"clients of times that may be the generator's", 0, func(r *rundoc.Run) {
			r.Little.Slots, r.Generator.SendDelayP99NS = 0, 500*ms
		}, []string{nobody, "waited 500 ms or more for a free client. The response times contain"}},
	} {
		run := openRun(t)
		unsend(t, run, 60)
		ownRun(t, run, all(110*ms, tt.own))
		run.Little = rundoc.Little{InFlightSampled: 30, InFlightPredicted: 30, Samples: 1000, Slots: 32}
		tt.edit(run)
		var text strings.Builder
		for _, w := range rundoc.Warnings(run) {
			text.WriteString(w.Message + "\n")
			if begins, ok := codes[w.Code]; ok && !strings.HasPrefix(w.Message, begins) {
				t.Errorf("%s: of the code %s: %s", tt.name, w.Code, w.Message)
			}
		}
		for _, say := range tt.say {
			if !strings.Contains(text.String(), say) {
				t.Errorf("%s: %q is not said: %s", tt.name, say, text.String())
			}
		}
		for _, word := range accusing {
			if strings.Contains(text.String(), word) && !strings.Contains(strings.Join(tt.say, " "), word) {
				t.Errorf("%s: %q is said: %s", tt.name, word, text.String())
			}
		}
	}
}

// A gap that is too small for a doubt is told beside the maximum.
func TestWarnsOfShortGap(t *testing.T) {
	for _, tt := range []struct {
		gaps []int64
		want bool
	}{{[]int64{60 * ms}, true}, {[]int64{49 * ms}, false}, {nil, false}, {[]int64{100 * ms, 101 * ms}, false}} {
		run := watched(soundRun(t))
		lasting(run, 10)
		stopped(t, run, tt.gaps...)
		said := slices.ContainsFunc(rundoc.Warnings(run), func(w rundoc.Warning) bool { return w.Code == rundoc.WarnGaps })
		if said != tt.want {
			t.Errorf("%v: %v", tt.gaps, said)
		}
	}
}
