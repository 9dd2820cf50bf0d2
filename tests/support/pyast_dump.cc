#include "support/pyast_dump.h"

#include <type_traits>

namespace shapewise::pyast {
namespace {

// CPython's names, by Kind, Operator and ConstantKind.
constexpr std::string_view kKindNames[] = {
#define FIELD(Type, name)
#define NODE(Name, PythonName, Base, fields) PythonName,
#include "pyast/nodes.def"
};

constexpr std::string_view kOperatorNames[] = {
    "And",    "Or",    "Add",    "Sub",    "Mult",     "MatMult", "Div",   "Mod",  "Pow",  "LShift",
    "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv", "Invert",  "Not",   "UAdd", "USub", "Eq",
    "NotEq",  "Lt",    "LtE",    "Gt",     "GtE",      "Is",      "IsNot", "In",   "NotIn"};

constexpr std::string_view kConstantNames[] = {"None",  "True",    "False", "Ellipsis", "int",
                                               "float", "complex", "str",   "bytes"};

void DumpText(std::string_view value, std::string& text) {
  text += '"';
  for (const char c : value) {
    if (c > ' ' && c <= '~' && c != '\\' && c != '"') {
      text += c;
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      text += '\\';
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  text += '"';
}

bool HasPlace(const Node& node) {
  return node.kind != Kind::kModule && node.kind != Kind::kArguments &&
         node.kind != Kind::kComprehension && node.kind != Kind::kWithItem &&
         node.kind != Kind::kMatchCase;
}

template <typename T>
void DumpValue(const T& value, std::string& text) {
  if constexpr (std::is_convertible_v<T, const Node*>) {
    Dump(value, text);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    DumpText(value, text);
  } else if constexpr (std::is_same_v<T, Operator>) {
    text += kOperatorNames[static_cast<size_t>(value)];
  } else if constexpr (std::is_same_v<T, ConstantKind>) {
    text += kConstantNames[static_cast<size_t>(value)];
  } else if constexpr (std::is_same_v<T, int>) {
    text += std::to_string(value);
  } else {
    text += '[';
    for (const auto& part : value) {
      if (text.back() != '[') text += ' ';
      DumpValue(part, text);
    }
    text += ']';
  }
}

}  // namespace

void Dump(const Node* node, std::string& text) {
  if (node == nullptr) {
    text += '_';
    return;
  }
  text += '(';
  text += kKindNames[static_cast<size_t>(node->kind)];
  if (HasPlace(*node)) {
    text += '@' + std::to_string(node->span.begin) + '-' + std::to_string(node->span.end);
  }
  VisitNode(*node, [&](const auto& own) {
    VisitFields(own, [&](const char* /*name*/, const auto& value) {
      text += ' ';
      DumpValue(value, text);
    });
  });
  text += ')';
}

}  // namespace shapewise::pyast
