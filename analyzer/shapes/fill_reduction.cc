#include "shapes/fill.h"

namespace shapewise {
namespace {

using Kind = Fill::Kind;

Fill ReduceKinds(Reduction reduction, const Fill& fill) {
  switch (reduction) {
    case Reduction::kSum:
      if (fill.IsNumber(0) || fill.IsVeryLow()) {
        return fill.IsNumber(0) ? fill : Fill::Of(Kind::kVeryLow);
      }
      if (fill.IsPositive()) return Fill::Of(Kind::kPositive);
      if (fill.IsNegative()) return Fill::Of(Kind::kNegative);
      if (fill.IsNonNegative()) return Fill::Of(Kind::kNonNegative);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kMean:
    case Reduction::kMax:
    case Reduction::kMin:
    case Reduction::kAny:
    case Reduction::kAll:
    case Reduction::kMedian:
      return fill;
    case Reduction::kProduct:
      if (fill.IsNumber(0) || fill.IsNumber(1)) return fill;
      if (fill.IsPositive()) return Fill::Of(Kind::kPositive);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kArgMax:
    case Reduction::kArgMin:
      return Fill::Of(Kind::kNonNegative);
    case Reduction::kLogSumExp:
      if (fill.IsVeryLow()) return Fill::Of(Kind::kVeryLow);
      return Fill::Of(fill.IsFinite() ? Kind::kFinite : Kind::kAny);
    case Reduction::kVariance:
      return Fill::Of(fill.IsFinite() ? Kind::kNonNegative : Kind::kAny);
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      if (fill.IsNumber(0)) return fill;
      return Fill::Of(fill.IsFinite() ? Kind::kNonNegative : Kind::kAny);
  }
  return Fill::Of(Kind::kAny);
}

}  // namespace

Fill Reduce(Reduction reduction, const Fill& fill) {
  Fill result = ReduceKinds(reduction, fill);
  if (fill.is_real && fill.kind != Kind::kNumber) result = AsReal(result);
  result.is_bound = result.kind != Kind::kNumber && fill.is_bound;
  result.has_low = result.kind != Kind::kNumber && fill.MayBeLow();
  result.lines = 0;
  return result;
}

bool IsNeutral(Reduction reduction, const Fill& fill, const Fill& real) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAny:
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      return fill.IsNumber(0);
    case Reduction::kProduct:
    case Reduction::kAll:
      return fill.IsNumber(1);
    case Reduction::kMax:
      return fill.IsVeryLow() || (fill.IsNumber(0) && real.IsNonNegative());
    case Reduction::kArgMax:
      return fill.IsVeryLow() || (fill.IsNumber(0) && real.IsPositive());
    case Reduction::kMin:
    case Reduction::kArgMin:
      return fill.kind == Kind::kNumber && fill.number >= -kVeryLowNumber;
    case Reduction::kLogSumExp:
      return fill.IsVeryLow();
    case Reduction::kMean:
    case Reduction::kVariance:
    case Reduction::kMedian:
      return false;
  }
  return false;
}

const char* NeutralText(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kNorm:
    case Reduction::kCountNonzero:
      return "0";
    case Reduction::kAny:
      return "False";
    case Reduction::kAll:
      return "True";
    case Reduction::kProduct:
      return "1";
    case Reduction::kMax:
    case Reduction::kArgMax:
    case Reduction::kLogSumExp:
      return "-inf";
    case Reduction::kMin:
    case Reduction::kArgMin:
      return "inf";
    case Reduction::kMean:
    case Reduction::kVariance:
    case Reduction::kMedian:
      return nullptr;
  }
  return nullptr;
}

}  // namespace shapewise
