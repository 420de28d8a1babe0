package throughputtest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	farEndInstead()
	goleak.VerifyTestMain(m)
}
