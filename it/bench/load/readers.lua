-- Readers of an election night, below the path that is the first argument after "--".
--
-- Each thread has its own deck of requests, which contains every page in proportion to its share and is
-- shuffled before the run: the mix is exact, and the next request costs wrk one look-up.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "figures.lua")

local CARDS = 100000

-- Shares in percent, as in Workload.bodyBytes; pages of a kind are numbered first to last.
local KINDS = {
  { path = "/front", share = 3 },
  { path = "/topic/", share = 5, first = 1, last = 2 },
  { path = "/live/", share = 32, first = 1, last = 4 },
  { path = "/article/", share = 60, first = 0, last = 19999 },
}

local seed = 0

-- Runs outside the threads; the seed is the only difference between them.
function setup(thread)
  seed = seed + 7919
  thread:set("shuffle", seed)
end

local deck, dealt = {}, 0

local function add(kind, base)
  local pages = {}
  if kind.first then
    for number = kind.first, kind.last do
      table.insert(pages, wrk.format("GET", base .. kind.path .. number))
    end
  else
    pages[1] = wrk.format("GET", base .. kind.path)
  end
  for card = 0, CARDS * kind.share / 100 - 1 do
    table.insert(deck, pages[card % #pages + 1])
  end
end

function init(arguments)
  for _, kind in ipairs(KINDS) do add(kind, arguments[1]) end
  math.randomseed(shuffle)
  for last = #deck, 2, -1 do
    local other = math.random(last)
    deck[last], deck[other] = deck[other], deck[last]
  end
end

function request()
  dealt = dealt % CARDS + 1
  return deck[dealt]
end
