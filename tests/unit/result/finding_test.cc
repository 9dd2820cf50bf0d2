#include "result/finding.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("severities bear the contract's names and rise from note to error", "[result]") {
  CHECK(SeverityName(Severity::kNote) == "note");
  CHECK(SeverityName(Severity::kWarning) == "warning");
  CHECK(SeverityName(Severity::kError) == "error");
  CHECK(Severity::kNote < Severity::kWarning);
  CHECK(Severity::kWarning < Severity::kError);
}

}  // namespace
}  // namespace shapewise
