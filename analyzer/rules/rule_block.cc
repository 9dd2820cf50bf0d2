#include "rules/rule_block.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "rules/conditions.h"
#include "rules/json_fields.h"
#include "rules/placeholders.h"
#include "support/nearest_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRuleKeys[] = {"code",  "since",   "severity", "torch",     "over",
                                          "where", "message", "advice",   "next_steps"};
constexpr std::string_view kAdviceKeys[] = {"where", "kind",       "text", "code",   "trap",
                                            "torch", "confidence", "ran",  "not_run"};
constexpr std::string_view kNextStepKeys[] = {"where", "text", "code"};
constexpr std::string_view kRemedyKeys[] = {"library", "folders",    "server",  "versions",
                                            "over",    "instead_of", "sources", "advice"};

// Contract, section 7.
constexpr std::string_view kActionKinds[] = {
    "mark_dynamic",  "mark_unbacked",   "mark_static",    "dynamic_sources",
    "bucket",        "raise_limit",     "isolate",        "tensorize",
    "hoist",         "fix_break",       "disable_region", "contiguous",
    "pad_alignment", "cudagraph_sizes", "cache",          "config"};

constexpr std::string_view kLog = "log";

/// The same for a text with placeholders.
Error ReadTemplate(const Json& object, const char* key, bool is_required, std::string_view& into) {
  if (Error error = ReadText(object, key, is_required, into)) return error;
  if (Error error = CheckPlaceholders(into)) {
    return MakeError(Quoted(key) + ": " + llvm::toString(std::move(error)));
  }
  return Error::success();
}

/// Parses the kind of cause `word`; absent for "log".
Error ReadKind(std::string_view word, std::optional<CauseKind>& into) {
  if (word == kLog) {
    into = std::nullopt;
    return Error::success();
  }
  std::vector<std::string_view> names = NamesUpTo(CauseKind::kServer, &CauseKindName);
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) {
    into = static_cast<CauseKind>(found - names.begin());
    return Error::success();
  }
  names.push_back(kLog);
  return UnknownName("kind of cause", word, names);
}

Error ReadOver(const Json& object, std::optional<CauseKind>& into) {
  std::string_view word;
  if (Error error = ReadText(object, "over", /*is_required=*/true, word)) return error;
  return ReadKind(word, into);
}

/// Reads the optional list of words `key`.
Error ReadWords(const Json& object, const char* key, RuleStorage& storage,
                std::span<const std::string_view>& into) {
  const auto list = object.find(key);
  if (list == object.end()) return Error::success();
  std::vector<std::string_view> words;
  if (Error error = ReadTexts(*list, key, words)) return error;
  into = storage.Keep(words);
  return Error::success();
}

Error ReadConditionWords(const Json& value, const ConditionKind& kind, RuleStorage& storage,
                         RuleCondition& condition) {
  const auto error = [&] {
    return MakeError("condition " + Quoted(kind.name) + " takes a list of texts");
  };
  if (!value.is_array() || value.empty()) return error();
  std::vector<std::string_view> words;
  for (const Json& item : value) {
    const std::string* word = item.get_ptr<const std::string*>();
    if (word == nullptr || word->empty()) return error();
    if (kind.known_words != nullptr) {
      const std::vector<std::string_view> names = kind.known_words();
      if (Error unknown = CheckWord("word of condition " + Quoted(kind.name), *word, names)) {
        return unknown;
      }
    }
    words.push_back(*word);
  }
  condition.words = storage.Keep(words);
  return Error::success();
}

Error ReadConditions(const Json& object, RuleStorage& storage,
                     std::span<const RuleCondition>& into) {
  const auto where = object.find("where");
  if (where == object.end()) return Error::success();
  if (!where->is_object()) return MakeError("'where' has to be an object");
  const std::span<const ConditionKind> kinds = BuiltinConditions();
  std::vector<RuleCondition> conditions;
  for (const auto& [key, value] : where->items()) {
    std::string_view name = key;
    const bool is_negated = ConsumeFront(name, "not_");
    const auto kind = std::ranges::find(kinds, name, &ConditionKind::name);
    if (kind == kinds.end() || (is_negated && !kind->takes_list())) {
      std::vector<std::string_view> names;
      for (const ConditionKind& known : kinds) names.push_back(known.name);
      return UnknownName("condition", key, names);
    }
    RuleCondition& condition = conditions.emplace_back();
    condition.kind = static_cast<uint8_t>(kind - kinds.begin());
    if (kind->takes_list()) {
      condition.flag = is_negated;
      if (Error error = ReadConditionWords(value, *kind, storage, condition)) return error;
    } else if (value.is_boolean()) {
      condition.flag = value.get<bool>();
    } else {
      return MakeError("condition " + Quoted(key) + " takes true or false");
    }
  }
  into = storage.Keep(conditions);
  return Error::success();
}

/// "ran" and "not_run" are for readers of the file and for tests/torch/check_rule_actions.py.
Error CheckEvidence(const Json& item) {
  std::string_view text;
  for (const char* key : {"ran", "not_run"}) {
    if (Error error = ReadText(item, key, /*is_required=*/false, text)) return error;
  }
  if (!item.contains("ran") || !item.contains("not_run")) return Error::success();
  return MakeError("an advice has 'ran' or 'not_run', not both");
}

Error ReadAdvice(const Json& item, RuleStorage& storage, AdviceTemplate& advice) {
  if (!item.is_object()) return MakeError("'advice' has to be a list of objects");
  if (Error error = CheckKeys(item, "key of an advice", kAdviceKeys)) return error;
  if (Error error = ReadConditions(item, storage, advice.conditions)) return error;
  if (Error error = ReadText(item, "kind", /*is_required=*/true, advice.kind)) return error;
  if (Error error = CheckWord("kind of advice", advice.kind, kActionKinds)) return error;
  if (Error error = ReadTemplate(item, "text", /*is_required=*/true, advice.text)) return error;
  if (Error error = ReadTemplate(item, "code", /*is_required=*/false, advice.code)) return error;
  if (Error error = ReadTemplate(item, "trap", /*is_required=*/false, advice.trap)) return error;
  if (Error error = ReadTorch(item, advice.torch)) return error;
  if (Error error = CheckEvidence(item)) return error;
  return ReadConfidence(item, advice.confidence);
}

Error ReadNextStep(const Json& item, RuleStorage& storage, NextStepTemplate& step) {
  if (!item.is_object()) return MakeError("'next_steps' has to be a list of objects");
  if (Error error = CheckKeys(item, "key of a next step", kNextStepKeys)) return error;
  if (Error error = ReadConditions(item, storage, step.conditions)) return error;
  if (Error error = ReadTemplate(item, "text", /*is_required=*/true, step.text)) return error;
  return ReadTemplate(item, "code", /*is_required=*/false, step.code);
}

/// Reads the optional list `key` item by item.
template <typename Item>
Error ReadList(const Json& object, const char* key, RuleStorage& storage,
               Error (*read)(const Json&, RuleStorage&, Item&), std::span<const Item>& into) {
  const auto list = object.find(key);
  if (list == object.end()) return Error::success();
  if (!list->is_array()) return MakeError(Quoted(key) + " has to be a list of objects");
  std::vector<Item> items;
  for (const Json& item : *list) {
    if (Error error = read(item, storage, items.emplace_back())) return error;
  }
  into = storage.Keep(items);
  return Error::success();
}

Error ReadRule(const Json& object, const RuleFile& file, RuleStorage& storage, Rule& rule) {
  if (Error error = ReadHead(object, file, kRuleKeys, rule)) return error;
  if (Error error = ReadOver(object, rule.over)) return error;
  if (Error error = ReadConditions(object, storage, rule.conditions)) return error;
  const bool asks_stat =
      std::ranges::find(rule.conditions, "stat", &ConditionName) != rule.conditions.end();
  if (asks_stat && rule.over) return MakeError("condition 'stat' needs \"over\": \"log\"");
  if (Error error = ReadTemplate(object, "message", /*is_required=*/true, rule.message)) {
    return error;
  }
  if (HasText(rule.message, "\n")) return MakeError("'message' has to be one line");
  if (Error error = ReadList(object, "advice", storage, ReadAdvice, rule.advice)) return error;
  return ReadList(object, "next_steps", storage, ReadNextStep, rule.next_steps);
}

Error ReadRemedy(const Json& item, RuleStorage& storage, LibraryRemedy& remedy) {
  if (!item.is_object()) return MakeError("a remedy has to be an object");
  if (Error error = CheckKeys(item, "key of a remedy", kRemedyKeys)) return error;
  if (Error error = ReadText(item, "library", /*is_required=*/true, remedy.library)) return error;
  if (Error error = ReadWords(item, "folders", storage, remedy.folders)) return error;
  if (remedy.folders.empty()) return MakeError("a remedy needs its 'folders'");
  if (Error error = ReadText(item, "server", /*is_required=*/false, remedy.server)) return error;
  std::span<const std::string_view> kinds;
  if (Error error = ReadWords(item, "over", storage, kinds)) return error;
  std::vector<CauseKind> causes;
  for (const std::string_view kind : kinds) {
    std::optional<CauseKind> over;
    if (Error error = ReadKind(kind, over)) return error;
    if (over) causes.push_back(*over);
  }
  remedy.over = storage.Keep(causes);
  if (Error error = ReadWords(item, "instead_of", storage, remedy.instead_of)) return error;
  std::span<const std::string_view> sources;
  if (Error error = ReadWords(item, "sources", storage, sources)) return error;
  if (sources.empty()) return MakeError("a remedy needs its 'sources'");
  const auto advice = item.find("advice");
  if (advice == item.end()) return MakeError("a remedy needs an 'advice'");
  return ReadAdvice(*advice, storage, remedy.advice);
}

}  // namespace

Expected<std::span<const LibraryRemedy>> ParseLibraries(std::string_view path,
                                                        std::string_view text,
                                                        RuleStorage& storage) {
  const Json& list =
      storage.documents.emplace_back(Json::parse(text, nullptr, /*allow_exceptions=*/false));
  if (!list.is_array()) return MakeError(std::string(path) + ": has to be a list of remedies");
  std::vector<LibraryRemedy> remedies;
  for (const Json& item : list) {
    LibraryRemedy& remedy = remedies.emplace_back();
    if (Error error = ReadRemedy(item, storage, remedy)) {
      return MakeError(std::string(path) + ": " + std::string(remedy.library) + ": " +
                       llvm::toString(std::move(error)));
    }
  }
  return storage.Keep(remedies);
}

bool IsTorchRange(std::string_view range) {
  if (range.empty()) return false;
  while (!range.empty()) {
    const bool has_operator = ConsumeFront(range, ">=") || ConsumeFront(range, "<=") ||
                              ConsumeFront(range, "==") || ConsumeFront(range, "<") ||
                              ConsumeFront(range, ">");
    if (!has_operator || !ConsumeUint(range) || !ConsumeFront(range, ".") || !ConsumeUint(range)) {
      return false;
    }
    if (range.empty()) return true;
    if (!ConsumeFront(range, " ")) return false;
  }
  return false;
}

Json RuleBlockOf(const RuleFile& file) {
  return Json::parse(file.block, nullptr, /*allow_exceptions=*/false);
}

bool MentionsCode(const Json& block) {
  return block.is_object() && block.value("over", Json()) == "code";
}

Expected<Rule> ParseRuleBlock(const RuleFile& file, const Json& block, RuleStorage& storage) {
  Rule rule;
  if (Error error = ReadRule(block, file, storage, rule)) {
    return MakeError(file.path + ":" + std::to_string(file.block_line) + ": " +
                     llvm::toString(std::move(error)));
  }
  return rule;
}

}  // namespace shapewise
