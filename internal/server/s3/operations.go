package s3

import "net/http"

// route leads requests to an operation.
type route struct {
	name   string
	method string
	level  string // what the URL names: Service, Bucket or Object
	query  string // a parameter that must be there
	header string // a header that must be there
	serve  func(*request) error
}

// operations are in the order in which they are tried: those that want a parameter come
// before those that want none. What has no function is known, but not implemented.
var operations = [...]route{
	{"ListBuckets", http.MethodGet, "Service", "", "", (*request).listBuckets},

	{"GetBucketLocation", http.MethodGet, "Bucket", "location", "", (*request).getBucketLocation},
	{"ListMultipartUploads", http.MethodGet, "Bucket", "uploads", "", (*request).listMultipartUploads},
	{"GetBucketAcl", http.MethodGet, "Bucket", "acl", "", nil},
	{"GetBucketAccelerateConfiguration", http.MethodGet, "Bucket", "accelerate", "", nil},
	{"GetBucketAnalyticsConfiguration", http.MethodGet, "Bucket", "analytics", "", nil},
	{"GetBucketCors", http.MethodGet, "Bucket", "cors", "", nil},
	{"GetBucketEncryption", http.MethodGet, "Bucket", "encryption", "", nil},
	{"GetBucketInventoryConfiguration", http.MethodGet, "Bucket", "inventory", "", nil},
	{"GetBucketLifecycleConfiguration", http.MethodGet, "Bucket", "lifecycle", "", nil},
	{"GetBucketLogging", http.MethodGet, "Bucket", "logging", "", nil},
	{"GetBucketMetricsConfiguration", http.MethodGet, "Bucket", "metrics", "", nil},
	{"GetBucketNotificationConfiguration", http.MethodGet, "Bucket", "notification", "", nil},
	{"GetObjectLockConfiguration", http.MethodGet, "Bucket", "object-lock", "", nil},
	{"GetBucketOwnershipControls", http.MethodGet, "Bucket", "ownershipControls", "", nil},
	{"GetBucketPolicy", http.MethodGet, "Bucket", "policy", "", nil},
	{"GetBucketPolicyStatus", http.MethodGet, "Bucket", "policyStatus", "", nil},
	{"GetPublicAccessBlock", http.MethodGet, "Bucket", "publicAccessBlock", "", nil},
	{"GetBucketReplication", http.MethodGet, "Bucket", "replication", "", nil},
	{"GetBucketRequestPayment", http.MethodGet, "Bucket", "requestPayment", "", nil},
	{"GetBucketTagging", http.MethodGet, "Bucket", "tagging", "", nil},
	{"GetBucketVersioning", http.MethodGet, "Bucket", "versioning", "", (*request).getBucketVersioning},
	{"ListObjectVersions", http.MethodGet, "Bucket", "versions", "", nil},
	{"GetBucketWebsite", http.MethodGet, "Bucket", "website", "", nil},
	{"CreateSession", http.MethodGet, "Bucket", "session", "", nil},
	{"ListObjectsV2", http.MethodGet, "Bucket", "list-type", "", (*request).listObjectsV2},
	{"ListObjects", http.MethodGet, "Bucket", "", "", (*request).listObjectsV1},
	{"HeadBucket", http.MethodHead, "Bucket", "", "", (*request).headBucket},
	{"PutBucketAcl", http.MethodPut, "Bucket", "acl", "", nil},
	{"PutBucketAccelerateConfiguration", http.MethodPut, "Bucket", "accelerate", "", nil},
	{"PutBucketCors", http.MethodPut, "Bucket", "cors", "", nil},
	{"PutBucketEncryption", http.MethodPut, "Bucket", "encryption", "", nil},
	{"PutBucketLifecycleConfiguration", http.MethodPut, "Bucket", "lifecycle", "", nil},
	{"PutBucketLogging", http.MethodPut, "Bucket", "logging", "", nil},
	{"PutBucketNotificationConfiguration", http.MethodPut, "Bucket", "notification", "", nil},
	{"PutObjectLockConfiguration", http.MethodPut, "Bucket", "object-lock", "", nil},
	{"PutBucketOwnershipControls", http.MethodPut, "Bucket", "ownershipControls", "", nil},
	{"PutBucketPolicy", http.MethodPut, "Bucket", "policy", "", nil},
	{"PutPublicAccessBlock", http.MethodPut, "Bucket", "publicAccessBlock", "", nil},
	{"PutBucketReplication", http.MethodPut, "Bucket", "replication", "", nil},
	{"PutBucketRequestPayment", http.MethodPut, "Bucket", "requestPayment", "", nil},
	{"PutBucketTagging", http.MethodPut, "Bucket", "tagging", "", nil},
	{"PutBucketVersioning", http.MethodPut, "Bucket", "versioning", "", nil},
	{"PutBucketWebsite", http.MethodPut, "Bucket", "website", "", nil},
	{"CreateBucket", http.MethodPut, "Bucket", "", "", (*request).createBucket},
	{"DeleteObjects", http.MethodPost, "Bucket", "delete", "", (*request).deleteObjects},
	{"PostObject", http.MethodPost, "Bucket", "", "", nil},
	{"DeleteBucketCors", http.MethodDelete, "Bucket", "cors", "", nil},
	{"DeleteBucketEncryption", http.MethodDelete, "Bucket", "encryption", "", nil},
	{"DeleteBucketLifecycle", http.MethodDelete, "Bucket", "lifecycle", "", nil},
	{"DeleteBucketOwnershipControls", http.MethodDelete, "Bucket", "ownershipControls", "", nil},
	{"DeleteBucketPolicy", http.MethodDelete, "Bucket", "policy", "", nil},
	{"DeletePublicAccessBlock", http.MethodDelete, "Bucket", "publicAccessBlock", "", nil},
	{"DeleteBucketReplication", http.MethodDelete, "Bucket", "replication", "", nil},
	{"DeleteBucketTagging", http.MethodDelete, "Bucket", "tagging", "", nil},
	{"DeleteBucketWebsite", http.MethodDelete, "Bucket", "website", "", nil},
	{"DeleteBucket", http.MethodDelete, "Bucket", "", "", (*request).deleteBucket},

	{"ListParts", http.MethodGet, "Object", "uploadId", "", (*request).listParts},
	{"GetObjectAcl", http.MethodGet, "Object", "acl", "", nil},
	{"GetObjectAttributes", http.MethodGet, "Object", "attributes", "", nil},
	{"GetObjectLegalHold", http.MethodGet, "Object", "legal-hold", "", nil},
	{"GetObjectRetention", http.MethodGet, "Object", "retention", "", nil},
	{"GetObjectTagging", http.MethodGet, "Object", "tagging", "", nil},
	{"GetObjectTorrent", http.MethodGet, "Object", "torrent", "", nil},
	{"GetObject", http.MethodGet, "Object", "", "", (*request).getObject},
	{"HeadObject", http.MethodHead, "Object", "", "", (*request).headObject},
	{"UploadPartCopy", http.MethodPut, "Object", "uploadId", "X-Amz-Copy-Source", (*request).uploadPartCopy},
	{"UploadPart", http.MethodPut, "Object", "uploadId", "", (*request).uploadPart},
	{"PutObjectAcl", http.MethodPut, "Object", "acl", "", nil},
	{"PutObjectLegalHold", http.MethodPut, "Object", "legal-hold", "", nil},
	{"PutObjectRetention", http.MethodPut, "Object", "retention", "", nil},
	{"PutObjectTagging", http.MethodPut, "Object", "tagging", "", nil},
	{"RenameObject", http.MethodPut, "Object", "renameObject", "", nil},
	{"CopyObject", http.MethodPut, "Object", "", "X-Amz-Copy-Source", (*request).copyObject},
	{"PutObject", http.MethodPut, "Object", "", "", (*request).putObject},
	{"CreateMultipartUpload", http.MethodPost, "Object", "uploads", "", (*request).createMultipartUpload},
	{"CompleteMultipartUpload", http.MethodPost, "Object", "uploadId", "", (*request).completeMultipartUpload},
	{"RestoreObject", http.MethodPost, "Object", "restore", "", nil},
	{"SelectObjectContent", http.MethodPost, "Object", "select", "", nil},
	{"AbortMultipartUpload", http.MethodDelete, "Object", "uploadId", "", (*request).abortMultipartUpload},
	{"DeleteObjectTagging", http.MethodDelete, "Object", "tagging", "", nil},
	{"DeleteObject", http.MethodDelete, "Object", "", "", (*request).deleteObject},
}
