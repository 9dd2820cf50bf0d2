#include "shapewise/buckets/ladders.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

namespace shapewise {
namespace {

std::vector<int64_t> Ladder(std::string_view name, int64_t max) {
  Expected<SizeLadder> ladder = LadderOf(name, max);
  REQUIRE(static_cast<bool>(ladder));
  CHECK(ladder->name == name);
  CHECK(!ladder->source.empty());
  return ladder->sizes;
}

TEST_CASE("Every ladder ascends to the first size of at least the largest call") {
  const std::vector<std::string> names = LadderNames();
  CHECK(std::ranges::is_sorted(names));
  for (const std::string& name : names) {
    for (const int64_t max : {1, 2, 7, 8, 33, 127, 128, 129, 512, 4096, 14056, 131072}) {
      CAPTURE(name, max);
      const std::vector<int64_t> sizes = Ladder(name, max);
      REQUIRE(!sizes.empty());
      CHECK(std::ranges::adjacent_find(sizes, std::ranges::greater_equal()) == sizes.end());
      CHECK(sizes.back() >= max);
      if (sizes.size() > 1) CHECK(sizes[sizes.size() - 2] < max);
    }
  }
}

// Counts that the projects themselves name: 51 sizes to 512 in vLLM, 36 to 256 and 52 to 512 in
// SGLang.
TEST_CASE("Ladders have as many sizes as their projects say") {
  CHECK(Ladder("vllm", 512).size() == 51);
  CHECK(Ladder("sglang", 256).size() == 36);
  CHECK(Ladder("sglang", 512).size() == 52);
  // 1, 2, 4, sixteen multiples of 8 to 128, then 192 ... 14080.
  CHECK(Ladder("trtllm-64", 14056).size() == 237);
}

TEST_CASE("Ladders hold the sizes that follow from their rules") {
  using List = std::vector<int64_t>;
  CHECK(Ladder("vllm", 20) == List{1, 2, 4, 8, 16, 24});
  CHECK(Ladder("vllm", 260) == [] {
    List sizes = {1, 2, 4};
    for (int64_t size = 8; size <= 256; size += 8) sizes.push_back(size);
    sizes.push_back(272);
    return sizes;
  }());
  CHECK(Ladder("sglang", 24) == List{1, 2, 4, 8, 12, 16, 24});
  CHECK(Ladder("sglang-prefill", 60) == List{4, 8, 12, 16, 20, 24, 28, 32, 48, 64});
  CHECK(Ladder("trtllm", 600) == List{1,  2,  4,  8,  16,  24,  32,  40,  48,  56,  64,
                                      72, 80, 88, 96, 104, 112, 120, 128, 256, 512, 1024});
  // 128 * 16^(i/10), rounded up to 128, each once.
  CHECK(Ladder("gaudi", 2048) == List{128, 256, 384, 512, 768, 896, 1280, 1664, 2048});
  CHECK(Ladder("gaudi-linear", 300) == List{128, 256, 384});
  // 896 is left out: from 768 a call is padded to 1024 by at most 255 of 1024, less than a quarter.
  CHECK(Ladder("gaudi-pad", 1024) == List{128, 256, 384, 512, 640, 768, 1024});
  // 1536 is kept for being a multiple of a quarter of the largest.
  CHECK(Ladder("gaudi-pad", 2048) == List{128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 2048});
  CHECK(Ladder("pow2", 5) == List{1, 2, 4, 8});
  CHECK(Ladder("tpu", 100) == List{16, 32, 64, 128});
  CHECK(Ladder("tpu-gap", 150) == List{16, 32, 64, 128, 192});
  CHECK(Ladder("tensor2tensor", 24) ==
        List{8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24});
}

TEST_CASE("A ladder that is not known is answered with the nearest") {
  Expected<SizeLadder> ladder = LadderOf("vlm", 100);
  REQUIRE(!static_cast<bool>(ladder));
  CHECK(llvm::toString(ladder.takeError()) == "no ladder 'vlm'; did you mean 'vllm'?");
}

}  // namespace
}  // namespace shapewise
