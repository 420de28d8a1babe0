package run

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// page shows a text on a terminal by the pager that the user has chosen. Without one, and where it
// fails, the text goes to stdout as it is.
func (e *Env) page(text []byte) error {
	if pager := e.pager(); pager != nil && e.paged(pager, text) {
		return nil
	}
	_, err := e.Stdout.Write(text)
	return err
}

// pager is the command that shows a long text: that of PLIMSOLL_PAGER or PAGER, which the shell runs,
// as it is the user's own, with arguments and pipes; else less, if it is there. It is nil where there
// is to be none.
func (e *Env) pager() *exec.Cmd {
	if e.Getenv("TERM") == "dumb" {
		return nil
	}
	for _, name := range []string{"PLIMSOLL_PAGER", "PAGER"} {
		if own, set := e.LookupEnv(name); set {
			if own = strings.TrimSpace(own); own == "" || own == "cat" {
				return nil
			}
			shell := exec.Command("sh", "-c", own)
			shell.Env = e.pagersEnv()
			return shell
		}
	}
	less, err := exec.LookPath("less")
	if err != nil {
		return nil
	}
	// It ends by itself when all fits on the screen, shows colours, and leaves the text there.
	return exec.Command(less, "-FRX")
}

// pagersEnv has less and lv, where the user has not said how they are to be, take colours, as git does.
func (e *Env) pagersEnv() []string {
	all := os.Environ()
	for _, one := range []struct{ name, value string }{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := e.LookupEnv(one.name); !set {
			all = append(all, one.name+"="+one.value)
		}
	}
	return all
}

// paged has a pager show a text, and waits for its end. It reports whether the pager ended well, also
// when it was left before it had taken all.
//
// The terminal sends an interrupt to the pager as well, which knows what to do with it: a pager that
// was left behind would hold the terminal. Other signals are handed on.
func (e *Env) paged(pager *exec.Cmd, text []byte) bool {
	out, ok := fileOf(e.Stdout)
	if !ok {
		return false
	}
	pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text), out, e.Stderr
	signals, giveBack := e.Signals()
	defer giveBack()
	if pager.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	var waiting sync.WaitGroup
	waiting.Go(func() { ended <- pager.Wait() })
	defer waiting.Wait()
	return leftWell(signals, ended, func(s os.Signal) {
		if s != os.Interrupt {
			_ = pager.Process.Signal(s) // one that has ended needs none
		}
	})
}

// leftWell waits for the end of a pager, hands it the signals that come before, and reports whether it ended well or by
// one of them. What ended it may be seen after its end: both come at the same time.
func leftWell(signals <-chan os.Signal, ended <-chan error, hand func(os.Signal)) bool {
	for stopped := false; ; {
		select {
		case s := <-signals:
			stopped = true
			hand(s)
		case err := <-ended:
			select {
			case <-signals:
				stopped = true
			default:
			}
			return err == nil || stopped
		}
	}
}
