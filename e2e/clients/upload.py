"""Uploads a file with tuspy. Exits with 1 when the upload fails."""

import argparse
import sys

from tusclient.client import TusClient
from tusclient.exceptions import TusUploadFailed
from tusclient.storage.filestorage import FileStorage

parser = argparse.ArgumentParser()
parser.add_argument("--endpoint", required=True)
parser.add_argument("--file", required=True)
parser.add_argument("--filename", required=True)
parser.add_argument("--chunk-size", type=int, default=sys.maxsize)
parser.add_argument("--state", required=True, help="file that remembers uploads, for the next run to resume them")
options = parser.parse_args()

try:
    TusClient(options.endpoint).uploader(
        options.file,
        chunk_size=options.chunk_size,
        metadata={"filename": options.filename},
        store_url=True,
        url_storage=FileStorage(options.state),
    ).upload()
except TusUploadFailed as error:
    sys.exit(str(error))
