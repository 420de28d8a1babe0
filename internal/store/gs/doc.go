// Package gs is Google Cloud Storage, by Google's client library, as a store.
package gs
