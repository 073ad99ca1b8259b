-- A mix of pages from a file, whose name is the first argument after "--". A line "SHARE COOKIES" begins
-- a kind of pages with this share in percent, requested with these cookies, or with none if they are
-- absent. Each following line that begins with a slash is the path of one of its pages.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "deck.lua")

function init(arguments)
  local pages, share, fields
  for line in io.lines(arguments[1]) do
    if line:sub(1, 1) == "/" then
      table.insert(pages, wrk.format("GET", line, fields))
    else
      if pages then add(pages, share) end
      local cookies
      share, cookies = line:match("^([%d.]+) ?(.*)$")
      pages, share, fields = {}, tonumber(share), nil
      if cookies ~= "" then fields = { Cookie = cookies } end
    end
  end
  add(pages, share)
  shuffle_deck()
end
