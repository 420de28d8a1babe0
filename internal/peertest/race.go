//go:build race

package peertest

const raceDetector = true
