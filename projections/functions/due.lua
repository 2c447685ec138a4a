-- due: which matches the house has to attend to by now.
--
-- KEYS[1] index  sorted set  match ids by the time at which somebody's time is over
--
-- ARGV[1] now    milliseconds since the epoch
-- ARGV[2] limit  matches to name at most
--
-- Returns {id, time, id, time, …}, the earliest first.

return function(keys, args)
  return redis.call('ZRANGEBYSCORE', keys[1], '-inf', args[1], 'WITHSCORES', 'LIMIT', 0, args[2])
end
