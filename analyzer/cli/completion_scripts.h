// Shell completions, generated from the option tree.

#ifndef SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_
#define SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_

#include "cli/option_tree.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// A script to source in bash; needs no completion package.
void WriteBashCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

/// A function `_shapewise` for a folder in zsh's fpath; may also be sourced.
void WriteZshCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

/// A list of `complete` commands for fish.
void WriteFishCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_
