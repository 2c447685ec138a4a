-- take: one token out of a bucket that fills up by itself, if there is one.
--
-- KEYS[1] bucket  string  the time at which it will be full again, in microseconds since the epoch
--
-- ARGV[1] most     tokens in a full bucket
-- ARGV[2] seconds  in which an empty bucket becomes full
--
-- Returns {taken, left, wait}:
--   taken  1, or 0 if the bucket was empty
--   left   whole tokens that are there now
--   wait   milliseconds until there is another one to take; 0 if there is one now
--
-- The clock is the server's, so that processes with different clocks agree. A full bucket needs no key. (This is
-- the generic cell rate algorithm: one number tells both how many tokens there are and since when.)

return function(keys, args)
  local bucket = keys[1]
  local most, period = tonumber(args[1]), tonumber(args[2]) * 1000000
  local each = period / most

  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local full_at = math.max(tonumber(redis.call('GET', bucket) or now), now)

  local taken = full_at + each - now <= period and 1 or 0
  if taken == 1 then
    full_at = full_at + each
    redis.call('SET', bucket, string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000))
  end
  local left = math.floor((period - (full_at - now)) / each + 0.000001)
  local wait = left >= 1 and 0 or math.ceil((full_at + each - now - period) / 1000)
  return {taken, left, wait}
end
