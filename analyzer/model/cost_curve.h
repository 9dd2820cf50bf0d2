// Measured costs of calls by size.

#ifndef SHAPEWISE_MODEL_COST_CURVE_H_
#define SHAPEWISE_MODEL_COST_CURVE_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace shapewise {

/// One timed size, in seconds per call.
struct CostPoint {
  int64_t size = 0;
  double seconds = 0;               ///< of a graph compiled for exactly this size
  std::optional<double> dynamic{};  ///< of one graph for all sizes
  std::optional<double> aligned{};  ///< of one that knows that sizes are multiples of the alignment
  std::optional<double> captured{};  ///< of a CUDA graph captured at this size
  std::optional<double> eager{};     ///< without compiling
  std::optional<double> spread{};    ///< relative error of all of these
};

/// Timed sizes, ascending and distinct.
struct CostCurve {
  std::vector<CostPoint> points;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COST_CURVE_H_
