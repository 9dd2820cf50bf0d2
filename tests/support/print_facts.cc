#include "support/print_facts.h"

#include <algorithm>
#include <string>

#include "source/fact_trees.h"

namespace shapewise {
namespace {

constexpr uint32_t kNumConditions = 11;  // without kUncalled
constexpr uint32_t kNumTraits = 16;

std::string PrintValue(const Value& value) {
  std::string text(ValueKindName(value.kind));
  std::string traits;
  for (uint32_t bit = 0; bit < kNumTraits; ++bit) {
    const auto trait = static_cast<Trait>(1U << bit);
    if (!value.Has(trait)) continue;
    traits += (traits.empty() ? "" : " ") + std::string(TraitName(trait));
  }
  if (!traits.empty()) text += "[" + traits + "]";
  return text;
}

}  // namespace

std::string PrintFact(Project& project, const Fact& fact) {
  const SourceFile& file = project.files()[fact.file];
  size_t offset = fact.function == kNoId ? 0 : project.function(fact.function).begin;
  if (fact.expr != nullptr) {
    offset += fact.expr->span.begin;
  } else if (fact.statement != nullptr) {
    offset += fact.statement->span.begin;
  }
  const std::string_view before = file.text.substr(0, offset);
  std::string text = std::to_string(std::ranges::count(before, '\n') + 1) + ": ";
  text += FactKindName(fact.kind);
  if (!fact.name.empty()) text += " " + std::string(fact.name);
  if (fact.use != FactUse::kNone) text += " in " + std::string(FactUseName(fact.use));
  text += " of " + PrintValue(fact.subject);
  if (fact.certainty != 100) text += " " + std::to_string(fact.certainty) + "%";
  std::string conditions;
  for (uint32_t bit = 0; bit < kNumConditions; ++bit) {
    const auto condition = static_cast<RunCondition>(1U << bit);
    if ((fact.conditions & static_cast<uint16_t>(condition)) == 0) continue;
    conditions += (conditions.empty() ? "" : " ") + std::string(RunConditionName(condition));
  }
  if (!conditions.empty()) text += " (" + conditions + ")";
  return text;
}

std::string FactsOf(std::string_view code, std::initializer_list<FactKind> kinds) {
  Project project;
  project.AddFile("model.py", "model", std::string(code), /*is_checked=*/true);
  const auto all = [](FactKind, std::string_view) { return true; };
  FlowResult result = Follow(project, all, /*jobs=*/1);
  AttachFacts(project, result.facts);
  std::string text;
  for (const Fact& fact : result.facts) {
    if (kinds.size() != 0 && std::ranges::find(kinds, fact.kind) == kinds.end()) continue;
    text += PrintFact(project, fact) + "\n";
  }
  return text;
}

}  // namespace shapewise
