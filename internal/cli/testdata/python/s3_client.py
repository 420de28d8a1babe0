"""A foreign S3 client: boto3 does with the server what programs do. It ends with 0 if all
went as the protocol has it."""

import io
import os
import random
import sys
import tempfile
import threading
import urllib.request

import boto3
import boto3.s3.transfer
import botocore.exceptions
from botocore.client import Config

endpoint, bucket = sys.argv[1], sys.argv[2]
client = boto3.client("s3", endpoint_url=endpoint, config=Config(retries={"max_attempts": 0}))
noise = random.Random(1).randbytes(30 * 1024 * 1024 + 17)
few = boto3.s3.transfer.TransferConfig(multipart_chunksize=8 * 1024 * 1024, max_concurrency=4)


def code(call, **args):
    try:
        call(**args)
    except botocore.exceptions.ClientError as e:
        return e.response["Error"]["Code"]
    return ""


def same(got, want, what):
    if got != want:
        sys.exit(f"{what}: {got!r}, want {want!r}")


# One request, with and without a given checksum.
for algorithm in (None, "CRC32", "SHA1", "SHA256"):
    extra = {"ChecksumAlgorithm": algorithm} if algorithm else {}
    put = client.put_object(Bucket=bucket, Key="one", Body=noise[:100000], Metadata={"colour": "blue"}, **extra)
    got = client.get_object(Bucket=bucket, Key="one", ChecksumMode="ENABLED")
    same(got["Body"].read(), noise[:100000], f"one with {algorithm}")
    same((got["ETag"], got["Metadata"]), (put["ETag"], {"colour": "blue"}), "one")
same(client.get_object(Bucket=bucket, Key="one", Range="bytes=-10")["Body"].read(), noise[99990:100000], "a range")

# A bucket that never had versions has no status, and no key of that name in the answer.
same("Status" in client.get_bucket_versioning(Bucket=bucket), False, "versions")

# A stream that cannot be read twice.
client.upload_fileobj(io.BytesIO(noise[:1000]), bucket, "stream")
same(client.get_object(Bucket=bucket, Key="stream")["Body"].read(), noise[:1000], "a stream")

# Many parts, by the transfer manager.
with tempfile.TemporaryDirectory() as folder:
    source, copy = os.path.join(folder, "source"), os.path.join(folder, "copy")
    with open(source, "wb") as f:
        f.write(noise)
    seen, lock = [0], threading.Lock()

    def progress(n):
        with lock:
            seen[0] += n

    client.upload_file(source, bucket, "many/ü +&", Config=few, Callback=progress)
    same(seen[0], len(noise), "bytes of progress")
    client.download_file(bucket, "many/ü +&", copy, Config=few)
    with open(copy, "rb") as f:
        same(f.read() == noise, True, "what came back")
same(client.head_object(Bucket=bucket, Key="many/ü +&")["ETag"][-3:-1], "-4", "the ETag of four parts")
client.copy({"Bucket": bucket, "Key": "many/ü +&"}, bucket, "copy", Config=few)
same(client.get_object(Bucket=bucket, Key="copy")["Body"].read() == noise, True, "the copy")

# Lists in pages.
names = sorted(f"list/{i % 5}/{i:03} ä\t" for i in range(57))
for name in names:
    client.put_object(Bucket=bucket, Key=name, Body=b"")
for operation in ("list_objects", "list_objects_v2"):
    pages = client.get_paginator(operation).paginate(Bucket=bucket, Prefix="list/", PaginationConfig={"PageSize": 10})
    same([o["Key"] for page in pages for o in page["Contents"]], names, operation)
    pages = client.get_paginator(operation).paginate(
        Bucket=bucket, Prefix="list/", Delimiter="/", PaginationConfig={"PageSize": 2})
    same([p["Prefix"] for page in pages for p in page["CommonPrefixes"]], [f"list/{i}/" for i in range(5)], operation)
reply = client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": n} for n in names]})
same((len(reply["Deleted"]), reply.get("Errors")), (57, None), "deleted")

# Presigned URLs. Without the setting, botocore signs them in the old way.
signer = boto3.client("s3", endpoint_url=endpoint, config=Config(signature_version="s3v4"))
url = client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "one"})
try:
    urllib.request.urlopen(url)
except urllib.error.HTTPError as e:
    same("Please use AWS4-HMAC-SHA256" in e.read().decode(), True, "signed in the old way")
url = signer.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "signed"}, ExpiresIn=60)
urllib.request.urlopen(urllib.request.Request(url, data=b"hello", method="PUT", headers={"Content-Type": ""}))
url = signer.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "signed"}, ExpiresIn=60)
same(urllib.request.urlopen(url).read(), b"hello", "by a presigned URL")

# Errors.
same(code(client.get_object, Bucket=bucket, Key="absent"), "NoSuchKey", "absent")
same(code(client.head_object, Bucket=bucket, Key="absent"), "404", "absent")
same(code(client.get_object, Bucket="no-such-bucket", Key="x"), "NoSuchBucket", "no bucket")
same(code(client.put_object, Bucket=bucket, Key="one", IfNoneMatch="*"), "PreconditionFailed", "there already")
same(code(client.get_object, Bucket=bucket, Key="one", Range="bytes=100000-"), "InvalidRange", "beyond the end")
same(code(client.get_bucket_acl, Bucket=bucket), "NotImplemented", "not implemented")
same(code(client.abort_multipart_upload, Bucket=bucket, Key="x", UploadId="y"), "NoSuchUpload", "no upload")
wrong = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id="plimsoll", aws_secret_access_key="wrong")
same(code(wrong.list_buckets), "SignatureDoesNotMatch", "a wrong secret")
elsewhere = boto3.client("s3", endpoint_url=endpoint, region_name="eu-west-1", config=Config(s3={"addressing_style": "path"}))
same(code(elsewhere.list_buckets), "AuthorizationHeaderMalformed", "a wrong region")

# Buckets.
client.create_bucket(Bucket="second")
same(code(client.delete_bucket, Bucket=bucket), "BucketNotEmpty", "not empty")
client.delete_bucket(Bucket="second")
same([b["Name"] for b in client.list_buckets()["Buckets"]], [bucket], "buckets")
same(client.list_multipart_uploads(Bucket=bucket).get("Uploads"), None, "uploads that are left")
