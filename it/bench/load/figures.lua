-- Adds a line for each figure to the output of wrk: "wrk: NAME INTEGER". wrk's own report rounds to
-- three digits, which is too coarse to check the size of responses.
local function figure(name, value)
  print(("wrk: %s %d"):format(name, value))
end

function done(run, latencies)
  figure("requests", run.requests)
  figure("bytes", run.bytes)
  figure("duration-us", run.duration)
  figure("median-us", latencies:percentile(50))
  figure("p99-us", latencies:percentile(99))
  -- All kinds of errors this version of wrk knows.
  for kind, count in pairs(run.errors) do
    figure("failed-" .. kind, count)
  end
end
