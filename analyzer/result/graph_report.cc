#include "shapewise/result/graph_report.h"

namespace shapewise {

std::string_view PaddingVerdictName(PaddingVerdict verdict) {
  switch (verdict) {
    case PaddingVerdict::kSafe:
      return "safe";
    case PaddingVerdict::kMasked:
      return "masked";
    case PaddingVerdict::kUnsafe:
      return "unsafe";
    case PaddingVerdict::kUnknown:
      return "unknown";
  }
  return "";
}

}  // namespace shapewise
