package gs_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	proxy := peer(t)
	for name, settings := range map[string][]string{
		"in order":  nil,
		"composite": {"fs.gs.client.upload.type=PARALLEL_COMPOSITE_UPLOAD"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t, proxy, settings...)
			storetest.Run(t, open(t, c), "/dir", c.Block)
		})
	}
}
