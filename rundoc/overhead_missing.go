package rundoc

// MinJudgedValues is the least number of values for an operation's median to be more than chance: of
// nine, all that can be said with 95 % is that it is between the second and the second last.
const MinJudgedValues = 10

// overheadMissing finds what an overhead run was to measure and did not, or hardly.
func (j *judgement) overheadMissing(d *OverheadDetail) {
	if d == nil {
		return
	}
	if len(d.Unmeasured) > 0 {
		why := ""
		if j.run.Interrupted {
			why = ", because the run was interrupted"
		}
		j.say("Not measured%s: %s.", why, firstOf(d.Unmeasured))
	}
	var few []string
	for i := range d.Rows {
		if n := d.Rows[i].values(); n > 0 && n < MinJudgedValues {
			few = append(few, d.Rows[i].Name()+" ("+number(n)+")")
		}
	}
	if len(few) > 0 {
		j.say("Fewer than %d attempts ended ok, of which a median is chance: %s. Measure for longer.", MinJudgedValues, firstOf(few))
	}
}

// shortOverhead says that it is not known whether calls waited for a processor.
func (w *warnings) shortOverhead() {
	if n := w.run.window(); w.run.Target.SameHost && n > 0 && n < MinMachineWindowNS {
		w.add(WarnBusyUnknown, "The calls lasted only %s in all: too short to tell how busy this machine's CPUs were.", duration(n))
	}
}
