// Facts -> findings: what the rules over code say of what the code does.

#ifndef SHAPEWISE_CHECK_JUDGE_FACTS_H_
#define SHAPEWISE_CHECK_JUDGE_FACTS_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/check/code_rule_set.h"
#include "shapewise/result/code_finding.h"
#include "shapewise/source/fact.h"
#include "shapewise/source/project.h"

namespace shapewise {

/// Which runs of the model findings are about.
enum class CodeMode : uint8_t {
  kTraining,    ///< what runs only in evaluation is left out
  kEvaluation,  ///< what runs only in training is left out
  kBoth,
};

/// One finding a place and rule: of several rules that speak of one expression, the one that asks
/// for the most. Nothing is folded yet: FoldKeys say what FoldFindings may fold. In the order of
/// file, place and rule, whatever the order of `facts`.
std::vector<CodeFinding> JudgeFacts(Project& project, llvm::ArrayRef<Fact> facts,
                                    const CodeRuleSet& rules, CodeMode mode);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_JUDGE_FACTS_H_
