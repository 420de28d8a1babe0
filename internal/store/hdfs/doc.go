// Package hdfs is HDFS, by github.com/colinmarc/hdfs, as a store.
package hdfs
