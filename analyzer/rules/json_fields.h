// Reads fields of a rule's JSON as views into it, with errors that name them.

#ifndef SHAPEWISE_RULES_JSON_FIELDS_H_
#define SHAPEWISE_RULES_JSON_FIELDS_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_file.h"
#include "rules/rule_head.h"
#include "support/error.h"

namespace shapewise {

/// 'text'
std::string Quoted(std::string_view text);

/// "unknown <what> 'clas'; did you mean 'class'?"
Error UnknownName(std::string_view what, std::string_view word,
                  std::span<const std::string_view> names);

/// Checks that `word` is one of `names`; the error says what it should be.
Error CheckWord(std::string_view what, std::string_view word,
                std::span<const std::string_view> names);

/// Checks that all keys of `object` are among `keys`.
Error CheckKeys(const nlohmann::json& object, std::string_view what,
                std::span<const std::string_view> keys);

/// Reads the text at `key` into `into`, which is unchanged if the key is optional and missing.
Error ReadText(const nlohmann::json& object, const char* key, bool is_required,
               std::string_view& into);

/// The same for an optional true or false.
Error ReadFlag(const nlohmann::json& object, const char* key, bool& into);

/// Reads a list of non-empty texts, at least one. `what` names the list in errors.
Error ReadTexts(const nlohmann::json& value, std::string_view what,
                std::vector<std::string_view>& into);

/// Reads the optional range of releases at "torch".
Error ReadTorch(const nlohmann::json& object, std::string_view& into);

/// Reads the optional number from 0 to 1 at "confidence".
Error ReadConfidence(const nlohmann::json& object, double& into);

/// Reads what all rules share, except message and markdown, as views into the file and its JSON
/// block, whose keys must be among `keys`.
Error ReadHead(const nlohmann::json& object, const RuleFile& file,
               std::span<const std::string_view> keys, RuleHead& head);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_JSON_FIELDS_H_
