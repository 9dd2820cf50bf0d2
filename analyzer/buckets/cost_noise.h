// Estimates how reliable measured costs are.

#ifndef SHAPEWISE_BUCKETS_COST_NOISE_H_
#define SHAPEWISE_BUCKETS_COST_NOISE_H_

#include "model/cost_curve.h"

namespace shapewise {

/// The relative error of measured costs.
struct CostNoise {
  double share = 0;          ///< 0.06: up to 6 %; 0: no sign of any error
  bool is_reported = false;  ///< given with the measurements; else estimated from costs that fall
};

/// Returns the median of the spreads given with the points. If none are given, the estimate rests
/// on the fact that a larger call does not take less time: a monotone curve is fitted to the
/// logarithms of the costs of each mode (least squares), and the largest distance of a point from
/// it is a lower bound of the error, at most 100 %. Falls of up to 1 % are ignored.
CostNoise NoiseOf(const CostCurve& curve);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_COST_NOISE_H_
