// Generates the manual page from the option tree.

#ifndef SHAPEWISE_CLI_MANUAL_PAGE_H_
#define SHAPEWISE_CLI_MANUAL_PAGE_H_

#include "cli/option_tree.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// shapewise(1), with the macros of man(7). It contains no date, so that the output is
/// reproducible.
void WriteManualPage(const ProgramFacts& facts, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_MANUAL_PAGE_H_
