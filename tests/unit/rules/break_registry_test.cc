#include "rules/break_registry.h"

#include "fixture_rules.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// The tables of the fixture's registry.
const RuleTables& FixtureTables() {
  static const RuleSet* const rules = [] {
    FixtureFiles files;
    files.Add(std::string(kFixtureRegistryPath), std::string(kFixtureRegistry));
    return new RuleSet(files.Set());
  }();
  return rules->tables();
}

BreakRegistry FixtureRegistry() { return BreakRegistry(FixtureTables()); }

std::string_view IdOf(const RegistryEntry* entry) { return entry == nullptr ? "none" : entry->id; }

TEST_CASE("a break is found by its id in any spelling", "[rules]") {
  const BreakRegistry registry = FixtureRegistry();
  CHECK(IdOf(registry.FindById("GB0124")) == "GB0124");
  CHECK(IdOf(registry.FindById("gb0124")) == "GB0124");
  CHECK(IdOf(registry.FindById("GB59")) == "GB0059");
  CHECK(IdOf(registry.FindById("GB9999")) == "none");
  CHECK(IdOf(registry.FindById("GB")) == "none");
  CHECK(IdOf(registry.FindById("GB00124")) == "none");
  CHECK(IdOf(registry.FindById("")) == "none");
}

TEST_CASE("a break without an id is found by its type", "[rules]") {
  const BreakRegistry registry = FixtureRegistry();
  CHECK(IdOf(registry.FindByType("Data dependent operator")) == "GB0033");
  CHECK(IdOf(registry.FindByType(" Data dependent operator. ")) == "GB0033");
  CHECK(IdOf(registry.FindByType("Tensor.item")) == "GB0124");
  CHECK(IdOf(registry.FindByType("Tensor.items")) == "none");
  CHECK(IdOf(registry.FindByType("")) == "none");
}

TEST_CASE("the longest matching wildcard wins; ties go to the first", "[rules]") {
  const BreakRegistry registry = FixtureRegistry();
  CHECK(IdOf(registry.FindByType("data dependent operator: aten.nonzero.default")) == "GB0033");
  CHECK(IdOf(registry.FindByType("data dependent operator: aten.item.default")) == "GB0033");
}

TEST_CASE("a type shared by two ids belongs to the first", "[rules]") {
  CHECK(IdOf(FixtureRegistry().FindByType("Failed to trace builtin operator")) == "GB0059");
}

TEST_CASE("codes are described in words", "[rules]") {
  const BreakRegistry registry = FixtureRegistry();
  CHECK(registry.CategoryText("IO") == "side effects");
  CHECK(registry.FixText("B") == "set a flag");
  CHECK(registry.HintText("U") == "a user error");
  CHECK(registry.CategoryText("NONE").empty());
}

TEST_CASE("without a registry, every break is unclassified", "[rules]") {
  const BreakRegistry registry{RuleTables()};
  CHECK(IdOf(registry.FindById("GB0059")) == "none");
  CHECK(IdOf(registry.FindByType("Tensor.item")) == "none");
}

TEST_CASE("a damaged registry is an error that names what is missing", "[rules]") {
  const auto [text, error] = GENERATE(table<std::string, std::string>({
      {"{", "expected a JSON object"},
      {"[]", "expected a JSON object"},
      {"{}", "expected the objects 'categories', 'fixes' and 'hints', of texts"},
      {R"({"categories": {"A": 1}, "fixes": {}, "hints": {}})",
       "expected the objects 'categories', 'fixes' and 'hints', of texts"},
      {R"({"categories": {}, "fixes": {}, "hints": {}})", "expected the list 'entries'"},
      {R"({"categories": {}, "fixes": {}, "hints": {}, "entries": [{"id": "GB1", "type": "x"}]})",
       "entry 0 (GB1) needs an 'id' such as GB0059, a 'type', and texts in 'also'"},
      {R"({"categories": {}, "fixes": {}, "hints": {},
           "entries": [{"id": "GB0001", "type": "x", "also": [1]}]})",
       "entry 0 (GB0001) needs an 'id' such as GB0059, a 'type', and texts in 'also'"},
  }));
  FixtureFiles files;
  files.Add("r/registry.json", text);
  CHECK(files.ErrorText() == "r/registry.json: " + error);
}

}  // namespace
}  // namespace shapewise
