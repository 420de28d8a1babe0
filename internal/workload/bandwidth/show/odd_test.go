package show_test

import (
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// zeroRun: a file without bytes.
func zeroRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 0, 8*mib, 3*ms, 41*ms, nil)
	m.download(1, 1, 0, 8*mib, 12*ms, nil)
	m.add(1, 1, rundoc.OperationDelete, 0, 0, 9*ms)
	return bandwidthRun(m, rundoc.BandwidthDetail{
		BlockBytes: 8 * mib, Streams: 1, Iterations: 1, Store: rundoc.StoreUsed{Client: "sftp 1.13.9", Data: "zero"},
		Checksum: rundoc.Checksum{Algorithm: "crc32c", Verdict: rundoc.ChecksumOK},
	}, "sftp://files.example.com/tmp")
}

// bareRun: a bandwidth run whose detail is lost.
func bareRun() *rundoc.Run {
	run := fileRun()
	run.Detail = nil
	return run
}

// onePointRun: one block. For charts.
func onePointRun() *rundoc.Run {
	m := newMoves()
	m.upload(1, 1, 8*mib, 8*mib, 10*ms, 700*ms, func(int64) int64 { return 2 * ms })
	return bandwidthRun(m, rundoc.BandwidthDetail{SizeBytes: 8 * mib, BlockBytes: 8 * mib, Streams: 1, Iterations: 1}, "s3://example-bucket/x")
}

// manyPointsRun: 25,000 blocks, half of what a document holds, of four streams in twenty
// iterations. For charts.
func manyPointsRun() *rundoc.Run {
	m := newMoves()
	const size, block, streams = 155 * mib, mib, 4
	for iteration := 1; iteration <= 20; iteration++ {
		for stream := 1; stream <= streams; stream++ {
			m.upload(stream, iteration, size, block, m.about(20*ms), m.about(900*ms), func(i int64) int64 {
				if i%16 != 0 {
					return m.about(900 * us)
				}
				return m.about(160 * ms)
			})
		}
		m.meet(streams)
		for stream := 1; stream <= streams; stream++ {
			m.download(stream, iteration, size, block, m.about(12*ms), func(int64) int64 { return m.about(8 * ms) })
		}
		m.meet(streams)
	}
	run := bandwidthRun(m, rundoc.BandwidthDetail{SizeBytes: size, BlockBytes: block, Streams: streams, Iterations: 20}, "s3://example-bucket/many")
	return edit(run, func(d *rundoc.BandwidthDetail) {
		network(d, d.Upload, "upload")
		network(d, d.Download, "download")
	})
}

var fixtures = []reporttest.Fixed{
	{Name: "bandwidth-s3", Make: s3Run}, {Name: "bandwidth-reference", Make: referenceRun}, {Name: "bandwidth-stall", Make: stallRun},
	{Name: "bandwidth-close", Make: slowCloseRun}, {Name: "bandwidth-corrupt", Make: corruptRun}, {Name: "bandwidth-cut", Make: cutRun},
	{Name: "bandwidth-file", Make: fileRun}, {Name: "bandwidth-zero", Make: zeroRun}, {Name: "bandwidth-bare", Make: bareRun},
	{Name: "bandwidth-small", Make: smallRun},
}
