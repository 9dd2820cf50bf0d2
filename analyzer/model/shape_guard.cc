#include "model/shape_guard.h"

#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {

std::string_view ShapeGuardKindName(ShapeGuard::Kind kind) {
  return EnumName<ShapeGuard::Kind::kMark>(kind, {"tensor", "relation", "value", "length", "mark"});
}

std::string_view ValueGuardKindName(ValueGuard::Kind kind) {
  return EnumName<ValueGuard::Kind::kOther>(kind, {"constant", "type", "other"});
}

std::vector<std::string_view> ListElements(std::string_view list) {
  std::vector<std::string_view> elements;
  if (list.size() < 2) return elements;
  list = list.substr(1, list.size() - 2);
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && at < list.size())) continue;
    const std::string_view element = Trim(list.substr(begin, at - begin));
    if (!element.empty()) elements.push_back(element);
    begin = at + 1;
  }
  return elements;
}

}  // namespace shapewise
