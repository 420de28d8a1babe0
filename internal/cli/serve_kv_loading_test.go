package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/run"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
)

func TestLoadingLive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		loading kvtarget.Loading
		want    run.Live
	}{
		{kvtarget.Loading{}, run.Live{Done: -1, Left: -1}},
		{kvtarget.Loading{Batches: 1200}, run.Live{Phase: "reading the journal", Count: "1,200 batches", Done: -1, Left: -1}},
		{kvtarget.Loading{Of: 1, Rows: 70}, run.Live{Phase: "loading the data", Count: "0 of 1 file", What: "70 rows", Done: -1, Left: -1}},
		{kvtarget.Loading{Batches: 1200, Files: 1, Of: 4, Rows: 1}, run.Live{Phase: "loading the data", Count: "1 of 4 files", What: "1 row", Done: 0.25, Left: -1}},
	} {
		if diff := cmp.Diff(tt.want, loadingLive(tt.loading)); diff != "" {
			t.Error(diff)
		}
	}
}
