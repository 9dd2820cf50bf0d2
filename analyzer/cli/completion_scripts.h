// Completions of the command line for shells, written from the option tree.

#ifndef SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_
#define SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_

#include "cli/option_tree.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// A script that bash sources; it needs no package of completions.
void WriteBashCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

/// A function `_shapewise` for a folder of zsh's fpath; a shell may source it, too.
void WriteZshCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

/// A list of `complete` commands for fish.
void WriteFishCompletion(const ProgramFacts& facts, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_COMPLETION_SCRIPTS_H_
