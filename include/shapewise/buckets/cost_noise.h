// How far measured costs may be trusted.

#ifndef SHAPEWISE_BUCKETS_COST_NOISE_H_
#define SHAPEWISE_BUCKETS_COST_NOISE_H_

#include "shapewise/model/cost_curve.h"

namespace shapewise {

/// By what share measured costs may be off.
struct CostNoise {
  double share = 0;      ///< 0.06: to 6 %; 0: nothing speaks against them
  bool is_told = false;  ///< whoever measured says so; else estimated from costs that fall
};

/// The median of the spreads that the points tell. Where none does: a call of a larger size does
/// not take less time, so that for each way to run it the closest curve that nowhere falls is laid
/// through the logarithms of its costs (least squares), and the largest distance of a point from it
/// is the least that costs are off by, of 100 % at most. Falls of 1 % and less count for nothing.
CostNoise NoiseOf(const CostCurve& curve);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_COST_NOISE_H_
