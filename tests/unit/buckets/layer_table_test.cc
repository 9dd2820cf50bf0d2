#include "buckets/layer_table.h"

#include <catch2/catch.hpp>
#include <vector>

namespace shapewise {
namespace {

TEST_CASE("Layers that do not fit in memory are computed again, with equal results", "[buckets]") {
  size_t made = 0;
  const auto next = [&made](const Layer& before, Layer& after, uint32_t* origin) {
    ++made;
    for (size_t j = 0; j < after.size(); ++j) {
      const auto from = static_cast<size_t>(before[j]) % after.size();
      origin[j] = static_cast<uint32_t>(from);
      after[j] = before[from] + (3 * before[j]) + static_cast<double>(j);
      while (after[j] > 1000) after[j] -= 1000;
    }
  };
  const Layer first{5, 1, 7, 2, 9};
  constexpr size_t kLayers = 11;
  LayerTable whole(first, kLayers, next);
  for (size_t i = 0; i < kLayers; ++i) whole.Add();
  CHECK(made == kLayers);
  for (const size_t layers_in_memory : {1, 2, 3, 5, 11, 100}) {
    LayerTable table(first, kLayers, next, layers_in_memory * first.size() * sizeof(uint32_t));
    for (size_t i = 0; i < kLayers; ++i) table.Add();
    made = 0;
    for (size_t layer = kLayers; layer-- > 0;) {
      const uint32_t* origin = table.Origins(layer);
      const uint32_t* expected = whole.Origins(layer);
      INFO(layers_in_memory << " layers in memory, layer " << layer);
      CHECK(std::vector(origin, origin + first.size()) ==
            std::vector(expected, expected + first.size()));
    }
    CHECK(made <= kLayers);
  }
}

}  // namespace
}  // namespace shapewise
