// Names of facts and values in rule files.

#include <string_view>

#include "shapewise/source/fact.h"
#include "shapewise/source/value.h"

namespace shapewise {

std::string_view FactKindName(FactKind kind) {
  switch (kind) {
    case FactKind::kCall:
      return "call";
    case FactKind::kTruth:
      return "truth";
    case FactKind::kNumber:
      return "number";
    case FactKind::kIterate:
      return "iterate";
    case FactKind::kIndex:
      return "index";
    case FactKind::kStoreIndex:
      return "store_index";
    case FactKind::kStoreAttribute:
      return "store_attribute";
    case FactKind::kStoreGlobal:
      return "store_global";
    case FactKind::kReadAttribute:
      return "read_attribute";
    case FactKind::kEnter:
      return "enter";
    case FactKind::kText:
      return "text";
    case FactKind::kTry:
      return "try";
    case FactKind::kYield:
      return "yield";
    case FactKind::kClass:
      return "class";
    case FactKind::kImport:
      return "import";
    case FactKind::kArithmetic:
      return "arithmetic";
    case FactKind::kAssert:
      return "assert";
  }
  return {};
}

std::string_view FactUseName(FactUse use) {
  switch (use) {
    case FactUse::kNone:
      return "none";
    case FactUse::kIf:
      return "if";
    case FactUse::kWhile:
      return "while";
    case FactUse::kConditional:
      return "conditional";
    case FactUse::kAnd:
      return "and";
    case FactUse::kNot:
      return "not";
    case FactUse::kAssert:
      return "assert";
    case FactUse::kComprehension:
      return "comprehension";
    case FactUse::kCompare:
      return "compare";
    case FactUse::kSlice:
      return "slice";
    case FactUse::kSize:
      return "size";
    case FactUse::kRange:
      return "range";
    case FactUse::kListIndex:
      return "list_index";
    case FactUse::kMath:
      return "math";
    case FactUse::kFor:
      return "for";
    case FactUse::kUnpack:
      return "unpack";
    case FactUse::kMatch:
      return "match";
  }
  return {};
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
    case RunCondition::kOff:
      break;  // the condition beside it has the name
  }
  return {};
}

std::string_view ValueKindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kUnknown:
      return "unknown";
    case ValueKind::kNone:
      return "none";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int";
    case ValueKind::kFloat:
      return "float";
    case ValueKind::kText:
      return "text";
    case ValueKind::kTensor:
      return "tensor";
    case ValueKind::kArray:
      return "array";
    case ValueKind::kShape:
      return "shape";
    case ValueKind::kSequence:
      return "sequence";
    case ValueKind::kMapping:
      return "mapping";
    case ValueKind::kModule:
      return "module";
    case ValueKind::kObject:
      return "object";
    case ValueKind::kClass:
      return "class";
    case ValueKind::kFunction:
      return "function";
    case ValueKind::kMethod:
      return "method";
    case ValueKind::kOutside:
      return "outside";
  }
  return {};
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
