package dev.quire.proxy.redis;

/**
 * A script of the log of a fleet, which runs in the store as one step. The keys are the log, the
 * epoch and the nodes, in this order.
 */
enum LogScript {
    /**
     * Registers a node and returns the log from its position on; in another epoch the entries
     * around its position. Arguments: fleet, schema, node, epoch, applied, most entries, what it
     * runs, about the most bytes of entries to read, the table of nodes that it knows or '-' if it
     * does not ask for them, and pairs of the name and the last tick of a former node. Such a name
     * is a field without an incarnation, until a node of that name registers.
     */
    TICK(
            """
            local owner = redis.call('HMGET', KEYS[2], 'epoch', 'fleet', 'schema', 'start', 'kept')
            if not owner[1] then return {'none'} end
            if owner[2] ~= ARGV[1] or owner[3] ~= ARGV[2] then
              return {'other', owner[2] or '', owner[3] or '0'}
            end
            local now = millis()
            local new = redis.call('HSET', KEYS[3], ARGV[3],
              ARGV[4] .. ' ' .. ARGV[5] .. ' ' .. string.format('%.0f', now)
              .. ' ' .. ARGV[7])
            if new == 1 and name(ARGV[3]) ~= ARGV[3] then
              redis.call('HDEL', KEYS[3], name(ARGV[3]))
            end
            if new == 1 then entered(now, ARGV[3]) end
            if #ARGV > 9 then
              local known = {}
              local all = redis.call('HGETALL', KEYS[3])
              for i = 1, #all, 2 do known[name(all[i])] = true end
              for i = 10, #ARGV, 2 do
                if not known[ARGV[i]] then
                  redis.call('HSET', KEYS[3], ARGV[i], '0 0-0 ' .. ARGV[i + 1] .. ' ')
                  entered(now, ARGV[i])
                end
              end
            end
            local first, last, length, added = extent()
            local entries, size = {}, 0
            local isSame, most = owner[1] == ARGV[4], tonumber(ARGV[6])
            local command, from, to = 'XREVRANGE', ARGV[5], '-'
            if isSame then command, to = 'XRANGE', '+' end
            while #entries < most and size < tonumber(ARGV[8]) do
              local count = math.min(16, most - #entries)
              local some = redis.call(command, KEYS[1], from, to, 'COUNT', count)
              for _, entry in ipairs(some) do
                size = size + #entry[2][2]
                entries[#entries + 1] = isSame and entry or {entry[1], {'e', ''}}
              end
              if #some < count then break end
              from = '(' .. some[count][1]
            end
            if not isSame then
              local after = redis.call('XRANGE', KEYS[1], '(' .. ARGV[5], '+', 'COUNT', 1)[1]
              if after then entries[#entries + 1] = {after[1], {'e', ''}} end
            end
            local answer = {'log', owner[1], owner[4], now, first, last, length, added,
              owner[5] or '0', entries}
            if ARGV[9] ~= '-' and ARGV[9] ~= nodes() then
              answer[11], answer[12] = nodes(), redis.call('HGETALL', KEYS[3])
            end
            return answer
            """),

    /**
     * Appends entries, unless the log ends before a position. Arguments: epoch, position,
     * milliseconds to keep, most to keep, channel, entries.
     */
    APPEND(
            """
            if redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[1] then return {} end
            local first, before, length, added = extent()
            if is_later(ARGV[2], before) then return {} end
            local previous = before
            local answer = {before}
            for i = 6, #ARGV do
              local id = redis.call('XADD', KEYS[1], '*', 'e', ARGV[i])
              redis.call('PUBLISH', ARGV[5], 'e ' .. previous .. ' ' .. id .. ' ' .. ARGV[i])
              answer[#answer + 1] = id
              previous = id
            end
            local kept = redis.call('HGET', KEYS[2], 'kept')
            if not kept or tonumber(ARGV[3]) < tonumber(kept) then
              redis.call('HSET', KEYS[2], 'kept', ARGV[3])
            end
            -- The entry before is kept: a node that has applied it may not have these yet.
            local oldest = millis() - tonumber(ARGV[3])
            local last = parts(before)
            redis.call('XTRIM', KEYS[1], 'MINID', '~',
              last < oldest and before or string.format('%.0f', oldest))
            redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[4])
            return answer
            """),

    /**
     * Begins an epoch with an entry later than a position, and forgets the ends of former ones that
     * are noted. Arguments: fleet, schema, former epoch, epoch, position, channel, entry.
     */
    BEGIN(
            """
            local owner = redis.call('HMGET', KEYS[2], 'epoch', 'fleet', 'schema')
            if (owner[1] or '0') ~= ARGV[3] then return {0} end
            if owner[1] and (owner[2] ~= ARGV[1] or owner[3] ~= ARGV[2]) then return {0} end
            local first, last = extent()
            local after = parts(ARGV[5])
            local id = '*'
            if millis() <= after and parts(last) <= after then
              id = string.format('%.0f-0', after + 1)
            end
            id = redis.call('XADD', KEYS[1], id, 'e', ARGV[7])
            for _, field in ipairs(ends()) do redis.call('HDEL', KEYS[2], field) end
            redis.call('HDEL', KEYS[2], 'kept', 'compared')
            redis.call('HSET', KEYS[2], 'epoch', ARGV[4], 'fleet', ARGV[1], 'schema', ARGV[2],
              'start', id)
            redis.call('PUBLISH', ARGV[6], 'b')
            return {1}
            """),

    /**
     * Notes a position in an epoch that has ended. Returns the last one in any epoch that has ended
     * since another one began; 1 if other nodes have noted theirs, all in the same epoch; the
     * position that was the last one when a node had compared; 1 if one was noted in the same epoch
     * before; and the other epochs in which one is noted. Arguments: epoch, position, name of the
     * node, and 1 if it has compared.
     */
    FURTHEST(
            """
            local field = 'last ' .. ARGV[1]
            local own, node = ARGV[2], ARGV[3]
            local noted = redis.call('HGET', KEYS[2], field)
            if noted then
              local former, by = string.match(noted, '^(%S+) (.*)$')
              if is_later(former, own) then own = former end
              if by ~= node then node = '' end
            end
            redis.call('HSET', KEYS[2], field, own .. ' ' .. node)
            local fields, last, others = ends(), own, {}
            for _, each in ipairs(fields) do
              if each ~= field then others[#others + 1] = string.match(each, '%S+$') end
              local other = string.match(redis.call('HGET', KEYS[2], each), '^%S+')
              if is_later(other, last) then last = other end
            end
            local compared = redis.call('HGET', KEYS[2], 'compared')
            if ARGV[4] == '1' and last == ARGV[2]
              and (not compared or is_later(last, compared)) then
              redis.call('HSET', KEYS[2], 'compared', last)
            end
            return {last, node == '' and #fields == 1 and 1 or 0, compared or '0-0',
              noted and 1 or 0, others}
            """),

    /**
     * Asks all nodes, and returns the same as OVERVIEW without the policy. Arguments: channel,
     * node, position.
     */
    ASK(
            """
            redis.call('PUBLISH', ARGV[1], '? ' .. ARGV[3] .. ' ' .. ARGV[2])
            return {millis(), nodes(), redis.call('HGETALL', KEYS[3]), extent()}
            """),

    /**
     * Returns all nodes, the extent of the log, and by which policy the server evicts keys: empty
     * without a limit of its memory, false if the user may not know it. Forgets nodes that are
     * silent. Argument: for how long, in milliseconds.
     */
    OVERVIEW(
            """
            local now = millis()
            local state, all = nodes(), redis.call('HGETALL', KEYS[3])
            for i = 1, #all, 2 do
              if silence(now, all[i + 1]) >= tonumber(ARGV[1]) then
                redis.call('HDEL', KEYS[3], all[i])
              end
            end
            local first, last, length, added = extent()
            local info = redis.pcall('INFO', 'memory')
            local policy = false
            if type(info) == 'string' then
              local limit = string.match(info, '\\nmaxmemory:(%d+)')
              policy = limit ~= '0' and string.match(info, '\\nmaxmemory_policy:([%w-]+)') or ''
            end
            return {now, state, all, first, last, length, added, policy}
            """),

    /**
     * Returns which entries the log has, by their number from 1 on, after a write: WAIT counts the
     * replicas that have what its connection has written. Arguments: epoch and position of each.
     */
    COPY(
            """
            local epoch = redis.call('HGET', KEYS[2], 'epoch')
            local found = {}
            for i = 1, #ARGV, 2 do
              local id = ARGV[i + 1]
              if ARGV[i] == epoch and redis.call('XRANGE', KEYS[1], id, id)[1] then
                found[#found + 1] = (i + 1) / 2
              end
            end
            if #found > 0 then
              redis.call('HSET', KEYS[2], 'copied', string.format('%.0f', millis()))
            end
            return found
            """),

    /**
     * Removes a node, and those of the same name that are silent. Arguments: node, for how long, in
     * milliseconds.
     */
    LEAVE(
            """
            local now = millis()
            local all = redis.call('HGETALL', KEYS[3])
            local left = 0
            for i = 1, #all, 2 do
              local isFormer = name(all[i]) == name(ARGV[1])
                and silence(now, all[i + 1]) >= tonumber(ARGV[2])
              if isFormer or all[i] == ARGV[1] then
                left = left + redis.call('HDEL', KEYS[3], all[i])
              end
            end
            return {left}
            """);

    private static final String FUNCTIONS =
            """
            local function millis()
              local time = redis.call('TIME')
              return time[1] * 1000 + math.floor(time[2] / 1000)
            end
            local function parts(id)
              local millis, number = string.match(id, '^(%d+)-(%d+)$')
              return tonumber(millis), tonumber(number)
            end
            local function is_later(id, other)
              local millis, number = parts(id)
              local otherMillis, otherNumber = parts(other)
              return millis > otherMillis or millis == otherMillis and number > otherNumber
            end
            local function name(node)
              return string.match(node, '^(.*)#') or node
            end
            local function silence(now, node)
              local last = string.match(node, '^%S+ %S+ (%d+)')
              return last and now - tonumber(last) or math.huge
            end
            -- The table of nodes: when it was made, how many nodes were entered, how many it has,
            -- and which one was entered last.
            local function nodes()
              local state = redis.call('HMGET', KEYS[2], 'nodes', 'entered', 'newest')
              return (state[1] or '0') .. ' ' .. (state[2] or '0') .. ' '
                .. redis.call('HLEN', KEYS[3]) .. ' ' .. (state[3] or '')
            end
            local function entered(now, node)
              local state = redis.call('HMGET', KEYS[2], 'nodes', 'entered')
              if not state[1] or redis.call('HLEN', KEYS[3]) == 1 then
                redis.call('HSET', KEYS[2], 'nodes', string.format('%.0f', now))
              end
              redis.call('HSET', KEYS[2], 'newest', node, 'entered',
                string.format('%.0f', tonumber(state[2] or '0') + 1))
            end
            local function ends()
              local fields = {}
              local all = redis.call('HGETALL', KEYS[2])
              for i = 1, #all, 2 do
                if string.match(all[i], '^last ') then fields[#fields + 1] = all[i] end
              end
              return fields
            end
            local function extent()
              if redis.call('EXISTS', KEYS[1]) == 0 then return '0-0', '0-0', 0, 0 end
              local stream = redis.call('XINFO', 'STREAM', KEYS[1])
              local all = {}
              for i = 1, #stream, 2 do all[stream[i]] = stream[i + 1] end
              local first = all['first-entry']
              return first and first[1] or '0-0', all['last-generated-id'], all['length'],
                all['entries-added'] or all['length']
            end
            """;

    private final String text;

    LogScript(String text) {
        this.text = FUNCTIONS + text;
    }

    String text() {
        return text;
    }
}
