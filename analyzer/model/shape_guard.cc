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

}  // namespace shapewise
