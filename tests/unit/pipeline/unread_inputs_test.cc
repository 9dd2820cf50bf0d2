#include "pipeline/lint.h"
#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

TEST_CASE("an unreadable path does not prevent reading the others", "[pipeline]") {
  MemoryFiles memory;
  memory.files["rank0.log"] = "skipping cudagraphs due to mutated inputs (3 instances)\n";
  Session session;
  LintOptions options;
  options.paths = {"missing.log", "rank0.log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  REQUIRE(result->unread.size() == 1);
  CHECK(result->unread[0] == "missing.log: no such file");
  CHECK(result->findings.size() == 1);
}

TEST_CASE("a selector without a match is an error before anything is read", "[pipeline]") {
  MemoryFiles memory;
  Session session;
  LintOptions options;
  options.paths = {"missing.log"};
  options.select = {"SWX"};
  Expected<LintResult> result = Lint(options, memory, session);
  CHECK_FALSE(static_cast<bool>(result));
  llvm::consumeError(result.takeError());
}

}  // namespace
}  // namespace shapewise
