#include "shapewise/result/guard_report.h"

namespace shapewise {

std::string_view SizeVerdictName(SizeVerdict verdict) {
  switch (verdict) {
    case SizeVerdict::kFree:
      return "free";
    case SizeVerdict::kDivisible:
      return "divisible";
    case SizeVerdict::kBounded:
      return "bounded";
    case SizeVerdict::kRestricted:
      return "restricted";
    case SizeVerdict::kPinned:
      return "pinned";
    case SizeVerdict::kUnknown:
      return "unknown";
  }
  return {};
}

std::string_view GuardedKindName(GuardedKind kind) {
  switch (kind) {
    case GuardedKind::kSize:
      return "size";
    case GuardedKind::kStride:
      return "stride";
    case GuardedKind::kInt:
      return "int";
    case GuardedKind::kLength:
      return "length";
    case GuardedKind::kOther:
      return "other";
  }
  return {};
}

std::string_view PinnedByName(PinnedBy by) {
  switch (by) {
    case PinnedBy::kNothing:
      return {};
    case PinnedBy::kStatic:
      return "static";
    case PinnedBy::kSpecialization:
      return "specialization";
    case PinnedBy::kRelations:
      return "relations";
  }
  return {};
}

}  // namespace shapewise
