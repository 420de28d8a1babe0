// Package az is Azure Blob Storage, by Microsoft's SDK, as a store.
package az
