-- hook_enqueue: a delivery that is to be made, once for each id.
--
-- KEYS[1] due         sorted set  delivery ids by the time of their next attempt
-- KEYS[2] deliveries  hash        delivery id -> the delivery as JSON
-- KEYS[3] log         list        delivery ids of one webhook, the newest first
--
-- ARGV[1] id        of the delivery
-- ARGV[2] delivery  as JSON
-- ARGV[3] at        when to try first, in milliseconds since the epoch
-- ARGV[4] most      deliveries that are remembered of one webhook
--
-- Returns 1 if it was put into the queue, 0 if it was there.

return function(keys, args)
  local due, deliveries, log = unpack(keys)
  if redis.call('HSETNX', deliveries, args[1], args[2]) == 0 then
    return 0
  end
  redis.call('ZADD', due, args[3], args[1])
  redis.call('LPUSH', log, args[1])
  while redis.call('LLEN', log) > tonumber(args[4]) do
    local forgotten = redis.call('RPOP', log)
    redis.call('ZREM', due, forgotten)
    redis.call('HDEL', deliveries, forgotten)
  end
  return 1
end
