-- Makes wrk print what it found in one line, all of it exact: requests and bytes as counts, times in
-- microseconds. The request stays wrk's own, which is built once.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "outcome requests=%d micros=%d bytes=%d connect=%d read=%d write=%d status=%d timeout=%d p50=%d p99=%d\n",
    summary.requests, summary.duration, summary.bytes, errors.connect, errors.read, errors.write,
    errors.status, errors.timeout, latency:percentile(50), latency:percentile(99)))
end
