-- results: which matches of an index ended since a time, and how many there are in all.
--
-- KEYS[1] index  sorted set  ids of rated matches by the time of their end
--
-- ARGV[1] since  milliseconds since the epoch
--
-- Returns {total, id, time, id, time, …}, the earliest first.

return function(keys, args)
  local found = redis.call('ZRANGEBYSCORE', keys[1], args[1], '+inf', 'WITHSCORES')
  table.insert(found, 1, redis.call('ZCARD', keys[1]))
  return found
end
