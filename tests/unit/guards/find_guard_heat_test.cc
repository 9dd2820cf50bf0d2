// The most expensive entry of each function, with its guards by kind.

#include "guards/guard_cost.h"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

using Kinds = std::vector<std::pair<std::string, uint64_t>>;

Compilation CompilationOf(Session& session, const char* function, uint32_t leaves) {
  Compilation compilation;
  compilation.function = session.strings().Intern(function);
  compilation.file = session.strings().Intern("m.py");
  compilation.function_line = 3;
  compilation.guards.leaves = leaves;
  compilation.guards.kinds = {{session.strings().Intern("TENSOR_MATCH"), leaves}};
  return compilation;
}

TEST_CASE("of a function its dearest entry counts", "[guards]") {
  Session session;
  session.AddInput("a.log");
  for (const uint32_t leaves : {100U, 400U, 200U}) {
    Compilation compilation = CompilationOf(session, "f", leaves);
    compilation.compile_id = session.strings().Intern("0/" + std::to_string(leaves));
    session.AddCompilation(compilation);
  }
  session.AddCompilation(CompilationOf(session, "g", 1000));
  session.AddCompilation(CompilationOf(session, "h", 0));  // without a tree
  const std::vector<GuardHeat> heat = FindGuardHeat(session);
  REQUIRE(heat.size() == 2);
  CHECK(heat[0].where.function == "g");
  CHECK(heat[0].guards_us == Approx(10));  // 1000 leaves of 0.01 us
  CHECK(heat[1].where.function == "f");
  CHECK(heat[1].compile_id == "0/400");
  CHECK(heat[1].entries == 3);
  CHECK(heat[1].kinds == Kinds{{"TENSOR_MATCH", 400}});
  CHECK(heat[1].guards_us == Approx(400 * heat[1].leaf_us));
}

TEST_CASE("guards printed in a log count if there is no trace", "[guards]") {
  Session session;
  session.AddInput("a.log");
  session.AddCompilation(CompilationOf(session, "f", 10));
  for (const char* function : {"f", "g", ""}) {
    const Compilation like = CompilationOf(session, function, 50);
    PrintedGuards printed;
    if (function[0] != '\0') {
      printed.function = like.function;
      printed.file = like.file;
      printed.function_line = like.function_line;
    }
    printed.user_file = session.strings().Intern("user.py");
    printed.user_line = 12;
    printed.guards = like.guards;
    session.AddPrintedGuards(printed);
  }
  const std::vector<GuardHeat> heat = FindGuardHeat(session);
  REQUIRE(heat.size() == 3);
  CHECK(heat[0].where == Place{"g", "m.py", 3});
  CHECK(heat[1].where == Place{"", "user.py", 12});
  CHECK(heat[2].where == Place{"f", "m.py", 3});
  CHECK(heat[2].guards == 10);
}

}  // namespace
}  // namespace shapewise
