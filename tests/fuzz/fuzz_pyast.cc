// Fuzzes the parser of Python. The law: a text has one tree, by whichever parser and after whatever
// other text; every node lies within the one above it, decorators apart; no tree is higher than
// kMaxHeight; time is linear in the text.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pyast/parser.h"
#include "support/pyast_dump.h"

namespace shapewise::pyast {
namespace {

void CheckTree(const Node& node);

/// Checks the nodes of one field of a node.
struct FieldChecker {
  const Node& parent;

  void CheckChild(const char* name, const Node* child) const {
    if (child == nullptr) return;
    const bool is_within =
        child->span.begin >= parent.span.begin && child->span.end <= parent.span.end;
    if (!is_within && std::string_view(name) != "decorator_list") std::abort();
    if (child->span.begin > child->span.end || child->height >= parent.height) std::abort();
    CheckTree(*child);
  }
  template <typename T>
  void operator()(const char* name, const T& field) const {
    if constexpr (std::is_convertible_v<T, const Node*>) {
      CheckChild(name, field);
    } else if constexpr (requires { CheckChild(name, *field.begin()); }) {
      for (const Node* child : field) CheckChild(name, child);
    }
  }
};

void CheckTree(const Node& node) {
  if (node.height > kMaxHeight + 1) std::abort();
  VisitNode(node, [](const auto& own) { VisitFields(own, FieldChecker{own}); });
}

std::string DumpOf(Parser& parser, std::string_view text) {
  const Module* const module = parser.ParseModule(text);
  if (module->span.end != text.size()) std::abort();
  CheckTree(*module);
  std::string dump;
  Dump(module, dump);
  return dump;
}

}  // namespace
}  // namespace shapewise::pyast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shapewise::pyast;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  llvm::BumpPtrAllocator arena;
  Parser parser(arena);
  const std::string dump = DumpOf(parser, text);
  parser.ParseModule(text.substr(0, size / 2));
  parser.ParseExpression(text);
  if (DumpOf(parser, text) != dump) std::abort();
  Parser printed(arena, {.is_printed = true});
  DumpOf(printed, text);
  size_t end = 0;
  if (printed.ParseFirst(text, end) != nullptr && end > size) std::abort();
  return 0;
}
