-- cosign: a witness's newest cosignature of a match is kept, one for each witness.
--
-- KEYS[1] cosignatures  hash  player -> "<size>:<the cosignature>"
--
-- ARGV[1] player
-- ARGV[2] size         of the head that was cosigned
-- ARGV[3] cosignature  bytes
-- ARGV[4] most         witnesses that a match has room for; a player who has one, or 0, is always let in
--
-- Returns what is kept of that player now: the one given, or one of the same or a longer log that was there;
-- nothing if there is no room.

return function(keys, args)
  local kept = redis.call('HGET', keys[1], args[1])
  if kept then
    local size, before = string.match(kept, '^(%d+):(.*)$')
    if tonumber(size) >= tonumber(args[2]) then
      return before
    end
  elseif tonumber(args[4]) > 0 and redis.call('HLEN', keys[1]) >= tonumber(args[4]) then
    return false
  end
  redis.call('HSET', keys[1], args[1], args[2] .. ':' .. args[3])
  return args[3]
end
