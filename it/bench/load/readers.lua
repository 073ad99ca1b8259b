-- Readers of an election night, below the path that is the first argument after "--".
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "deck.lua")

-- Shares in percent, as in Workload.bodyBytes; pages of a kind are numbered first to last.
local KINDS = {
  { path = "/front", share = 3 },
  { path = "/topic/", share = 5, first = 1, last = 2 },
  { path = "/live/", share = 32, first = 1, last = 4 },
  { path = "/article/", share = 60, first = 0, last = 19999 },
}

local function pages(kind, base)
  local all = {}
  if kind.first then
    for number = kind.first, kind.last do
      table.insert(all, wrk.format("GET", base .. kind.path .. number))
    end
  else
    all[1] = wrk.format("GET", base .. kind.path)
  end
  return all
end

function init(arguments)
  for _, kind in ipairs(KINDS) do add(pages(kind, arguments[1]), kind.share) end
  shuffle_deck()
end
