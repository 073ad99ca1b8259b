-- Many objects in turn: PATH/0 to PATH/COUNT-1. PATH and COUNT are the arguments after "--"; a third one
-- replaces the slash. Each thread starts at another object.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "figures.lua")

local threads = 0

-- Runs outside the threads.
function setup(thread)
  thread:set("first", threads * 97)
  threads = threads + 1
end

local requests, count, turn = {}, 0, 0

function init(arguments)
  count = tonumber(arguments[2])
  for number = 0, count - 1 do
    requests[number] = wrk.format("GET", arguments[1] .. (arguments[3] or "/") .. number)
  end
  turn = first
end

function request()
  turn = (turn + 1) % count
  return requests[turn]
end
