#include "shapewise/model/shape_guard.h"

namespace shapewise {

std::string_view ShapeGuardKindName(ShapeGuard::Kind kind) {
  switch (kind) {
    case ShapeGuard::Kind::kTensor:
      return "tensor";
    case ShapeGuard::Kind::kRelation:
      return "relation";
    case ShapeGuard::Kind::kValue:
      return "value";
    case ShapeGuard::Kind::kLength:
      return "length";
    case ShapeGuard::Kind::kMark:
      return "mark";
  }
  return {};
}

std::string_view ValueGuardKindName(ValueGuard::Kind kind) {
  switch (kind) {
    case ValueGuard::Kind::kConstant:
      return "constant";
    case ValueGuard::Kind::kType:
      return "type";
    case ValueGuard::Kind::kOther:
      return "other";
  }
  return {};
}

}  // namespace shapewise
