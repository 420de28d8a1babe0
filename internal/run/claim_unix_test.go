//go:build unix

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// While a command saves in the directory of --out, another one is refused before it measures.
func TestTheDirectoryOfARunIsItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	env, _, _ := unlit(t.TempDir())
	second := &lively{}
	first := &lively{measure: func(*Run) (*Found, error) {
		err := Once(t.Context(), env, Job{Workload: "chat", Operations: "calls", Work: second, Forms: Forms{Out: dir, Quiet: true}})
		if err == nil || !strings.Contains(err.Error(), "--out: another command is saving its run in "+dir) || second.times > 0 {
			t.Errorf("%v, after %d measurements", err, second.times)
		}
		doc, err := sound()
		return &Found{Doc: doc, Plan: 1}, err
	}}
	err := Once(t.Context(), env, Job{Workload: "chat", Operations: "calls", Work: first, Forms: Forms{Out: dir, Quiet: true}})
	if _, read := rundoc.ReadFile(filepath.Join(dir, saved.RunFile)); err != nil || read != nil {
		t.Errorf("%v, %v", err, read)
	}
}

// Where a directory cannot be claimed, as on some file systems, no document is lost all the same.
func TestADocumentThatCameInTheMeantimeStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	env, _, _ := unlit(t.TempDir())
	env.Files = outfile.Files{}.Guarded()
	work := &lively{measure: func(*Run) (*Found, error) {
		if err := os.WriteFile(filepath.Join(dir, saved.RunFile), []byte("another's"), 0o600); err != nil {
			t.Error(err)
		}
		doc, err := sound()
		return &Found{Doc: doc, Plan: 1}, err
	}}
	err := Once(t.Context(), env, Job{Workload: "chat", Operations: "calls", Work: work, Forms: Forms{Out: dir, Quiet: true}})
	beside := filepath.Join(dir, "run-2.json")
	if err == nil || !strings.Contains(err.Error(), "the new file is "+beside) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, saved.RunFile)); string(text) != "another's" {
		t.Errorf("%q", text)
	}
	if _, err := rundoc.ReadFile(beside); err != nil {
		t.Error(err)
	}
}

// Runs are kept for their owner alone.
func TestSavedRunsArePrivate(t *testing.T) {
	state := t.TempDir()
	env, _, _ := unlit(state)
	if err := Once(t.Context(), env, Job{Workload: "chat", Operations: "calls", Work: &lively{}, Forms: Forms{Quiet: true}}); err != nil {
		t.Fatal(err)
	}
	below := 0
	err := filepath.WalkDir(filepath.Join(state, "plimsoll"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if below++; err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %v", path, info.Mode())
		}
		return err
	})
	if err != nil || below < 4 {
		t.Errorf("%d files and directories, %v", below, err)
	}
}
