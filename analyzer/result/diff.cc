#include "shapewise/result/diff.h"

namespace shapewise {

std::string_view RunVerdictName(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kSame:
      return "same";
    case RunVerdict::kBetter:
      return "better";
    case RunVerdict::kWorse:
      return "worse";
    case RunVerdict::kMixed:
      return "mixed";
  }
  return {};
}

std::string_view MatchedByName(MatchedBy matched_by) {
  switch (matched_by) {
    case MatchedBy::kFingerprint:
      return "fingerprint";
    case MatchedBy::kSource:
      return "source";
    case MatchedBy::kMovedFile:
      return "moved-file";
    case MatchedBy::kRenamedFunction:
      return "renamed-function";
    case MatchedBy::kWording:
      return "wording";
    case MatchedBy::kPlace:
      return "place";
    case MatchedBy::kFunction:
      return "function";
  }
  return {};
}

}  // namespace shapewise
