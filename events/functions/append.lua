-- append: one accepted action becomes one event, or nothing changes at all.
--
-- KEYS[1] events    stream   <version>-0 -> p: the public bytes; s: the openings, where something is sealed
-- KEYS[2] commands  hash     command id -> "<version>", or "<version>:<fingerprint>"
-- KEYS[3] head      hash     version: the tail; head: what the writer needs to go on; notice; archive
-- KEYS[4] feed      stream   one entry an event of the bucket, in commit order -> m: match, v: version,
--                           t: news, where there are any
--
-- ARGV[1] expected     the version the writer decided at; 0 creates the match
-- ARGV[2] command      the id of the request, or empty if it has none
-- ARGV[3] fingerprint  of the request's content, or empty: the same id must always bring the same one
-- ARGV[4] public       bytes of the event
-- ARGV[5] sealed       bytes of its openings, or empty
-- ARGV[6] head         bytes kept for the next writer
-- ARGV[7] match        the match's id
-- ARGV[8] notice       bytes for the projections: how the match stands now
-- ARGV[9] news         bytes for those who wait for them: what this event means to whom; or empty
--
-- Returns {code, version}:
--   appended  the event has this version
--   replayed  the command was accepted before and made this version, or this very event is there; nothing is
--             written
--   mismatch  the command was accepted before, with other content, and made this version; nothing is written
--   archived  the match is in the archive, with this version as its last; nothing is written
--   conflict  the match is at this version, not at the one expected; nothing is written
--
-- Everything is validated before the first write. XADD with an explicit id refuses to go backwards, so it
-- comes first: should head and stream ever disagree, the call ends with nothing written.

return function(keys, args)
  local events, commands, head, feed = unpack(keys)
  local expected, command, fingerprint = tonumber(args[1]), args[2], args[3]
  local public, sealed = args[4], args[5]

  local accepted = command ~= '' and redis.call('HGET', commands, command)
  if accepted then
    local version, known = string.match(accepted, '^(%d+):?(.*)$')
    return {known == fingerprint and 'replayed' or 'mismatch', tonumber(version)}
  end

  local version = string.format('%d', expected + 1)
  local id = version .. '-0'
  local known, stub = unpack(redis.call('HMGET', head, 'version', 'archive'))
  local tail = tonumber(known or 0)
  if stub then
    return {'archived', tail}
  end
  if tail ~= expected then
    -- A request without an id is known by its event: the reply to it was lost, and the writer asks again.
    local there = redis.call('XRANGE', events, id, id)[1]
    if command == '' and there and there[2][2] == public then
      return {'replayed', expected + 1}
    end
    return {'conflict', tail}
  end

  if sealed == '' then
    redis.call('XADD', events, id, 'p', public)
  else
    redis.call('XADD', events, id, 'p', public, 's', sealed)
  end
  if command ~= '' then
    redis.call('HSET', commands, command, fingerprint == '' and version or version .. ':' .. fingerprint)
  end
  redis.call('HSET', head, 'version', version, 'head', args[6], 'notice', args[8])
  if args[9] == '' then
    redis.call('XADD', feed, '*', 'm', args[7], 'v', version)
  else
    redis.call('XADD', feed, '*', 'm', args[7], 'v', version, 't', args[9])
  end
  return {'appended', expected + 1}
end
