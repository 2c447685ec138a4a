-- hook_settle: what came of an attempt, and when to try again.
--
-- KEYS[1] due         sorted set  delivery ids by the time of their next attempt
-- KEYS[2] deliveries  hash        delivery id -> the delivery as JSON
--
-- ARGV[1] id        of the delivery
-- ARGV[2] delivery  as JSON, with the attempt
-- ARGV[3] next      when to try again, or empty for never
--
-- Returns 1, or 0 if the delivery was forgotten meanwhile.

return function(keys, args)
  local due, deliveries = unpack(keys)
  if redis.call('HEXISTS', deliveries, args[1]) == 0 then
    return 0
  end
  redis.call('HSET', deliveries, args[1], args[2])
  if args[3] == '' then
    redis.call('ZREM', due, args[1])
  else
    redis.call('ZADD', due, args[3], args[1])
  end
  return 1
end
