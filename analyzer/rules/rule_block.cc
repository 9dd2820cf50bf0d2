#include "rules/rule_block.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "rules/conditions/builtin_conditions.h"
#include "rules/placeholders.h"
#include "shapewise/support/nearest_name.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRuleKeys[] = {"code", "since", "severity", "torch",
                                          "over", "where", "message",  "advice"};
constexpr std::string_view kAdviceKeys[] = {"kind", "text", "code", "trap", "torch", "confidence"};

// Contract, section 7.
constexpr std::string_view kActionKinds[] = {
    "mark_dynamic",  "mark_unbacked",   "mark_static",    "dynamic_sources",
    "bucket",        "raise_limit",     "isolate",        "tensorize",
    "hoist",         "fix_break",       "disable_region", "contiguous",
    "pad_alignment", "cudagraph_sizes", "cache",          "config"};

constexpr std::string_view kLog = "log";

std::string Quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

/// "unknown <what> 'clas'; did you mean 'class'?"
Error UnknownName(std::string_view what, std::string_view word,
                  std::span<const std::string_view> names) {
  return MakeError("unknown " + std::string(what) + " " + Quoted(word) + DidYouMean(word, names));
}

/// Whether `word` is one of `names`; an error that says what it is not if it is none.
Error CheckWord(std::string_view what, std::string_view word,
                std::span<const std::string_view> names) {
  if (std::ranges::find(names, word) != names.end()) return Error::success();
  return UnknownName(what, word, names);
}

Error CheckKeys(const Json& object, std::string_view what, std::span<const std::string_view> keys) {
  for (const auto& [key, value] : object.items()) {
    if (Error error = CheckWord(what, key, keys)) return error;
  }
  return Error::success();
}

/// Puts the text at `key` into `into`, which keeps its value where the key is optional and absent.
Error ReadText(const Json& object, const char* key, bool is_required, std::string& into) {
  const auto found = object.find(key);
  if (found == object.end()) {
    if (!is_required) return Error::success();
    return MakeError("no " + Quoted(key));
  }
  const std::string* text = found->get_ptr<const std::string*>();
  if (text == nullptr || text->empty()) return MakeError(Quoted(key) + " has to be a text");
  into = *text;
  return Error::success();
}

/// The same for a text with placeholders.
Error ReadTemplate(const Json& object, const char* key, bool is_required, std::string& into) {
  if (Error error = ReadText(object, key, is_required, into)) return error;
  if (Error error = CheckPlaceholders(into)) {
    return MakeError(Quoted(key) + ": " + llvm::toString(std::move(error)));
  }
  return Error::success();
}

Error ReadTorch(const Json& object, std::string& into) {
  if (Error error = ReadText(object, "torch", /*is_required=*/false, into)) return error;
  if (into.empty() || IsTorchRange(into)) return Error::success();
  return MakeError("'torch' has to be a range such as '>=2.2 <2.8', not " + Quoted(into));
}

Error ReadSeverity(const Json& object, Severity& into) {
  std::string word;
  if (Error error = ReadText(object, "severity", /*is_required=*/true, word)) return error;
  const std::vector<std::string_view> names = NamesUpTo(Severity::kError, &SeverityName);
  if (Error error = CheckWord("severity", word, names)) return error;
  into = static_cast<Severity>(std::ranges::find(names, word) - names.begin());
  return Error::success();
}

Error ReadOver(const Json& object, std::optional<CauseKind>& into) {
  std::string word;
  if (Error error = ReadText(object, "over", /*is_required=*/true, word)) return error;
  if (word == kLog) {
    into = std::nullopt;
    return Error::success();
  }
  std::vector<std::string_view> names = NamesUpTo(CauseKind::kStall, &CauseKindName);
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) {
    into = static_cast<CauseKind>(found - names.begin());
    return Error::success();
  }
  names.push_back(kLog);
  return UnknownName("kind of cause", word, names);
}

Error ReadConditionWords(const Json& value, RuleCondition& condition) {
  if (!value.is_array() || value.empty()) {
    return MakeError("condition " + Quoted(condition.name) + " takes a list of texts");
  }
  for (const Json& item : value) {
    const std::string* word = item.get_ptr<const std::string*>();
    if (word == nullptr || word->empty()) {
      return MakeError("condition " + Quoted(condition.name) + " takes a list of texts");
    }
    if (condition.kind->known_words != nullptr) {
      const std::vector<std::string_view> names = condition.kind->known_words();
      if (Error error = CheckWord("word of condition " + Quoted(condition.name), *word, names)) {
        return error;
      }
    }
    condition.words.push_back(*word);
  }
  return Error::success();
}

Error ReadConditions(const Json& object, Rule& rule) {
  const auto where = object.find("where");
  if (where == object.end()) return Error::success();
  if (!where->is_object()) return MakeError("'where' has to be an object");
  for (const auto& [key, value] : where->items()) {
    RuleCondition condition;
    condition.kind = FindCondition(key);
    condition.name = key;
    if (condition.kind == nullptr) {
      std::vector<std::string_view> names;
      for (const ConditionKind& kind : BuiltinConditions()) names.push_back(kind.name);
      return UnknownName("condition", key, names);
    }
    if (condition.kind->takes_list()) {
      if (Error error = ReadConditionWords(value, condition)) return error;
    } else if (value.is_boolean()) {
      condition.flag = value.get<bool>();
    } else {
      return MakeError("condition " + Quoted(key) + " takes true or false");
    }
    if (key == "stat" && rule.over) return MakeError("condition 'stat' needs \"over\": \"log\"");
    rule.conditions.push_back(std::move(condition));
  }
  return Error::success();
}

Error ReadAdvice(const Json& item, AdviceTemplate& advice) {
  if (!item.is_object()) return MakeError("'advice' has to be a list of objects");
  if (Error error = CheckKeys(item, "key of an advice", kAdviceKeys)) return error;
  if (Error error = ReadText(item, "kind", /*is_required=*/true, advice.kind)) return error;
  if (Error error = CheckWord("kind of advice", advice.kind, kActionKinds)) return error;
  if (Error error = ReadTemplate(item, "text", /*is_required=*/true, advice.text)) return error;
  if (Error error = ReadTemplate(item, "code", /*is_required=*/false, advice.code)) return error;
  if (Error error = ReadTemplate(item, "trap", /*is_required=*/false, advice.trap)) return error;
  if (Error error = ReadTorch(item, advice.torch)) return error;
  const auto confidence = item.find("confidence");
  if (confidence == item.end()) return Error::success();
  advice.confidence = confidence->is_number() ? confidence->get<double>() : -1;
  if (advice.confidence >= 0 && advice.confidence <= 1) return Error::success();
  return MakeError("'confidence' has to be a number from 0 to 1");
}

Error ReadRule(const Json& object, const RuleFile& file, Rule& rule) {
  if (object.is_discarded()) return MakeError("the rule block is not valid JSON");
  if (!object.is_object()) return MakeError("the rule block has to be an object");
  if (Error error = CheckKeys(object, "key", kRuleKeys)) return error;
  if (Error error = ReadText(object, "code", /*is_required=*/true, rule.code)) return error;
  if (rule.code != file.code) {
    return MakeError("'code' is " + rule.code + ", but the heading says " + file.code);
  }
  if (Error error = ReadText(object, "since", /*is_required=*/true, rule.since)) return error;
  if (Error error = ReadSeverity(object, rule.severity)) return error;
  if (Error error = ReadTorch(object, rule.torch)) return error;
  if (Error error = ReadOver(object, rule.over)) return error;
  if (Error error = ReadConditions(object, rule)) return error;
  if (Error error = ReadTemplate(object, "message", /*is_required=*/true, rule.message)) {
    return error;
  }
  if (HasText(rule.message, "\n")) return MakeError("'message' has to be one line");
  const auto advice = object.find("advice");
  if (advice == object.end()) return Error::success();
  if (!advice->is_array()) return MakeError("'advice' has to be a list of objects");
  for (const Json& item : *advice) {
    if (Error error = ReadAdvice(item, rule.advice.emplace_back())) return error;
  }
  return Error::success();
}

}  // namespace

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

Expected<Rule> ParseRuleBlock(const RuleFile& file) {
  Rule rule;
  rule.name = file.name;
  rule.group = file.group;
  rule.path = file.path;
  rule.summary = file.summary;
  const Json object = Json::parse(file.block, nullptr, /*allow_exceptions=*/false);
  if (Error error = ReadRule(object, file, rule)) {
    return MakeError(file.path + ":" + std::to_string(file.block_line) + ": " +
                     llvm::toString(std::move(error)));
  }
  return rule;
}

}  // namespace shapewise
