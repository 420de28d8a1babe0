// Package leaktest looks for goroutines that the tests of a package left behind. It is for the TestMain of packages
// alone, which call it once.
package leaktest
