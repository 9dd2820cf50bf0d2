#include "buckets/ladders.h"

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
  std::vector<int64_t> sizes;
  for (const SizeStretch& stretch : ladder->stretches) {
    for (int64_t size = stretch.first; size <= stretch.last; size += stretch.step) {
      sizes.push_back(size);
    }
  }
  CHECK(sizes.size() == ladder->Count());
  return sizes;
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

TEST_CASE("Ladders contain the sizes that follow from their rules") {
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

TEST_CASE("The size of a ladder that serves a call is the one that a search of the list finds") {
  for (const std::string& name : LadderNames()) {
    Expected<SizeLadder> ladder = LadderOf(name, 5000);
    REQUIRE(static_cast<bool>(ladder));
    const std::vector<int64_t> sizes = Ladder(name, 5000);
    for (int64_t size = 0; size <= sizes.back(); ++size) {
      const std::optional<int64_t> found = ladder->AtLeast(size);
      if (found != *std::ranges::lower_bound(sizes, size)) FAIL(name << " at " << size);
    }
    CHECK(!ladder->AtLeast(sizes.back() + 1));
  }
}

TEST_CASE("The work for a ladder does not grow with its largest size") {
  for (const std::string& name : LadderNames()) {
    Expected<SizeLadder> ladder = LadderOf(name, 2'000'000'000);
    REQUIRE(static_cast<bool>(ladder));
    CHECK(ladder->stretches.size() < 250);
    const std::optional<int64_t> found = ladder->AtLeast(2'000'000'000);
    REQUIRE(found);
    CHECK(*found == ladder->stretches.back().last);
  }
}

// The rule of vllm-gaudi written down plainly, size by size.
std::vector<int64_t> PlainGaudiPadding(int64_t max) {
  const int64_t top = (max + 127) / 128 * 128;
  const int64_t most = (top + 3) / 4;
  std::vector<int64_t> sizes = {128};
  for (int64_t size = 256; size < top; size += 128) {
    const int64_t next = size + 128;
    const int64_t padding = next - sizes.back() - 1;
    if (size == 256 || 4 * padding > next || padding > most || size % most == 0) {
      sizes.push_back(size);
    }
  }
  if (sizes.back() != top) sizes.push_back(top);
  return sizes;
}

TEST_CASE("Padding-aware buckets of Gaudi are those of the rule written down plainly") {
  for (int64_t max = 1; max < 200'000; max += max < 5000 ? 1 : 977) {
    if (Ladder("gaudi-pad", max) != PlainGaudiPadding(max)) FAIL("largest size " << max);
  }
}

TEST_CASE("A ladder that is not known is answered with the nearest") {
  Expected<SizeLadder> ladder = LadderOf("vlm", 100);
  REQUIRE(!static_cast<bool>(ladder));
  CHECK(llvm::toString(ladder.takeError()) == "no ladder 'vlm'; did you mean 'vllm'?");
}

}  // namespace
}  // namespace shapewise
