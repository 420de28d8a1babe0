// Command peers measures 'plimsoll http' beside other load generators, on the machine that it runs on.
//
//	peers -binary bin/plimsoll -peers DIR [-rounds 5] [-time 2s] [-only closed,tls,http2,open,idle,stall] [-v]
//
// Each generator asks the same nginx for the same 1 KiB, over 32 connections that stay open. They take turns, so that
// what else the machine does hits all of them; the figures are the medians of the rounds, and what one generator took
// is told as a multiple of another's in the same round. The processor time is that of the child, user and system, as
// the kernel counts it when the child has ended: what it takes to start and to report is in it. Percentiles are what
// each tool says itself.
//
// "net/http" is a bare loop of Go's client in a child of this program. The allocations of Plimsoll are those of its
// engine and client in one process, as its benchmark counts them (-allocations).
//
// The stall is of 'plimsoll serve http', a new one for each generator: it answers nothing for two seconds, one second
// after its first request. What users would have waited at that rate can be computed (see stall.go).
//
// A generator that is missing is left out. install.sh fetches those that it can.
package main
