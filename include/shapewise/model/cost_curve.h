// What calls of a size were measured to cost.

#ifndef SHAPEWISE_MODEL_COST_CURVE_H_
#define SHAPEWISE_MODEL_COST_CURVE_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace shapewise {

/// One size that was timed; seconds a call.
struct CostPoint {
  int64_t size = 0;
  double seconds = 0;                ///< of a graph compiled for this very size
  std::optional<double> dynamic{};   ///< of one graph that serves all sizes
  std::optional<double> aligned{};   ///< of one that knows sizes to be multiples of the alignment
  std::optional<double> captured{};  ///< of a CUDA graph captured at this size
  std::optional<double> eager{};     ///< without compiling
  std::optional<double> spread{};    ///< a share: all of these may be off by so much
};

/// Timed sizes, ascending, each once.
struct CostCurve {
  std::vector<CostPoint> points;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COST_CURVE_H_
