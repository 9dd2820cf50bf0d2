// Facts without the trees that they refer to.
//
// Trees take ten times the memory of their text. Parsing is fast, so the trees of an analysis are
// freed at its end, and those that its facts refer to are parsed again when the facts are judged.

#ifndef SHAPEWISE_SOURCE_FACT_TREES_H_
#define SHAPEWISE_SOURCE_FACT_TREES_H_

#include "llvm/ADT/ArrayRef.h"
#include "source/fact.h"
#include "source/project.h"

namespace shapewise {

/// Puts numbers in place of the nodes of trees that Project::FreeTrees frees. The trees must be
/// those that the facts were recorded in.
void DetachFacts(Project& project, llvm::MutableArrayRef<Fact> facts);

/// The reverse: `expr` and `statement` are nodes of the project's trees again.
void AttachFacts(Project& project, llvm::MutableArrayRef<Fact> facts);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FACT_TREES_H_
