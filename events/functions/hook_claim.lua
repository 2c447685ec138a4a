-- hook_claim: deliveries whose time has come, for one sender; nobody else gets them before the lease ends.
--
-- KEYS[1] due         sorted set  delivery ids by the time of their next attempt
-- KEYS[2] deliveries  hash        delivery id -> the delivery as JSON
--
-- ARGV[1] now    milliseconds since the epoch
-- ARGV[2] until  when the lease ends
-- ARGV[3] limit  deliveries to claim at most
--
-- Returns the deliveries.

return function(keys, args)
  local due, deliveries = unpack(keys)
  local claimed = {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', args[1], 'LIMIT', 0, args[3])) do
    local delivery = redis.call('HGET', deliveries, id)
    if delivery then
      redis.call('ZADD', due, args[2], id)
      claimed[#claimed + 1] = delivery
    else
      redis.call('ZREM', due, id)
    end
  end
  return claimed
end
