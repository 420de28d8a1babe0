//go:build !race

package peertest

const raceDetector = false
