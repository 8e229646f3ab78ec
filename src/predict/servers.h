// Servers: they take requests one after the other.
//   Server port;
//   const double start = port.take(now, 4);    at `now` or when earlier ones are done; it is taken for 4
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace duet::predict {

struct Server {
  double free = 0, busy = 0;

  double take(double now, double time) {
    const double start = std::max(now, free);
    free = start + time;
    busy += time;
    return start;
  }
};

// The same for requests out of the order of their times: an earlier request takes earlier free cycles. The
// server keeps the number of taken cycles in every kBucket cycles, up to kBuckets back and ahead.
class OpenServer {
 public:
  double busy = 0;

  double take(double now, double time) {
    busy += time;
    if (time <= 0) return now;
    auto bucket = static_cast<std::int64_t>(now / kBucket);
    if (bucket >= full_from_ && bucket < full_until_) bucket = full_until_;
    const std::int64_t first = bucket;
    while (used(bucket) >= kBucket) ++bucket;
    if (bucket != first) {
      if (first != full_until_) full_from_ = first;
      full_until_ = bucket;
    }
    const double start = std::max(now, static_cast<double>(bucket) * kBucket + used(bucket));
    for (; time > 0; ++bucket) {
      double& own = used(bucket);
      const double part = std::min(time, std::max(kBucket - own, 0.0));
      own += part;
      time -= part;
    }
    return start;
  }

 private:
  static constexpr double kBucket = 8;
  static constexpr std::size_t kBuckets = 2048;
  struct Bucket {
    std::int64_t number = -1;
    double used = 0;
  };
  double& used(std::int64_t number) {
    Bucket& bucket = buckets_[static_cast<std::size_t>(number) % kBuckets];
    if (bucket.number != number) bucket = {number, 0};
    return bucket.used;
  }
  std::vector<Bucket> buckets_ = std::vector<Bucket>(kBuckets);
  std::int64_t full_from_ = 0, full_until_ = 0;  // all buckets between them are full
};

}  // namespace duet::predict
