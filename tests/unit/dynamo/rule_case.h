// Cases of Dynamo's rules as people write them (rules/*.md): a function, what is known of its body,
// a policy, calls, and what PyTorch did in each. tests/torch/check_dynamo_rules.py runs the same
// files under PyTorch.

#ifndef SHAPEWISE_TESTS_UNIT_DYNAMO_RULE_CASE_H_
#define SHAPEWISE_TESTS_UNIT_DYNAMO_RULE_CASE_H_

#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "result/prediction.h"

namespace shapewise {

struct RuleCase {
  std::string name;  ///< "marks.md: a hard mark on a constant raises"
  CallHistory history;
  BodyFacts body;
  CompilePolicy policy;
  std::vector<std::string> expected;  ///< one a call: "compile", "hit", "limit", "error X"
  size_t undecided_at = ~size_t{0};   ///< the first call that cannot be decided
};

/// The cases of one file. What can't be read fails the test that asks.
std::vector<std::unique_ptr<RuleCase>> ReadRuleCases(const std::string& path);

/// Adds one call written as in the files: "x[5, 4] n=3".
void AddCall(std::string_view text, CallHistory& history);

/// What happened in a call, in the words of the files.
std::string Describe(const PredictedCall& call);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_DYNAMO_RULE_CASE_H_
