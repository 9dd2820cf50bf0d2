// Names of facts and values in rule files.

#include <string_view>

#include "source/fact.h"
#include "source/value.h"
#include "support/enum_name.h"

namespace shapewise {

std::string_view FactKindName(FactKind kind) {
  return EnumName<FactKind::kAssert>(
      kind, {"call", "truth", "number", "iterate", "index", "store_index", "store_attribute",
             "store_global", "read_attribute", "enter", "text", "try", "yield", "class", "import",
             "arithmetic", "assert"});
}

std::string_view FactUseName(FactUse use) {
  return EnumName<FactUse::kMatch>(
      use, {"none", "if", "while", "conditional", "and", "not", "assert", "comprehension",
            "compare", "slice", "size", "range", "list_index", "math", "for", "unpack", "match"});
}

std::string_view RunConditionName(RunCondition condition) {
  switch (condition) {
    case RunCondition::kTraining:
      return "training";
    case RunCondition::kEvaluation:
      return "evaluation";
    case RunCondition::kArgument:
      return "argument";
    case RunCondition::kDtype:
      return "dtype";
    case RunCondition::kSetting:
      return "setting";
    case RunCondition::kRaises:
      return "raises";
    case RunCondition::kDevice:
      return "device";
    case RunCondition::kPython:
      return "python";
    case RunCondition::kExcept:
      return "except";
    case RunCondition::kReplaced:
      return "replaced";
    case RunCondition::kInput:
      return "input";
    case RunCondition::kUncalled:
      return "uncalled";
    case RunCondition::kOnce:
      return "once";
    case RunCondition::kOff:
      break;  // the other condition has the name
  }
  return {};
}

std::string_view ValueKindName(ValueKind kind) {
  return EnumName<ValueKind::kOutside>(
      kind, {"unknown", "none", "bool", "int", "float", "text", "tensor", "array", "shape",
             "sequence", "mapping", "module", "object", "class", "function", "method", "outside"});
}

std::string_view TraitName(Trait trait) {
  switch (trait) {
    case Trait::kFromData:
      return "from_data";
    case Trait::kFromSize:
      return "from_size";
    case Trait::kMask:
      return "mask";
    case Trait::kIntegers:
      return "integers";
    case Trait::kOneElement:
      return "one_element";
    case Trait::kUnknownSize:
      return "unknown_size";
    case Trait::kStored:
      return "stored";
    case Trait::kArgument:
      return "argument";
    case Trait::kOptional:
      return "optional";
    case Trait::kConstant:
      return "constant";
    case Trait::kConfig:
      return "config";
    case Trait::kMade:
      return "made";
    case Trait::kGuessed:
      return "guessed";
    case Trait::kSparseOrNested:
      return "sparse_or_nested";
    case Trait::kSeesObjects:
      return "sees_objects";
    case Trait::kExtra:
      return "extra";
  }
  return {};
}

}  // namespace shapewise
