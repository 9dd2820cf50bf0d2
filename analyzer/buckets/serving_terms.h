// The prices of graphs and the costs of calls in every mode, given or assumed.

#ifndef SHAPEWISE_BUCKETS_SERVING_TERMS_H_
#define SHAPEWISE_BUCKETS_SERVING_TERMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "buckets/plan_buckets.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Fixed for a plan; one dim where sizes are passed.
class ServingTerms {
 public:
  /// `dims`, `rows`: of the calls. Keeps a reference.
  ServingTerms(const PlanOptions& options, size_t dims, int64_t rows);

  bool IsInSeconds() const { return options_.cost.IsInSeconds(); }

  /// The price of one static graph with its bucket, in seconds: compiling, plus capturing if
  /// captures are used.
  double BucketPrice() const { return compile_ + capture_; }
  double DynamicPrice() const { return dynamic_compile_; }
  double CapturePrice() const { return capture_; }

  /// The compile time of graphs, with its origin.
  CompilePrice StaticCompile() const;
  CompilePrice DynamicCompile() const;

  /// Whether the cost of a mode is known or can be assumed.
  bool Knows(ServingKind kind) const;
  /// Whether that cost is an assumption.
  bool IsAssumed(ServingKind kind) const;
  /// The cost of one call of `sizes` in a mode without padding, or of one capture at `sizes`.
  double CallCost(ServingKind kind, const Sizes& sizes) const;

  /// The number of graphs that fit in memory, if given: static, dynamic and captured ones.
  std::optional<size_t> GraphsInMemory() const;

  /// The assumptions, one sentence each.
  std::vector<std::string> Assumptions() const;

 private:
  const PlanOptions& options_;
  size_t dims_;
  int64_t rows_;
  double compile_ = 30;
  double dynamic_compile_ = 45;
  double capture_ = 0;
  double dynamic_slowdown_ = 0.1;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_SERVING_TERMS_H_
