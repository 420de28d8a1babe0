package show

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// threeIterations has uploads at 0 to 2.1 s and 5 to 7 s, with a download in between, and a
// third that lasts only from 9.9 to 10 s.
func threeIterations() *rundoc.BandwidthDetail {
	const s = 1_000_000_000
	block := func(operation string, iteration int, bytes, from, took int64) rundoc.Block {
		return rundoc.Block{Operation: operation, Stream: 1, Iteration: iteration, Bytes: bytes, StartNS: from, DurationNS: took}
	}
	return &rundoc.BandwidthDetail{
		Upload: &rundoc.Transfer{Course: []rundoc.CoursePoint{
			{Second: 0, Client: 7, Network: 400}, {Second: 1, Client: 7, Network: 400}, {Second: 2, Network: 40}, {Second: 5, Network: 500}, {Second: 6, Network: 500},
		}},
		Download: &rundoc.Transfer{Course: []rundoc.CoursePoint{{Second: 2, Client: 900}, {Second: 3, Client: 1000}, {Second: 4, Client: 100}}},
		Blocks: []rundoc.Block{
			block(rundoc.OperationUploadBlock, 1, 600, 0, 3*s/2),
			block(rundoc.OperationCloseUpload, 1, 0, 3*s/2, 6*s/10),
			block(rundoc.OperationDownloadBlock, 1, 2000, 21*s/10, 2*s),
			block(rundoc.OperationUploadBlock, 2, 300, 5*s, 0),
			block(rundoc.OperationUploadBlock, 2, 300, 5*s, 2*s),
			block(rundoc.OperationUploadBlock, 2, 77, 5*s, 2*s), // failed, see below
			block(rundoc.OperationUploadBlock, 3, 50, 99*s/10, s/10),
		},
	}
}

// However wide the stretches are, they hold all bytes, and their time is that of the transfer.
func TestPacesKeepAllBytes(t *testing.T) {
	d := threeIterations()
	for width := 1.0; width < 12; width++ {
		var client, network, active float64
		for _, p := range paces(d, rundoc.NamedTransfer{Name: "upload", Transfer: d.Upload}, width) {
			client, network, active = client+p.client, network+p.network, active+p.active
		}
		if math.Abs(client-1327) > 1e-6 || network != 1840 || math.Abs(active-4.2) > 1e-9 {
			t.Errorf("width %g: %g bytes for the client, %g on the network, in %g s", width, client, network, active)
		}
	}
}
