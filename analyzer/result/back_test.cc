#include "shapewise/result/back_test.h"

namespace shapewise {

std::string_view BackTestVerdictName(BackTestVerdict verdict) {
  switch (verdict) {
    case BackTestVerdict::kEqual:
      return "equal";
    case BackTestVerdict::kLowerBound:
      return "lower_bound";
    case BackTestVerdict::kDiffers:
      return "differs";
    case BackTestVerdict::kNotLogged:
      return "not_logged";
    case BackTestVerdict::kUnmodelled:
      return "unmodelled";
  }
  return "";
}

std::string_view HistoryOriginName(HistoryOrigin origin) {
  switch (origin) {
    case HistoryOrigin::kCalls:
      return "calls";
    case HistoryOrigin::kCompiles:
      return "compiles";
    case HistoryOrigin::kMisses:
      return "misses";
    case HistoryOrigin::kNone:
      return "none";
  }
  return "";
}

}  // namespace shapewise
