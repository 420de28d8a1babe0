// Package prom shows the runs of a show to Prometheus while they go on: what was counted so far, in Prometheus' words,
// worked out when a scraper asks. Times are histograms with native buckets and with classic ones: a scraper that asks
// for the one kind is given it.
//
// It stands above internal/onlook and below internal/run. A Server is for one command.
package prom
