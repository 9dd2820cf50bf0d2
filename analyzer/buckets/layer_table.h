// Layers of a recurrence, one per number of buckets, in bounded memory.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
#define SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {

using Layer = std::vector<double>;

/// Computes `after` from `before`, with the origin of each element.
using NextLayer = llvm::function_ref<void(const Layer& before, Layer& after, uint32_t* origin)>;

/// The origins of each element of each layer, for backtracking. Only one block of layers has its
/// origins in memory. For the others, the layer before each block is stored, and origins are
/// recomputed from it: all layers except those of the last block are computed twice.
class LayerTable {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;

  /// `next` must be deterministic and outlive the table. `most_bytes`: limit on origins in memory.
  LayerTable(Layer first, size_t most_layers, NextLayer next, size_t most_bytes = kMostBytes);

  /// Adds one layer and returns it.
  const Layer& Add();
  size_t count() const { return count_; }

  /// The origins of the elements of layer `layer` (counted from 0). Call in descending order after
  /// the last Add().
  const uint32_t* Origins(size_t layer);

 private:
  uint32_t* Row(size_t layer) { return origins_.get() + ((layer % block_) * last_.size()); }

  NextLayer next_;
  Layer last_;
  Layer spare_;
  size_t block_;  ///< layers in a block
  size_t count_ = 0;
  size_t in_memory_ = 0;  ///< block whose origins are in memory
  std::unique_ptr<uint32_t[]> origins_;
  std::vector<Layer> begins_;  ///< the layer before each block
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_LAYER_TABLE_H_
