-- Ends what wrk prints with a line for each figure: "wrk: NAME WHOLE-NUMBER". wrk's own report rounds
-- to three digits, which is too coarse to hold answers against the size they must have.
local function figure(name, value)
  print(("wrk: %s %d"):format(name, value))
end

function done(run, latencies)
  figure("requests", run.requests)
  figure("bytes", run.bytes)
  figure("duration-us", run.duration)
  figure("median-us", latencies:percentile(50))
  figure("p99-us", latencies:percentile(99))
  -- Each kind by its name, whatever kinds this wrk knows.
  for kind, count in pairs(run.errors) do
    figure("failed-" .. kind, count)
  end
end
