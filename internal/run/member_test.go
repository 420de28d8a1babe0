package run

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// measured is a kind of traffic whose runs take no time.
type measured struct {
	ended
	failed error
}

func (m measured) Measure(context.Context, context.Context, *Run) (*Found, error) {
	if m.failed != nil {
		return nil, m.failed
	}
	return &Found{Doc: &rundoc.Run{Operations: []rundoc.Operation{{Name: "send", Scheduled: 1, OK: 1}}}, Plan: 1}, nil
}

// A member of a set is kept in the folder of the set, and says as its own command would how it went; it shows nothing.
func TestMakeMember(t *testing.T) {
	dir, out := t.TempDir(), &bytes.Buffer{}
	env := &Env{
		Stdout: out, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	job := Job{Workload: "chat", Operations: "messages", Forms: Forms{Out: "elsewhere"},
		Work: measured{ended: ended{Conclusion: Conclusion{Failed: fault.New(fault.RunFailed, "it was slow")}}}}
	doc, err := MakeMember(t.Context(), t.Context(), env, job, Member{Set: dir})
	if doc == nil || err == nil {
		t.Fatalf("the document is %v, the error %v", doc, err)
	}
	if _, err := rundoc.ReadFile(filepath.Join(saved.MemberDir(dir, doc.ID), saved.RunFile)); err != nil {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if doc, err := MakeMember(t.Context(), t.Context(), env, job, Member{}); doc == nil || err == nil {
		t.Errorf("one that is not kept: %v, %v", doc, err)
	}
	if entries, _ := os.ReadDir("."); len(entries) > 0 {
		t.Errorf("of one that is not kept there is %v", entries)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, "members")); len(entries) != 1 || out.Len() > 0 {
		t.Errorf("there are %d members, and it printed %q", len(entries), out)
	}
	job.Work = measured{failed: fault.New(fault.RunFailed, "nobody is there")}
	if doc, err := MakeMember(t.Context(), t.Context(), env, job, Member{Set: dir}); doc != nil || err == nil {
		t.Errorf("one that could not start: %v, %v", doc, err)
	}
	job.Files = []File{{Flag: "chart", Path: filepath.Join(dir, "nowhere", "c.svg")}}
	if doc, err := MakeMember(t.Context(), t.Context(), env, job, Member{Set: dir}); doc != nil || fault.CodeOf(err) != fault.Usage {
		t.Errorf("one whose file cannot be written: %v, %v", doc, err)
	}
}

// ends keeps how the runs of a show ended.
type ends []onlook.Moment

func (e *ends) See(context.Context, []onlook.Moment)    {}
func (e *ends) Over(_ context.Context, m onlook.Moment) { *e = append(*e, m) }

// Who looks on at a set is told of each member who it is and how it ended, also of one in which nothing was measured.
func TestObserversSeeMembersOfASet(t *testing.T) {
	env := &Env{
		Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	show, seen := onlook.New(), &ends{}
	leave := show.Join(seen)
	job := Job{Workload: "chat", Operations: "messages", Forms: Forms{Labels: []string{"night"}}, Work: measured{}}
	doc, _ := MakeMember(t.Context(), t.Context(), env, job, Member{Show: show, What: "run 2 of 3", At: 1, Of: 3})
	job.Work = measured{failed: fault.New(fault.RunFailed, "nobody is there")}
	if _, err := MakeMember(t.Context(), t.Context(), env, job, Member{Show: show}); err == nil {
		t.Error("no error")
	}
	leave(t.Context())
	if len(*seen) != 2 || doc == nil {
		t.Fatalf("%d ends", len(*seen))
	}
	m := (*seen)[0]
	if m.ID != doc.ID || m.Ended != doc || m.What != "run 2 of 3" || m.At != 1 || m.Of != 3 || m.Workload != "chat" ||
		m.Labels[0] != "night" {
		t.Errorf("%+v", m)
	}
	if counted, err := m.Count(); counted != nil || err != nil {
		t.Errorf("counted %v, %v", counted, err)
	}
	if (*seen)[1].Ended != nil {
		t.Error("what was not measured has a document")
	}
}
