package overhead

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// A table whose first answer was lost already exists when it is created again: it is ours.
func TestTableOfAnEarlierTryIsDeleted(t *testing.T) {
	var tries atomic.Int64
	s := &servicestest.Responder{Answer: func(w http.ResponseWriter, operation string) bool {
		if operation != "DynamoDB CreateTable" {
			return false
		}
		if tries.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		return servicestest.Refuse(w, "ResourceInUseException")
	}}
	_, result := newLab(t, func(p *Plan) { p.Endpoint = servicestest.Serve(t, s) }, "DynamoDB/GetItem").run(t)
	if result.Failure == nil || tries.Load() < 2 || s.Counted("DynamoDB DeleteTable") != 1 {
		t.Errorf("%v: tried %d times, deleted %d times",
			result.Failure, tries.Load(), s.Counted("DynamoDB DeleteTable"))
	}
}
