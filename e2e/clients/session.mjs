// What an upload with tus-js-client is, in Node and in a browser alike. Settings
// are plain values; report is given each request with its answer.
export function session(settings, report) {
  return {
    endpoint: settings.endpoint,
    metadata: { filename: settings.filename },
    chunkSize: settings.chunkSize ?? Number.POSITIVE_INFINITY,
    retryDelays: settings.retry ? [0, 100, 500, 1000, 2000, 4000] : null,
    uploadDataDuringCreation: settings.dataAtCreation,
    uploadLengthDeferred: settings.deferLength,
    parallelUploads: settings.parallel,
    onAfterResponse(request, response) {
      report({
        method: request.getMethod(),
        status: response.getStatus(),
        from: Number(request.getHeader('Upload-Offset') ?? 0),
        offset: Number(response.getHeader('Upload-Offset') ?? 0),
        contentLocation: response.getHeader('Content-Location') ?? '',
      })
    },
  }
}
