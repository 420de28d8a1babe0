package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
)

// outputWait is how long the output of a command is awaited after its end, when programs that
// it has started hold it open.
const outputWait = 2 * time.Second

// interruptWait is how long a command has to end after an interrupt: a virtual machine that ends its
// threads in order takes seconds.
const interruptWait = 10 * time.Second

// shell runs a command line.
type shell struct {
	line      string
	variables []string
	out       io.Writer         // of all its output
	tell      func(note string) // what a person who has interrupted it must know
	wait      time.Duration     // after an interrupt or the end of its time, which a command may ignore
	limits    []limit
}

// run has the shell run the command line. soft passes an interrupt on, and ends the command when it
// does not end by itself; hard ends it at once.
func (s *shell) run(soft, hard context.Context) (ending, error) {
	cmd := exec.CommandContext(hard, "sh", "-c", s.line)
	cmd.Stdout, cmd.Stderr = s.out, s.out
	cmd.Env = append(withoutAWS(cmd.Environ()), s.variables...)
	cmd.WaitDelay = outputWait
	group, err := newGroup()
	if err == nil {
		defer group.release()
		cmd.Cancel = func() error { group.kill(); return nil }
		group.add(cmd)
		err = cmd.Start()
	}
	if err != nil {
		return ending{}, fault.New(fault.RunFailed, "cannot start the shell for --exec: %w", err).
			Hint("install sh, which --exec needs")
	}
	ended := make(chan struct{})
	var watcher sync.WaitGroup
	var over *limit
	watcher.Go(func() { over = s.watch(soft, hard, group, ended) })
	err = cmd.Wait()
	close(ended)
	watcher.Wait()
	group.kill() // what it has left behind would call a responder that is gone
	e := ending{interrupted: over == nil && soft.Err() != nil, limit: over}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		e.signal = endingSignal(exit)
		if e.signal == "" {
			e.status = exit.ExitCode()
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay) && !e.interrupted:
		return e, fault.New(fault.RunFailed, "cannot run the command of --exec: %w", err)
	}
	return e, nil
}

// watch ends the command that is interrupted, or that goes on beyond a limit, which it gives then.
func (s *shell) watch(soft, hard context.Context, group *group, ended <-chan struct{}) *limit {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	bounded, stop := context.WithCancel(soft)
	defer stop()
	over := make(chan *limit, len(s.limits))
	for i := range s.limits {
		waiting.Go(func() {
			if s.limits[i].wait(bounded) {
				over <- &s.limits[i]
			}
		})
	}
	select {
	case <-ended:
		return nil
	case l := <-over:
		group.terminate()
		s.tell(fmt.Sprintf("%s: the command has %v to exit", l.reason(), s.wait))
		s.insist(hard, group, ended, "the command did not exit and is killed; the report covers its calls up to this point")
		return l
	case <-soft.Done():
	}
	group.interrupt()
	s.tell(fmt.Sprintf("interrupted: the command has %v to exit; interrupt again to kill it now", s.wait))
	s.insist(hard, group, ended,
		"the command did not exit after the interrupt and is killed; the report covers its calls up to this point")
	return nil
}

// insist kills the command when it does not end in time.
func (s *shell) insist(hard context.Context, group *group, ended <-chan struct{}, note string) {
	late := time.NewTimer(s.wait)
	defer late.Stop()
	select {
	case <-ended:
	case <-hard.Done(): // it is ended by its own context
	case <-late.C:
		s.tell(note)
		group.kill()
	}
}

// ClientVariables lead a client of AWS to the responder. The user's settings of the clients are left
// out, for figures that are the same for everybody: settings is an empty file in their place.
func ClientVariables(url, certificate, settings string) []string {
	variables := []string{
		"AWS_ENDPOINT_URL=" + url,
		"AWS_ACCESS_KEY_ID=" + awstarget.DefaultAccessKey, "AWS_SECRET_ACCESS_KEY=" + awstarget.DefaultSecretKey,
		"AWS_REGION=" + awstarget.DefaultRegion, "AWS_DEFAULT_REGION=" + awstarget.DefaultRegion,
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=" + settings, "AWS_SHARED_CREDENTIALS_FILE=" + settings,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	if certificate != "" {
		for _, name := range []string{"AWS_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
			"CURL_CA_BUNDLE"} {
			variables = append(variables, name+"="+certificate)
		}
	}
	return variables
}

// withoutAWS leaves out the variables that would lead a client of AWS elsewhere, to other
// credentials, or have it trust others. Of two settings of one variable the last holds, but a name may have two forms.
func withoutAWS(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_ROLE_ARN",
			"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
			"AWS_CONTAINER_CREDENTIALS_FULL_URI",
			"AWS_CA_BUNDLE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_USE_DUALSTACK_ENDPOINT",
			"AWS_USE_FIPS_ENDPOINT":
			return true
		}
		return strings.HasPrefix(name, "AWS_ENDPOINT_URL_") // of one service
	})
}
