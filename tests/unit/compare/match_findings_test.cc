#include "compare/compare_runs.h"

#include <algorithm>
#include <set>

#include "support/catch.h"
#include "unit/compare/sample_findings.h"

namespace shapewise {
namespace {

/// "0-1 fingerprint" for each pair.
std::vector<std::string> PairsOf(const std::vector<Finding>& before,
                                 const std::vector<Finding>& after) {
  std::vector<std::string> pairs;
  for (const FindingMatch& match : MatchFindings(before, after)) {
    pairs.push_back(std::to_string(match.before) + "-" + std::to_string(match.after) + " " +
                    std::string(MatchedByName(match.matched_by)));
  }
  return pairs;
}

using Pairs = std::vector<std::string>;

TEST_CASE("equal fingerprints match, whatever their order", "[compare]") {
  const Finding x = Recompile("forward", "model.py", 10, "x");
  const Finding y = Recompile("forward", "model.py", 10, "y");
  CHECK(PairsOf({x, y}, {y, x}) == Pairs{"0-1 fingerprint", "1-0 fingerprint"});
  CHECK(PairsOf({x}, {y}).empty());
  CHECK(PairsOf({}, {y}).empty());
}

TEST_CASE("as many of one fingerprint match in the order of their lines", "[compare]") {
  const std::vector<Finding> before = {Break("f", "a.py", 10, "GB0001"),
                                       Break("f", "a.py", 20, "GB0001")};
  const std::vector<Finding> after = {Break("f", "a.py", 30, "GB0001"),
                                      Break("f", "a.py", 20, "GB0001")};
  CHECK(PairsOf(before, after) == Pairs{"0-1 fingerprint", "1-0 fingerprint"});
}

TEST_CASE("of more of one fingerprint those on the same lines match first", "[compare]") {
  const std::vector<Finding> before = {Break("f", "a.py", 10, "GB0001"),
                                       Break("f", "a.py", 20, "GB0001")};
  const std::vector<Finding> after = {Break("f", "a.py", 5, "GB0001"),
                                      Break("f", "a.py", 10, "GB0001"),
                                      Break("f", "a.py", 20, "GB0001")};
  CHECK(PairsOf(before, after) == Pairs{"0-1 fingerprint", "1-2 fingerprint"});
}

TEST_CASE("of more of one fingerprint those of one rule match next", "[compare]") {
  Finding limit = Recompile("forward", "a.py", 90, "x");
  limit.rule = "SWC003";
  std::vector<Finding> after = {limit, Recompile("forward", "a.py", 137, "x")};
  CHECK(PairsOf({Recompile("forward", "a.py", 100, "x")}, after) == Pairs{"0-1 fingerprint"});
}

TEST_CASE("a related class of guard on one source is one cause", "[compare]") {
  const Finding none = WithClass(Recompile("f", "a.py", 10, "mask"), GuardClass::kNone);
  const Finding type = WithClass(Recompile("f", "a.py", 40, "mask"), GuardClass::kType);
  const Finding dtype = WithClass(Recompile("f", "a.py", 40, "mask"), GuardClass::kDtype);
  CHECK(PairsOf({none}, {type}) == Pairs{"0-0 source"});
  CHECK(PairsOf({none}, {dtype}).empty());
  SECTION("but not where there are several to choose from") {
    const Finding identity = WithClass(none, GuardClass::kIdentity);
    CHECK(PairsOf({none}, {type, identity}).empty());
  }
}

TEST_CASE("global state is one culprit, also in another file", "[compare]") {
  const auto state_in = [](const std::string& file) {
    Finding finding = WithClass(Recompile("attend", file, 10, ""), GuardClass::kGlobalState);
    finding.identity.dim = -1;
    return Named(std::move(finding));
  };
  CHECK(PairsOf({state_in("model.py")}, {state_in("layers.py")}) == Pairs{"0-0 moved-file"});
}

TEST_CASE("a function in another file is known by its own name", "[compare]") {
  const Finding before = Recompile("attend", "model.py", 10, "x");
  CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "x")}) == Pairs{"0-0 moved-file"});
  CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "y")}).empty());
  SECTION("but not if the old file has it still") {
    const Finding still = Recompile("attend", "model.py", 10, "y");
    CHECK(PairsOf({before}, {Recompile("attend", "layers.py", 99, "x"), still}).empty());
  }
  SECTION("and if many are called so, only on the same line") {
    const Finding forward = Recompile("forward", "model.py", 10, "x");
    CHECK(PairsOf({forward}, {Recompile("forward", "llama.py", 99, "x")}).empty());
    CHECK(PairsOf({forward}, {Recompile("forward", "llama.py", 10, "x")}) ==
          Pairs{"0-0 moved-file"});
  }
}

TEST_CASE("a function of another name is known by file, culprit and about the line", "[compare]") {
  const Finding before = Recompile("attend", "model.py", 100, "x");
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 130, "x")}) ==
        Pairs{"0-0 renamed-function"});
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 300, "x")}).empty());
  CHECK(PairsOf({before}, {Recompile("attention", "model.py", 0, "x")}).empty());
  SECTION("but not if the new name was there before, or the old one is there still") {
    const Finding other = Recompile("attention", "model.py", 130, "y");
    CHECK(PairsOf({before, other}, {Recompile("attention", "model.py", 130, "x")}).empty());
    const Finding still = Recompile("attend", "model.py", 100, "y");
    CHECK(PairsOf({before}, {Recompile("attention", "model.py", 130, "x"), still}).empty());
  }
}

TEST_CASE("a cause without culprit or type is not guessed at in other places", "[compare]") {
  Finding plain = Recompile("f", "a.py", 10, "");
  Finding elsewhere = Recompile("g", "a.py", 10, "");
  CHECK(PairsOf({plain}, {elsewhere}).empty());
}

TEST_CASE("a break whose wording the registry lacks is known by its place", "[compare]") {
  const Finding old = Break("f", "a.py", 10, "call_method FooVariable()");
  CHECK(PairsOf({old}, {Break("f", "a.py", 12, "GB0059")}) == Pairs{"0-0 wording"});
  CHECK(PairsOf({old}, {Break("f", "a.py", 400, "GB0059")}).empty());
  CHECK(PairsOf({Break("f", "a.py", 10, "GB0001")}, {Break("f", "a.py", 10, "GB0059")}).empty());
}

TEST_CASE("a break whose function one log does not name is known by file and line", "[compare]") {
  const Finding named = Break("f", "a.py", 10, "GB0059");
  CHECK(PairsOf({Break("", "a.py", 15, "GB0059")}, {named}) == Pairs{"0-0 place"});
  CHECK(PairsOf({Break("", "a.py", 99, "GB0059")}, {named}).empty());
  CHECK(PairsOf({Break("", "a.py", 15, "GB0001")}, {named}).empty());
  CHECK(
      PairsOf({Break("", "a.py", 15, "GB0059"), Break("", "a.py", 16, "GB0059")}, {named}).empty());
}

TEST_CASE("a limit without a culprit is known by its function", "[compare]") {
  Finding quiet = WithClass(Recompile("f", "a.py", 10, ""), GuardClass::kEmpty);
  Finding loud = Recompile("f", "a.py", 50, "x");
  quiet.runs_eager = loud.runs_eager = true;
  CHECK(PairsOf({quiet}, {loud}) == Pairs{"0-0 function"});
  loud.runs_eager = false;
  CHECK(PairsOf({quiet}, {loud}).empty());
}

/// Findings that resemble each other in all ways, `seed` choosing.
std::vector<Finding> Assorted(uint32_t seed) {
  std::vector<Finding> findings;
  const auto next = [&](uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % n;
  };
  const char* functions[] = {"f", "g", "forward"};
  const char* files[] = {"a.py", "b.py"};
  const char* sources[] = {"x", "y"};
  const uint32_t num = next(8);
  for (uint32_t i = 0; i < num; ++i) {
    const char* function = functions[next(3)];
    const char* file = files[next(2)];
    const uint32_t line = 10 * next(4);
    if (next(3) == 0) {
      findings.push_back(Break(function, file, line, next(2) == 0 ? "GB0001" : "old words"));
    } else {
      const GuardClass classes[] = {GuardClass::kSize, GuardClass::kNone, GuardClass::kType};
      findings.push_back(
          WithClass(Recompile(function, file, line, sources[next(2)]), classes[next(3)]));
    }
  }
  return findings;
}

TEST_CASE("matching is one to one, the same both ways, and blind to order", "[compare]") {
  using Texts = std::multiset<std::pair<std::string, std::string>>;
  const auto text = [](const Finding& finding) {
    return finding.fingerprint + " " + std::to_string(finding.where.line + finding.user.line);
  };
  size_t num_pairs = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::vector<Finding> before = Assorted(seed);
    std::vector<Finding> after = Assorted(seed + 1000);
    Texts forth;
    std::set<size_t> used_before;
    std::set<size_t> used_after;
    for (const FindingMatch& match : MatchFindings(before, after)) {
      CHECK(used_before.insert(match.before).second);
      CHECK(used_after.insert(match.after).second);
      forth.emplace(text(before[match.before]), text(after[match.after]));
      ++num_pairs;
    }
    std::ranges::reverse(before);
    std::ranges::reverse(after);
    Texts back;
    for (const FindingMatch& match : MatchFindings(after, before)) {
      back.emplace(text(before[match.after]), text(after[match.before]));
    }
    CHECK(back == forth);
    CHECK(MatchFindings(before, before).size() == before.size());
  }
  CHECK(num_pairs > 100);
}

}  // namespace
}  // namespace shapewise
