#include "buckets/layer_table.h"

#include <algorithm>
#include <utility>

namespace shapewise {
LayerTable::LayerTable(Layer first, size_t most_layers, NextLayer next, size_t most_bytes)
    : next_(next),
      last_(std::move(first)),
      spare_(last_.size()),
      block_(std::clamp(most_bytes / sizeof(uint32_t) / last_.size(), size_t{1},
                        std::max(most_layers, size_t{1}))),
      origins_(std::make_unique_for_overwrite<uint32_t[]>(block_ * last_.size())) {}

const Layer& LayerTable::Add() {
  if (count_ % block_ == 0) begins_.push_back(last_);
  in_memory_ = count_ / block_;
  next_(last_, spare_, Row(count_));
  std::swap(last_, spare_);
  ++count_;
  return last_;
}

const uint32_t* LayerTable::Origins(size_t layer) {
  if (layer / block_ != in_memory_) {
    in_memory_ = layer / block_;
    last_ = begins_[in_memory_];
    for (size_t again = in_memory_ * block_; again <= layer; ++again) {
      next_(last_, spare_, Row(again));
      std::swap(last_, spare_);
    }
  }
  return Row(layer);
}

}  // namespace shapewise
