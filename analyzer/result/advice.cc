#include "shapewise/result/advice.h"

namespace shapewise {

std::string_view PasteAtName(PasteAt at) {
  switch (at) {
    case PasteAt::kByHand:
      return {};
    case PasteAt::kEnvironment:
      return "environment";
    case PasteAt::kConfig:
      return "config";
    case PasteAt::kCompileCall:
      return "compile_call";
    case PasteAt::kBeforeCall:
      return "before_call";
    case PasteAt::kDecorator:
      return "decorator";
  }
  return {};
}

std::string_view SavingBasisName(SavingBasis basis) {
  switch (basis) {
    case SavingBasis::kNone:
      return {};
    case SavingBasis::kEstimated:
      return "estimated";
    case SavingBasis::kSimulated:
      return "simulated";
  }
  return {};
}

}  // namespace shapewise
