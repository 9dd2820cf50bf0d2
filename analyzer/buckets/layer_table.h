// Layers of a recurrence, one a number of buckets, in bounded memory.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
#define SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {

using Layer = std::vector<double>;

/// Makes `after` from `before`, and tells for each element where it came from.
using NextLayer = llvm::function_ref<void(const Layer& before, Layer& after, uint32_t* origin)>;

/// Where each element of each layer came from, for walking back from the last one. Of blocks of
/// layers, only one has its origins in memory; of the others, the layer before each is kept, from
/// which their origins are made again: all layers but those of the last block are computed twice.
class LayerTable {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;

  /// `next` has to give the same again, and to live as long as the table. `most_bytes`: of origins
  /// in memory at a time.
  LayerTable(Layer first, size_t most_layers, NextLayer next, size_t most_bytes = kMostBytes);

  /// Makes one layer more and returns it.
  const Layer& Add();
  size_t count() const { return count_; }

  /// Where the elements of the layer that was added as number `layer`, from 0, came from. To be
  /// asked for from the last one down, when all are added.
  const uint32_t* Origins(size_t layer);

 private:
  uint32_t* Row(size_t layer) { return origins_.get() + ((layer % block_) * last_.size()); }

  NextLayer next_;
  Layer last_;
  Layer spare_;
  size_t block_;  ///< layers in a block
  size_t count_ = 0;
  size_t in_memory_ = 0;  ///< block whose origins are there
  std::unique_ptr<uint32_t[]> origins_;
  std::vector<Layer> begins_;  ///< of each block, the layer before it
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
