package leaktest

import "go.uber.org/goleak"

// looks bounds how often it is looked. One look of goleak's takes almost half a second when something is left: enough
// for what ends by itself on an idle machine, but not for a connection whose goroutine gets no processor for seconds.
const looks = 150

// Main runs the tests of a package, and fails when a goroutine of theirs does not end. The options are goleak's.
func Main(m goleak.TestingM, options ...goleak.Option) {
	goleak.VerifyTestMain(patient{m, goleak.Find}, options...)
}

// patient waits for goroutines that are about to end.
type patient struct {
	goleak.TestingM
	find func(...goleak.Option) error
}

// Run runs the tests.
func (p patient) Run() int {
	code := p.TestingM.Run()
	for range looks {
		if code != 0 || p.find() == nil {
			break
		}
	}
	return code
}
