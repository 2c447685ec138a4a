-- catch_up: fold the news of a bucket's feed into the list of its matches.
--
-- KEYS[1] feed      stream  the bucket's feed -> m: match, v: version
-- KEYS[2] items     hash    match id -> its last notice
-- KEYS[3] position  string  the id of the last entry folded in; written with what was folded, so that both
--                           are there or neither
--
-- ARGV[1] matches   what the keys of matches start with: <matches><id>:head -> version, notice (a JSON object)
-- ARGV[2] index     what the keys of the indexes start with
-- ARGV[3] limit     entries to fold at most
--
-- The keys that are made here lie in the hash slot of the KEYS.
--
-- Returns 1 if the feed may hold more, else 0.
--
-- An index is a sorted set of match ids by the time of their creation. A public match is in four of them,
--   all   game:<g>   status:<s>   game:<g>:status:<s>
-- so that each question is one range of one set; every match, private ones too, is in
--   player:<p>
-- of each of its members: who sits in it, its creator, its referee, and who is invited. In
--   turn:<p>
-- is a match while player p has something to decide. While a seat that nobody moves for is to act, a
-- match is in `unattended`. In `due` are those that the house has to attend to at a certain time, by that time, in `results:<g>` the rated matches that
-- ended, by the time of their end. A notice that cannot be read is passed over: it
-- must not hide all that come after.

local function indexes(notice)
  local names, mechanical, persons = {}, {}, {}
  if notice.visibility == 'public' then
    names['all'] = true
    names['game:' .. notice.game] = true
    names['status:' .. notice.status] = true
    names['game:' .. notice.game .. ':status:' .. notice.status] = true
  end
  names['player:' .. notice.creator] = true
  if type(notice.referee) == 'string' then
    names['player:' .. notice.referee] = true
  end
  for _, player in ipairs(notice.invited or {}) do
    names['player:' .. player] = true
  end
  for _, seat in ipairs(notice.seats) do
    if type(seat.player) == 'string' then
      persons[seat.seat] = seat.player
      names['player:' .. seat.player] = true
    end
    if type(seat.bot) == 'string' or seat.resigned == true then
      mechanical[seat.seat] = true
    end
  end
  for _, seat in ipairs(notice.to_act or {}) do
    if mechanical[seat] then
      names['unattended'] = true
    elseif persons[seat] then
      names['turn:' .. persons[seat]] = true
    end
  end
  local scores = {}
  for name in pairs(names) do
    scores[name] = notice.created_at
  end
  if type(notice.house_due) == 'number' then
    scores['due'] = notice.house_due
  end
  if notice.status == 'finished' and notice.rated ~= false and notice.undo ~= 'casual' then
    scores['results:' .. notice.game] = notice.updated_at
  end
  return scores
end

local function read(text)
  local readable, notice = pcall(cjson.decode, text)
  if not readable or type(notice) ~= 'table' then
    return nil
  end
  local complete, names = pcall(indexes, notice)
  if not complete or type(notice.created_at) ~= 'number' then
    return nil
  end
  return notice, names
end

local function fold(items, prefix, match, text, notice, names)
  local known = redis.call('HGET', items, match)
  if known then
    local _, before = read(known)
    for name in pairs(before) do
      if not names[name] then
        redis.call('ZREM', prefix .. name, match)
      end
    end
  end
  for name, score in pairs(names) do
    redis.call('ZADD', prefix .. name, string.format('%d', score), match)
  end
  redis.call('HSET', items, match, text)
end

return function(keys, args)
  local feed, items, position = unpack(keys)
  local matches, prefix, limit = args[1], args[2], tonumber(args[3])
  local after = redis.call('GET', position) or '0'
  local news = redis.call('XRANGE', feed, '(' .. after, '+', 'COUNT', limit)
  if #news == 0 then
    return 0
  end

  for _, entry in ipairs(news) do
    local match, version = entry[2][2], entry[2][4]
    local tail, text = unpack(redis.call('HMGET', matches .. match .. ':head', 'version', 'notice'))
    if tail == version then -- else the entry of a later event follows
      local notice, names = read(text)
      if notice then
        fold(items, prefix, match, text, notice, names)
      end
    end
  end
  redis.call('SET', position, news[#news][1])
  return #news == limit and 1 or 0
end
