// Batches of a chat service: how many rows and how long, planned together. The stream is the one on
// which methods were compared (analyzer/docs/buckets.md).

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "buckets/joint_plan.h"
#include "support/chat_stream.h"

namespace shapewise {
namespace {

/// `most`: cost overhead with 16, 32 and 64 buckets.
void CheckStream(const JointProblem& problem, const std::array<double, 3>& most) {
  Expected<std::vector<JointSet>> sets = PlanJointly(problem, {16, 32, 64});
  REQUIRE(static_cast<bool>(sets));
  const double without = WithoutPadding(problem);
  for (size_t i = 0; i < sets->size(); ++i) {
    const JointSet& set = (*sets)[i];
    CAPTURE(i, set.cost / without - 1, set.cost / set.lower_bound - 1);
    CHECK_FALSE(set.is_coarse);
    CHECK(set.cost / without - 1 <= most.at(i));
    CHECK(set.cost / set.lower_bound - 1 <= 0.01);
  }
}

TEST_CASE("Batches of chat requests: little padding, proven near the best", "[buckets]") {
  // Spread between quantiles, lengths repeat less often than in the trace, and more is padded.
  CheckStream(BatchesOf(ChatLengths(19366), 1), {0.49, 0.28, 0.15});
}

TEST_CASE("Batches of the recorded trace: little padding, proven near the best", "[buckets]") {
  // Read where it is: the trace is not part of this repository.
  const std::vector<int64_t> lengths = LengthsOf("../shared/data/lengths/azure_conv.csv");
  if (lengths.empty()) return;
  for (const uint64_t seed : {1, 2, 3}) {
    CheckStream(BatchesOf(lengths, seed), {0.46, 0.24, 0.12});
  }
}

}  // namespace
}  // namespace shapewise
