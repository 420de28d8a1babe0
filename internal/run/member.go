package run

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Member is the place of a run in a set.
type Member struct {
	Set  string        // the directory of the set, in which each member gets one; "" keeps nothing
	What string        // for a person: "run 7 of 18: clients 32, repeat 2"
	At   int           // from 0 on
	Of   int           // how many there are to be; 0: nobody knows
	Each time.Duration // how long each of them takes, about
	Show *onlook.Show  // of those who look on at the runs of the set; nil: nobody
	Turn *engine.Turn  // has its load go on by turns with another; nil: it goes on alone
}

// MakeMember makes a run that is one of a set: prepared, measured under the interrupts of all, judged and saved, and
// not shown. With a document the error is the one that the command of the run alone would have ended with;
// without one nothing was measured, and it says why.
func MakeMember(soft, hard context.Context, env *Env, job Job, m Member) (*rundoc.Run, error) {
	job.Forms.HTML, job.Forms.JUnit = "", "" // which are of all runs together
	r := New(env, job)
	r.turn, r.onlookers = m.Turn, m.Show
	r.View.Among(m.What, m.At, m.Of, m.Each)
	if m.Set != "" {
		r.path = filepath.Join(saved.MemberDir(m.Set, r.ID), saved.RunFile)
	}
	if err := CheckFiles(env, job.Files...); err != nil {
		return nil, err
	}
	found, err := r.Measure(soft, hard)
	if err != nil {
		return nil, err
	}
	return found.Doc, r.Save(found)
}

// SetPlace decides where a set goes, as for a run, and makes sure that it can; "" when it is not kept.
func SetPlace(env *Env, f *Forms, id string) (dir string, err error) {
	path, err := whereToSave(env, f, id)
	if path == "" || err != nil {
		return "", err
	}
	dir = filepath.Dir(path)
	if _, err := os.Stat(filepath.Join(dir, saved.SetFile)); err == nil {
		return "", fault.New(fault.Usage, "--out: %s already has a set", f.Out).Hint("use another directory")
	}
	if f.Out == "" {
		return dir, nil
	}
	return dir, checkDir(env, "out", dir, saved.SetFile)
}
