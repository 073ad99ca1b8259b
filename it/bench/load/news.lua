-- The readers of an election night: 60 of 100 requests are for one of 20,000 articles, 32 for one of
-- four live pages, 5 for one of two topics, 3 for the front page. Takes the path all of them begin with.
dofile(os.getenv("QUIRE_BENCH_LOAD") .. "/outcome.lua")

local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

-- Requests are put together before the run: wrk's thread must not be what is measured.
function init(arguments)
  local base = arguments[1]
  math.randomseed(number)
  articles, others = {}, {}
  for i = 0, 19999 do articles[i] = wrk.format("GET", base .. "/article/" .. i) end
  for i = 0, 31 do others[#others + 1] = wrk.format("GET", base .. "/live/" .. i % 4 + 1) end
  for i = 0, 4 do others[#others + 1] = wrk.format("GET", base .. "/topic/" .. i % 2 + 1) end
  for i = 0, 2 do others[#others + 1] = wrk.format("GET", base .. "/front") end
end

function request()
  local drawn = math.random(100)
  if drawn > #others then return articles[math.random(0, 19999)] end
  return others[drawn]
end
