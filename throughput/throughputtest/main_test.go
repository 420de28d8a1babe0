package throughputtest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	farEndInstead()
	goleak.VerifyTestMain(patient{m})
}

// looks bounds how often it is looked for goroutines that are left. One look of goleak's takes almost half a second
// then, in which a connection's goroutine may get no processor on a busy machine.
const looks = 150

// patient waits for goroutines that are about to end.
type patient struct{ *testing.M }

func (p patient) Run() int {
	code := p.M.Run()
	for range looks {
		if code != 0 || goleak.Find() == nil {
			break
		}
	}
	return code
}
