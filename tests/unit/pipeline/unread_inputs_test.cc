#include "shapewise/pipeline/lint.h"
#include "support/catch.h"
#include "unit/pipeline/memory_files.h"

namespace shapewise {
namespace {

TEST_CASE("a path that cannot be read does not lose the others", "[pipeline]") {
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

TEST_CASE("a structured trace is named and not read as text", "[pipeline]") {
  MemoryFiles memory;
  memory.files["trace.log"] =
      "V1121 03:53:26.646000 14 torch/_logging/structured.py:22] {\"artifact\": {\"name\": "
      "\"recompile_reasons\"}, \"frame_id\": 0}\n"
      "\tGraph break in user code at /w/a.py:6\n";
  Session session;
  LintOptions options;
  options.paths = {"trace.log"};
  Expected<LintResult> result = Lint(options, memory, session);
  REQUIRE(static_cast<bool>(result));
  CHECK(session.events().empty());
  CHECK(session.inputs()[0].format.empty());
  CHECK_FALSE(session.inputs()[0].unread_because.empty());
}

TEST_CASE("a selector that fits no rule is an error before anything is read", "[pipeline]") {
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
