-- inscribe: a batch of entries is added to the ledger, with everything that follows from them, or nothing.
--
-- KEYS[1] entries  stream  <place + 1>-0 -> e: the bytes of the entry
-- KEYS[2] state    hash    size, edge: the right edge of its tree; rotations: how many keys' it has;
--                          <bucket>: how far that bucket's feed was followed
-- KEYS[3] matches  hash    match id -> "<size>:<place>" of its newest entry
-- KEYS[4…] level 1 and above  string  32 bytes a hash of that level, in their order
--
-- ARGV[1] size       of the ledger that the writer saw
-- ARGV[2] entries    how many; then each
--     …   pairs      how many fields of the state there are to set; then name and value of each
--     …   pairs      how many matches are new or newer; then id and value of each
--     …   pairs      how many hashes are complete on levels above 0; then level and hash of each
--
-- Returns {code, size}: appended, or conflict if the ledger has another size than the writer saw; then nothing
-- is written. A call that is made again after a lost reply is such a conflict.

return function(keys, args)
  local entries, state, matches = keys[1], keys[2], keys[3]
  local size = tonumber(redis.call('HGET', state, 'size') or 0)
  if size ~= tonumber(args[1]) then
    return {'conflict', size}
  end

  local at = 2
  local function pairs_from(act)
    local last = at + 2 * tonumber(args[at])
    for place = at + 1, last, 2 do
      act(args[place], args[place + 1])
    end
    at = last + 1
  end

  local last = at + tonumber(args[at])
  for place = at + 1, last do
    size = size + 1
    redis.call('XADD', entries, string.format('%d-0', size), 'e', args[place])
  end
  at = last + 1
  pairs_from(function(name, value) redis.call('HSET', state, name, value) end)
  pairs_from(function(match, value) redis.call('HSET', matches, match, value) end)
  pairs_from(function(level, hash) redis.call('APPEND', keys[3 + tonumber(level)], hash) end)
  redis.call('HSET', state, 'size', string.format('%d', size))
  return {'appended', size}
end
