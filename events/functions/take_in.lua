-- take_in: a match from elsewhere, whose bundle is in the archive already, becomes one of the store.
--
-- KEYS[1] head  hash    version, head, notice, archive: what shelve would leave
-- KEYS[2] feed  stream  tells of each of its versions, in order, as it does of every match
--
-- ARGV[1] match    the match's id
-- ARGV[2] version  its last
-- ARGV[3] head     the edge of its tree and its last checkpoint
-- ARGV[4] notice   how it stands
-- ARGV[5] stub     names the objects of the archive
--
-- Returns {code, version}:
--   taken  it is in, now or since earlier with the same stub
--   there  there is another match of this id, at this version; nothing is written

return function(keys, args)
  local head, feed = unpack(keys)
  local known, stub = unpack(redis.call('HMGET', head, 'version', 'archive'))
  if known then
    return {stub == args[5] and 'taken' or 'there', tonumber(known)}
  end
  redis.call('HSET', head, 'version', args[2], 'head', args[3], 'notice', args[4], 'archive', args[5])
  for version = 1, tonumber(args[2]) do
    redis.call('XADD', feed, '*', 'm', args[1], 'v', version)
  end
  return {'taken', tonumber(args[2])}
end
