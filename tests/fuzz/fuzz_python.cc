// Fuzzes the outline of Python files, and the reader of their parts. The law: every byte belongs to
// one part, every place of a tree lies in its part, and nothing crashes, hangs or nests without
// bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/python_tree_text.h"
#include "syntax/outline.h"
#include "syntax/parse_unit.h"

namespace shapewise {
namespace {

void CheckUnit(std::string_view text, llvm::ArrayRef<FileSpan> ranges) {
  TreeArena arena;
  const ParsedUnit unit = ParseUnit(text, ranges, arena);
  const size_t size = ranges.back().end - ranges.front().begin;
  for (const Stmt* stmt : unit.body) {
    if (stmt->span.begin > stmt->span.end || stmt->span.end > size) std::abort();
  }
  for (const SyntaxFault& fault : unit.faults) {
    if (fault.span.begin > size) std::abort();
  }
  TreeText(unit.body, true);
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const shapewise::Outline outline = shapewise::OutlinePython(text);
  std::vector<uint8_t> owners(size, 0);
  const auto own = [&](llvm::ArrayRef<shapewise::FileSpan> spans) {
    for (const shapewise::FileSpan& span : spans) {
      if (span.begin >= span.end || span.end > size) std::abort();
      for (size_t i = span.begin; i < span.end; ++i) {
        if (owners[i]++ != 0) std::abort();
      }
    }
  };
  for (const shapewise::OutlinedFunction& function : outline.functions) {
    own(function.span);
    shapewise::CheckUnit(text, function.span);
  }
  for (const shapewise::OutlinedClass& outlined : outline.classes) {
    own(outlined.own);
    shapewise::CheckUnit(text, outlined.own);
  }
  own(outline.module);
  if (!outline.module.empty()) shapewise::CheckUnit(text, outline.module);
  for (const uint8_t count : owners) {
    if (count != 1) std::abort();
  }
  if (size > 0) shapewise::CheckUnit(text, shapewise::FileSpan{0, size});
  return 0;
}
