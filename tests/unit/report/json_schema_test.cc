#include "report/report.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "model/event.h"
#include "model/guard.h"
#include "result/bucket_report.h"
#include "result/finding.h"
#include "result/guard_report.h"
#include "result/rank_divergence.h"
#include "result/replay_report.h"
#include "result/tune_report.h"
#include "support/catch.h"

namespace shapewise {
namespace {

using ParsedJson = nlohmann::json;

ParsedJson Schema(const std::string& name) {
  Expected<std::string> text = JsonSchema(name);
  if (!text) {
    FAIL(llvm::toString(text.takeError()));
    return {};
  }
  return ParsedJson::parse(*text);
}

/// The words at `pointer` of a schema, null and the empty one left out.
std::set<std::string> WordsAt(const ParsedJson& schema, const std::string& pointer) {
  std::set<std::string> words;
  for (const ParsedJson& word : schema.at(ParsedJson::json_pointer(pointer + "/enum"))) {
    if (word.is_string()) words.insert(word.get<std::string>());
  }
  return words;
}

/// The names of all enumerators up to `last`.
template <typename Enum, typename NameOf>
std::set<std::string> Names(Enum last, const NameOf& name_of) {
  std::set<std::string> names;
  for (size_t i = 0; i <= static_cast<size_t>(last); ++i) {
    const std::string name(name_of(static_cast<Enum>(i)));
    if (!name.empty()) names.insert(name);
  }
  return names;
}

TEST_CASE("schemas list the words that are printed") {
  const ParsedJson lint = Schema("lint");
  const std::string event = "/$defs/event/properties/";
  CHECK(WordsAt(lint, event + "kind") == Names(EventKind::kIgnoredMode, EventKindName));
  CHECK(WordsAt(lint, event + "why") == Names(Why::kOther, WhyName));
  CHECK(WordsAt(lint, event + "hint") == Names(PerfHint::kOther, PerfHintName));
  CHECK(WordsAt(lint, event + "cache") == Names(CacheOutcome::kBypass, CacheOutcomeName));
  CHECK(WordsAt(lint, "/$defs/guard_class") == Names(GuardClass::kOther, GuardClassName));
  CHECK(WordsAt(lint, "/$defs/severity") == Names(Severity::kError, SeverityName));
  CHECK(WordsAt(lint, "/$defs/divergence/properties/kind") ==
        Names(DivergenceKind::kLogBegins, DivergenceKindName));
  CHECK(WordsAt(lint, "/$defs/track/properties/compared") ==
        Names(StepComparison::kNothing, StepComparisonName));
  CHECK(WordsAt(Schema("guards"), "/$defs/verdict/properties/verdict") ==
        Names(SizeVerdict::kPinned, SizeVerdictName));
  CHECK(WordsAt(Schema("replay"), "/$defs/replay_verdict") ==
        Names(ReplayVerdict::kFailed, ReplayVerdictName));
  CHECK(WordsAt(Schema("tune"), "/$defs/run/properties/end") ==
        Names(TuneEnd::kInterrupted, TuneEndName));
  CHECK(WordsAt(Schema("tune"), "/$defs/action/properties/verdict") ==
        Names(TuneVerdict::kNotApplied, TuneVerdictName));
  CHECK(WordsAt(Schema("buckets"), "/$defs/serving_kind") ==
        Names(ServingKind::kEager, ServingKindName));
}

TEST_CASE("a schema is self-contained") {
  for (const SchemaHead& head : JsonSchemas()) {
    const ParsedJson schema = Schema(head.name);
    CHECK(schema.at("title") == head.title);
    size_t references = 0;
    const ParsedJson flat = schema.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      if (!pointer.ends_with("/$ref")) continue;
      const std::string target = value.get<std::string>();
      INFO(head.name << ": " << pointer << ": " << target);
      REQUIRE(target.starts_with("#/"));
      CHECK(schema.contains(ParsedJson::json_pointer(target.substr(1))));
      ++references;
    }
    CHECK(references > 0);
  }
}

TEST_CASE("the error for an unknown schema suggests the nearest name") {
  Expected<std::string> schema = JsonSchema("guard");
  REQUIRE_FALSE(static_cast<bool>(schema));
  CHECK(llvm::toString(schema.takeError()) ==
        "no JSON result is called 'guard'; did you mean 'guards'?");
}

}  // namespace
}  // namespace shapewise
