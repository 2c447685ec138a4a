-- save_snapshot: keep a cached state, unless a newer one is there.
--
-- KEYS[1] snapshot  hash  <key> -> "<version>:<bytes>"
--
-- ARGV[1] key      which cache: the digest of the code that made it
-- ARGV[2] version  the state's version
-- ARGV[3] bytes    the state
--
-- Returns 1 if it was kept, 0 if the one there is newer.

return function(keys, args)
  local kept = redis.call('HGET', keys[1], args[1])
  if kept and tonumber(string.match(kept, '^(%d+):')) > tonumber(args[2]) then
    return 0
  end
  redis.call('HSET', keys[1], args[1], args[2] .. ':' .. args[3])
  return 1
end
