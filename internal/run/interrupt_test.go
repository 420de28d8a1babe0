package run

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// The first signal ends the soft context, the second the hard one.
func TestInterrupts(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	signals := make(chan os.Signal)
	stopped := false
	env := &Env{Signals: func() (<-chan os.Signal, func()) { return signals, func() { stopped = true } }}
	told := make(chan error, 1)
	var soft, hard context.Context
	var release func()
	soft, hard, release = Interrupts(context.Background(), env, func() { told <- soft.Err() })
	if soft.Err() != nil || hard.Err() != nil {
		t.Fatal("ended before a signal")
	}
	signals <- syscall.SIGINT
	<-soft.Done()
	if err := <-told; err == nil {
		t.Error("told before it had an effect")
	}
	if hard.Err() != nil {
		t.Fatal("one signal ended both")
	}
	signals <- syscall.SIGTERM
	<-hard.Done()
	release()
	if !stopped {
		t.Error("the signals were not given back")
	}
}

// Without a signal nothing ends before the release.
func TestInterruptsRelease(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	env := &Env{Signals: func() (<-chan os.Signal, func()) { return nil, func() {} }}
	soft, hard, release := Interrupts(context.Background(), env, nil)
	if soft.Err() != nil || hard.Err() != nil {
		t.Error("ended without a signal")
	}
	release()
	<-hard.Done()
	<-soft.Done()
}

// Work that cannot be broken off ends with the process, which has an orderly screen by then.
func TestEndByInterrupt(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	signals, took := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(took, syscall.SIGHUP) // so that it does not end the test
	defer signal.Stop(took)
	var order []string
	env := &Env{Signals: func() (<-chan os.Signal, func()) {
		return signals, func() { order = append(order, "given back") }
	}}
	release := EndByInterrupt(env, func() { order = append(order, "line gone") })
	signals <- syscall.SIGHUP
	<-took
	release()
	if diff := cmp.Diff([]string{"line gone", "given back"}, order); diff != "" {
		t.Error(diff)
	}
	EndByInterrupt(env, func() { t.Error("no interrupt, and told of one") })()
}
