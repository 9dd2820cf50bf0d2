// Turns facts about code into findings of the code rules.

#ifndef SHAPEWISE_CHECK_JUDGE_FACTS_H_
#define SHAPEWISE_CHECK_JUDGE_FACTS_H_

#include <cstdint>
#include <vector>

#include "check/code_rule_set.h"
#include "llvm/ADT/ArrayRef.h"
#include "result/code_finding.h"
#include "source/fact.h"
#include "source/project.h"

namespace shapewise {

/// The mode of the model that findings are about.
enum class CodeMode : uint8_t {
  kTraining,    ///< ignore code that runs only in evaluation
  kEvaluation,  ///< ignore code that runs only in training
  kBoth,
};

/// Returns one finding per place and rule. If several rules match one expression, the most specific
/// one applies. Findings are not merged yet: FoldKeys say what FoldFindings may merge. Ordered by
/// file, place and rule, whatever the order of `facts`, which are detached (source/fact_trees.h):
/// all trees of functions are freed. `compiled`: further functions that a fix
/// must not exclude from compilation, besides those that `facts` show (FlowResult::compiled).
std::vector<CodeFinding> JudgeFacts(Project& project, llvm::ArrayRef<Fact> facts,
                                    const CodeRuleSet& rules, CodeMode mode,
                                    llvm::ArrayRef<FunctionId> compiled = {});

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_JUDGE_FACTS_H_
