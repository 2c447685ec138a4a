-- page: which matches of an index are the newest, older than a given one.
--
-- KEYS[1] items  hash        match id -> its last notice, a JSON object
-- KEYS[2] index  sorted set  match ids by the time of their creation
--
-- ARGV[1] limit    matches to name at most
-- ARGV[2] created  and
-- ARGV[3] match    the match to continue after, or empty for the newest
-- ARGV[4] filter   1 to apply the rest, for the index of a player, which holds matches of all kinds; 0 for
--                  the others, whose name is the filter
-- ARGV[5] game     or empty for every game
-- ARGV[6] status   or empty for every status
-- ARGV[7] viewer   whose private matches may be shown, or empty
--
-- Returns {id, created, id, created, …}, newest first; those of one millisecond by descending id.

local function member(notice, viewer)
  if notice.creator == viewer or notice.referee == viewer then
    return true
  end
  for _, player in ipairs(notice.invited or {}) do
    if player == viewer then
      return true
    end
  end
  for _, seat in ipairs(notice.seats) do
    if seat.player == viewer then
      return true
    end
  end
  return false
end

local function shown(notice, game, status, viewer)
  return (game == '' or notice.game == game)
    and (status == '' or notice.status == status)
    and (notice.visibility == 'public' or (viewer ~= '' and member(notice, viewer)))
end

return function(keys, args)
  local items, index = unpack(keys)
  local limit, created, match = tonumber(args[1]), args[2], args[3]
  local filter = args[4] == '1'
  local highest = created == '' and '+inf' or created
  local found, offset = {}, 0
  while true do
    local ids = redis.call('ZREVRANGEBYSCORE', index, highest, '-inf', 'WITHSCORES', 'LIMIT', offset, limit)
    for i = 1, #ids, 2 do
      local id, at = ids[i], ids[i + 1]
      local newer = created ~= '' and tonumber(at) == tonumber(created) and id >= match
      if not newer
        and (not filter or shown(cjson.decode(redis.call('HGET', items, id)), args[5], args[6], args[7]))
      then
        found[#found + 1] = id
        found[#found + 1] = at
        if #found == 2 * limit then
          return found
        end
      end
    end
    if #ids < 2 * limit then
      return found
    end
    offset = offset + limit
  end
end
