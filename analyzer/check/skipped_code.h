// Finds code that Dynamo does not trace because of a break before it.

#ifndef SHAPEWISE_CHECK_SKIPPED_CODE_H_
#define SHAPEWISE_CHECK_SKIPPED_CODE_H_

#include "llvm/ADT/SmallVector.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// The code of `function` that always runs after the byte `place` of it, block by block from the
/// inside out. `is_after_loop`: only after the outermost loop around `place`, if there is one.
llvm::SmallVector<ByteSpan, 4> CodeAfter(const Stmt& function, uint32_t place, bool is_after_loop);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_SKIPPED_CODE_H_
