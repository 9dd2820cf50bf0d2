#include "check/skipped_code.h"

#include "llvm/ADT/ArrayRef.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

void AddAfter(llvm::ArrayRef<const Stmt*> block, uint32_t place, bool is_after_loop,
              llvm::SmallVector<ByteSpan, 4>& spans) {
  for (const Stmt* stmt : block) {
    if (place < stmt->span.begin || place >= stmt->span.end) continue;
    const bool is_loop = stmt->kind == StmtKind::kFor || stmt->kind == StmtKind::kWhile;
    const bool is_unit = stmt->kind == StmtKind::kFunction || stmt->kind == StmtKind::kClass;
    if (is_unit) return;
    if (!is_loop || !is_after_loop) {
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> inner) {
        AddAfter(inner, place, is_after_loop, spans);
      });
    }
    spans.push_back({.begin = stmt->span.end, .end = block.back()->span.end});
    return;
  }
}

}  // namespace

llvm::SmallVector<ByteSpan, 4> CodeAfter(const Stmt& function, uint32_t place, bool is_after_loop) {
  llvm::SmallVector<ByteSpan, 4> spans;
  AddAfter(function.body, place, is_after_loop, spans);
  return spans;
}

}  // namespace shapewise
