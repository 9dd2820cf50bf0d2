#include "rules/rule_block.h"

#include <nlohmann/json.hpp>

#include "rules/json_fields.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kCodeRuleKeys[] = {
    "code",       "since", "severity", "torch",  "over",   "where", "message",  "breaks",
    "confidence", "fold",  "quiet",    "reader", "advice", "fix",   "captured", "advice_for"};

/// The JSON text of the object at `key`; empty if the key is optional and missing.
Error ReadObject(const Json& object, const char* key, bool is_required, RuleStorage& storage,
                 std::string_view& into) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return is_required ? MakeError("no " + Quoted(key)) : Error::success();
  }
  if (!found->is_object()) return MakeError(Quoted(key) + " has to be an object");
  into = storage.Keep(found->dump());
  return Error::success();
}

Error ReadFold(const Json& object, std::string_view& into) {
  std::string_view word;
  if (Error error = ReadText(object, "fold", /*is_required=*/false, word)) return error;
  if (word.empty()) return Error::success();
  static constexpr std::string_view kFolds[] = {kFoldInClass, kFoldInFile};
  for (const std::string_view fold : kFolds) {
    if (word == fold) into = fold;
  }
  return CheckWord("word of 'fold'", word, kFolds);
}

Error ReadCodeRule(const Json& object, const RuleFile& file, RuleStorage& storage, CodeRule& rule) {
  if (Error error = ReadHead(object, file, kCodeRuleKeys, rule)) return error;
  if (Error error = ReadFlag(object, "quiet", rule.is_quiet)) return error;
  if (Error error = ReadFlag(object, "captured", rule.is_captured)) return error;
  // Quiet rules need no message.
  if (Error error = ReadText(object, "message", !rule.is_quiet, rule.message)) return error;
  if (HasText(rule.message, "\n")) return MakeError("'message' has to be one line");
  if (Error error = ReadText(object, "advice", /*is_required=*/false, rule.advice)) return error;
  if (Error error =
          ReadObject(object, "advice_for", /*is_required=*/false, storage, rule.advice_for)) {
    return error;
  }
  const auto breaks = object.find("breaks");
  if (breaks != object.end()) {
    std::vector<std::string_view> ids;
    if (Error error = ReadTexts(*breaks, "breaks", ids)) return error;
    rule.breaks = storage.Keep(ids);
  }
  if (Error error = ReadConfidence(object, rule.confidence)) return error;
  if (Error error = ReadFold(object, rule.fold)) return error;
  if (Error error = ReadFlag(object, "reader", rule.is_of_reader)) return error;
  const bool has_facts = !rule.is_of_reader;
  if (!has_facts && object.contains("where")) {
    return MakeError("the reader knows no facts: 'where' has to go");
  }
  if (!has_facts && !HasText(rule.message, kFoundPlaceholder)) {
    return MakeError("'message' has to say {found}, what the reader found");
  }
  if (Error error = ReadObject(object, "where", has_facts, storage, rule.where)) return error;
  return ReadObject(object, "fix", /*is_required=*/false, storage, rule.fix);
}

}  // namespace

Expected<CodeRule> ParseCodeRuleBlock(const RuleFile& file, const Json& block,
                                      RuleStorage& storage) {
  CodeRule rule;
  if (Error error = ReadCodeRule(block, file, storage, rule)) {
    return MakeError(file.path + ":" + std::to_string(file.block_line) + ": " +
                     llvm::toString(std::move(error)));
  }
  return rule;
}

}  // namespace shapewise
