// Names of facts and values in rule files.

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "source/fact.h"
#include "source/value.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

/// The name of a bit in a list with one name for each, the lowest first; empty past its end.
std::string_view BitName(uint16_t bit, std::initializer_list<std::string_view> names) {
  const auto index = static_cast<size_t>(std::countr_zero(bit));
  return index < names.size() ? names.begin()[index] : std::string_view();
}

}  // namespace

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
  // Of kOff, the other condition has the name.
  return BitName(static_cast<uint16_t>(condition),
                 {"training", "evaluation", "argument", "dtype", "setting", "raises", "device",
                  "python", "except", "replaced", "input", "uncalled", "once"});
}

std::string_view ValueKindName(ValueKind kind) {
  return EnumName<ValueKind::kOutside>(
      kind, {"unknown", "none", "bool", "int", "float", "text", "tensor", "array", "shape",
             "sequence", "mapping", "module", "object", "class", "function", "method", "outside"});
}

std::string_view TraitName(Trait trait) {
  return BitName(static_cast<uint16_t>(trait),
                 {"from_data", "from_size", "mask", "integers", "one_element", "unknown_size",
                  "stored", "argument", "optional", "constant", "config", "made", "guessed",
                  "sparse_or_nested", "sees_objects", "extra"});
}

}  // namespace shapewise
