-- A deck of requests, which contains every page in proportion to the share of its kind and is shuffled
-- before the run: the mix is exact, and the next request costs wrk one look-up. Each thread has its own.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "figures.lua")

local CARDS = 100000

local seed = 0

-- Runs outside the threads; the seed is the only difference between them.
function setup(thread)
  seed = seed + 7919
  thread:set("shuffle", seed)
end

local deck, dealt = {}, 0

-- Adds a kind: the requests of its pages in turn, so that they have SHARE percent of the deck.
function add(pages, share)
  for card = 0, math.floor(CARDS * share / 100 + 0.5) - 1 do
    table.insert(deck, pages[card % #pages + 1])
  end
end

function shuffle_deck()
  math.randomseed(shuffle)
  for last = #deck, 2, -1 do
    local other = math.random(last)
    deck[last], deck[other] = deck[other], deck[last]
  end
end

function request()
  dealt = dealt % #deck + 1
  return deck[dealt]
end
