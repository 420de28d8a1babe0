package junit

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// A run that nobody has named is called by its kind and its load.
func TestNameOf(t *testing.T) {
	for want, run := range map[string]*rundoc.Run{
		"run": {}, "chat": {Workload: "chat", Plan: []byte(`{}`)}, "http 500/s": aLoad("http", `{"rate_per_s":500}`, 8),
		"http 0.5/s":          aLoad("http", `{"rate_per_s":0.5}`, 0),
		"http in stages":      aLoad("http", `{"rate_per_s":500,"stages":[{}]}`, 8),
		"chat 1 client":       aLoad("chat", `{"rate_per_s":0,"stages":[]}`, 1),
		"run 1,000 clients":   aLoad("", `{}`, 1000),
		"http":                aLoad("http", `7`, 8), // a load of another shape
		"chat\ufffd 1 client": aLoad("chat\xff", `{}`, 1),
	} {
		if got := NameOf(run); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func aLoad(kind, load string, clients int) *rundoc.Run {
	return &rundoc.Run{Workload: kind, Plan: []byte(`{"load":` + load + `}`), Ledger: rundoc.Ledger{Clients: clients}}
}

// How a set went that failed is no second error beside that of a run; one that was interrupted is one.
func TestHowASetWent(t *testing.T) {
	for _, one := range []struct {
		exit    fault.Code
		members []fault.Code
		want    Result
		errored int
	}{
		{fault.RunFailed, nil, Errored, 1}, {fault.RunFailed, []fault.Code{fault.OK}, Errored, 1},
		{fault.RunFailed, []fault.Code{fault.OK, fault.RunFailed}, Passed, 1},
		{fault.Interrupted, []fault.Code{fault.RunFailed}, Errored, 2}, {fault.OK, []fault.Code{fault.OK}, Passed, 0},
	} {
		set := &setdoc.Set{Exit: int(one.exit), Error: "why"}
		for _, exit := range one.members {
			set.Members = append(set.Members, setdoc.Member{Exit: int(exit)})
		}
		r := OfSet(set, nil)
		if got := r.Suites[0].Cases[0].Result; got != one.want || r.counts().errored != one.errored {
			t.Errorf("%+v: %v, %+v", one, got, r.counts())
		}
	}
}
