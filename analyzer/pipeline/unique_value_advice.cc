#include "pipeline/unique_value_advice.h"

#include <string>

#include "pipeline/reported_advice.h"
#include "support/text_scan.h"

namespace shapewise {

void AdviseOnUniqueValues(std::vector<ReportedCause>& reported) {
  for (ReportedCause& one : reported) {
    const std::string name(FactOf(one.cause, "unique_value"));
    Finding& finding = one.finding;
    if (name.empty() || finding.severity == Severity::kNote || finding.advice.empty()) continue;
    Action action = NewAction(
        "hoist", "Keep " + name +
                     " out of the compiled function, with all code that reads it: it "
                     "has another value in each entry (" +
                     std::string(FactOf(one.cause, "unique_values")) +
                     "), so that no entry is used again. Compile only the part that computes with "
                     "tensors, and do the rest outside.");
    action.target = finding.advice.front().target;
    action.trap =
        "A higher limit, or a function for each case of another value, only adds compiles as long "
        "as the guard on " +
        name + " is there.";
    PutBefore(finding, std::move(action));
    // Neither more entries nor more functions help: the entries are not for values of the culprit.
    std::erase_if(finding.advice, [](const Action& other) {
      return IsOneOf(other.kind, {"raise_limit", "isolate"});
    });
  }
}

}  // namespace shapewise
