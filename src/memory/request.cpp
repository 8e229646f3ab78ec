#include "memory/request.h"

#include "base/error.h"

namespace duet::memory {

RequestPool::RequestPool(std::shared_ptr<Directory> directory)
    : directory_(std::move(directory)), chunks_(directory_->chunks.data()) {
  directory_->parts.push_back(this);
}

RequestPool::RequestPool() : RequestPool(std::make_shared<Directory>()) {}

RequestPool::RequestPool(RequestPool* other)
    : RequestPool(other == nullptr ? std::make_shared<Directory>() : other->directory_) {}

RequestPool::~RequestPool() { std::erase(directory_->parts, this); }

// The numbers of a part depend on the order of the calls; nothing depends on the numbers.
void RequestPool::grow() {
  const std::lock_guard lock(directory_->growing);
  const std::size_t chunk = directory_->chunks.size();
  if (chunk == kMostChunks)
    throw Error("more than " + std::to_string(kMostChunks * kChunk) + " requests to memory at a time");
  directory_->chunks.push_back(std::make_unique<Request[]>(kChunk));
  directory_->owners.push_back(this);
  for (std::size_t i = kChunk; i-- > 0;) free_.push_back(static_cast<RequestHandle>(chunk * kChunk + i));
}

}  // namespace duet::memory
