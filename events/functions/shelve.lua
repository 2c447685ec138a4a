-- shelve: a match leaves the store for the archive, where its bundle is already.
--
-- KEYS[1] head      hash    stays, as the stub: version, head, notice, and from now on archive
-- KEYS[2] events    stream
-- KEYS[3] commands  hash
-- KEYS[4] snapshot  hash
--
-- ARGV[1] version  the match's last, which is in the bundle
-- ARGV[2] stub     names the objects of the archive
--
-- Returns {code, version}:
--   shelved   the match is in the archive, now or since earlier with the same stub
--   conflict  the match is at this version, or in the archive with another stub; nothing is written

return function(keys, args)
  local head = keys[1]
  local version, stub = unpack(redis.call('HMGET', head, 'version', 'archive'))
  if version ~= args[1] or (stub and stub ~= args[2]) then
    return {'conflict', tonumber(version or 0)}
  end
  redis.call('HSET', head, 'archive', args[2])
  redis.call('UNLINK', keys[2], keys[3], keys[4])
  return {'shelved', tonumber(version)}
end
