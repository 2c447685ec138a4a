-- save_snapshot: keep a cached state, unless a newer one is there or the match is in the archive.
--
-- KEYS[1] snapshot  hash  <key> -> "<version>:<bytes>"
-- KEYS[2] head      hash  archive, if it is there
--
-- ARGV[1] key      which cache: the digest of the code that made it
-- ARGV[2] version  the state's version
-- ARGV[3] bytes    the state
--
-- Returns 1 if it was kept, else 0.

return function(keys, args)
  if redis.call('HEXISTS', keys[2], 'archive') == 1 then
    return 0
  end
  local kept = redis.call('HGET', keys[1], args[1])
  if kept and tonumber(string.match(kept, '^(%d+):')) > tonumber(args[2]) then
    return 0
  end
  redis.call('HSET', keys[1], args[1], args[2] .. ':' .. args[3])
  return 1
end
