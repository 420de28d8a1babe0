// Package servicestest is a server that stands for AWS in tests: it answers a few operations, counts
// them, and answers any of them in another way when a test asks for that. Tests of overhead and of its
// services use it; many goroutines may ask it at once.
package servicestest
