// What the text of a program says about the values of causes.

#include "pipeline/program_text.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

namespace shapewise {
namespace {

Cause CauseAt(std::string function, uint32_t line, std::string source,
              GuardClass guard_class = GuardClass::kInt) {
  Cause cause;
  cause.where = {std::move(function), "/srv/app/train.py", line};
  cause.culprit = Culprit{guard_class, std::move(source)};
  return cause;
}

/// The use of the culprit of `cause`, whose file is `program`, and its line: "index 4"; the line is
/// missing where the printed one already said so.
std::string UseIn(std::string_view program, Cause cause) {
  std::vector<Cause> causes = {std::move(cause)};
  AddUsesInProgram(
      [&](const std::string& path) {
        CHECK(path == "/srv/app/train.py");
        return std::optional<SourceText>({"srv/app/train.py", std::string(program)});
      },
      causes);
  const std::string_view line = FactOf(causes[0], "used_line");
  return std::string(ValueUseName(causes[0].use)) + (line.empty() ? "" : " ") + std::string(line);
}

constexpr std::string_view kProgram = R"(import torch

class Net(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x, t, n,
                mode=0):
        y = x * t
        alpha = self.schedule.table[
            t]
        steps = self.steps
        if self.count % 2 == 0:
            y = y + n
        for _ in range(steps):
            y = y * alpha
        return y

    def other(self, x, t):
        return x.view(t, -1)
)";

TEST_CASE("the use that needs a value most counts, of the whole function", "[pipeline]") {
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "t")) == "index 8");
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "L['t']")) == "index 8");
  CHECK(UseIn(kProgram, CauseAt("Net.forward", 4, "n")) == "arithmetic 12");
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "self.count")) == "branch 11");
  CHECK(UseIn(kProgram, CauseAt("other", 17, "t")) == "size 18");
}

TEST_CASE("a value is followed into the name that it is assigned to", "[pipeline]") {
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "L['self'].steps")) == "range 13");
}

TEST_CASE("names that are assigned from each other end", "[pipeline]") {
  std::string program = "def step(x, n):\n    a0 = n\n    n = a0\n    x = x + n\n";
  for (int i = 0; i < 20'000; ++i) {
    program += "    a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
  }
  CHECK(UseIn(program, CauseAt("step", 1, "n")) == "arithmetic 4");
}

TEST_CASE("a use that the log printed stays if it needs the value more", "[pipeline]") {
  Cause cause = CauseAt("forward", 4, "t");
  cause.use = ValueUse::kRange;
  CHECK(UseIn(kProgram, cause) == "range");
}

TEST_CASE("the rest of a function after a break is in that function", "[pipeline]") {
  CHECK(UseIn(kProgram, CauseAt("torch_dynamo_resume_in_forward_at_8", 8, "self.count")) ==
        "branch 11");
}

TEST_CASE("an attribute of a module in the compiled one is looked up where the line is",
          "[pipeline]") {
  Cause cause = CauseAt("step", 40, "self.net.count");
  cause.user = {"forward", "/srv/app/train.py", 7};
  CHECK(UseIn(kProgram, cause) == "unknown");  // the compiled function is not there
  cause = CauseAt("other", 17, "self.net.count");
  cause.user = {"forward", "/srv/app/train.py", 7};
  CHECK(UseIn(kProgram, cause) == "branch 11");
  cause.user = {"backward", "/srv/app/train.py", 7};
  CHECK(UseIn(kProgram, cause) == "unknown");
}

TEST_CASE("a file without the function at its line is another one", "[pipeline]") {
  CHECK(UseIn(kProgram, CauseAt("backward", 4, "t")) == "unknown");
  CHECK(UseIn(kProgram, CauseAt("forward", 7, "t")) == "unknown");
  CHECK(UseIn(kProgram, CauseAt("torch_dynamo_resume_in_other_at_8", 8, "t")) == "unknown");
  CHECK(UseIn(kProgram, CauseAt("forward", 400, "t")) == "unknown");
  CHECK(UseIn("", CauseAt("forward", 4, "t")) == "unknown");
}

TEST_CASE("only numbers, strings and flags with a name of their own are looked up", "[pipeline]") {
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "t", GuardClass::kType)) == "unknown");
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "G['t']")) == "unknown");
  CHECK(UseIn(kProgram, CauseAt("forward", 4, "table['t']")) == "unknown");
  // An attribute of this name is not the variable.
  CHECK(UseIn(kProgram, CauseAt("other", 17, "self.t")) == "unknown");
}

TEST_CASE("a loop over a size is what makes it a constant, where the log does not say",
          "[pipeline]") {
  constexpr std::string_view kLoops = R"(def windows(doc, mask, query):
    batch, length = doc.shape
    heads = query.size(1)
    y = query.view(length, heads)
    for start in range(0, length, 4):
        y = y + doc[:, start]
    return y.chunk(mask.shape[0])
)";
  const auto place = [&](std::string source, int32_t dim, ConstantBy by = ConstantBy::kUnknown) {
    Cause cause = CauseAt("windows", 1, std::move(source), GuardClass::kSize);
    cause.culprit->dim = dim;
    cause.constant_by = by;
    std::vector<Cause> causes = {std::move(cause)};
    AddUsesInProgram(
        [&](const std::string&) {
          return std::optional<SourceText>({"train.py", std::string(kLoops)});
        },
        causes);
    return std::string(ConstantByName(causes[0].constant_by)) + " " +
           std::string(FactOf(causes[0], "needed_at"));
  };
  CHECK(place("doc", 1) == "code /srv/app/train.py:5");
  CHECK(place("mask", 0) == "code /srv/app/train.py:7");
  // These may be symbols.
  CHECK(place("doc", 0) == "unknown ");
  CHECK(place("query", 1) == "unknown ");
  // The log says what it was.
  CHECK(place("doc", 1, ConstantBy::kSetting) == "setting ");
}

}  // namespace
}  // namespace shapewise
