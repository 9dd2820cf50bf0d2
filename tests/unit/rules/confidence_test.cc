#include "rules/confidence.h"

#include <algorithm>

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("the confidence is the share that held on new logs, not the rule's own number",
          "[rules]") {
  // The classes of docs/adding-a-rule.md, in their order.
  const double seen = ConfidenceOnNewLogs(0.95);
  const double cause = ConfidenceOnNewLogs(0.9);
  const double once = ConfidenceOnNewLogs(0.85);
  CHECK(seen < 0.95);
  CHECK(cause < seen);
  CHECK(once < seen);  // as counted: actions for a single change hold as often as the class above
  CHECK(ConfidenceOfLaterActions() < std::min(cause, once));
  CHECK(ConfidenceOnNewLogs(0.75) == once);
}

}  // namespace
}  // namespace shapewise
