// Fields of a rule's JSON, read with errors that name them.

#ifndef SHAPEWISE_RULES_JSON_FIELDS_H_
#define SHAPEWISE_RULES_JSON_FIELDS_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_file.h"
#include "shapewise/rules/rule_head.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// 'text'
std::string Quoted(std::string_view text);

/// "unknown <what> 'clas'; did you mean 'class'?"
Error UnknownName(std::string_view what, std::string_view word,
                  std::span<const std::string_view> names);

/// Whether `word` is one of `names`; an error that says what it is not if it is none.
Error CheckWord(std::string_view what, std::string_view word,
                std::span<const std::string_view> names);

/// Whether all keys of `object` are among `keys`.
Error CheckKeys(const nlohmann::json& object, std::string_view what,
                std::span<const std::string_view> keys);

/// Puts the text at `key` into `into`, which keeps its value where the key is optional and absent.
Error ReadText(const nlohmann::json& object, const char* key, bool is_required, std::string& into);

/// The same for true or false; the key is optional.
Error ReadFlag(const nlohmann::json& object, const char* key, bool& into);

/// The texts of a list: at least one, none of them empty. `what` names the list in the error.
Error ReadTexts(const nlohmann::json& value, std::string_view what, std::vector<std::string>& into);

/// The optional range of releases at "torch".
Error ReadTorch(const nlohmann::json& object, std::string& into);

/// The optional number from 0 to 1 at "confidence".
Error ReadConfidence(const nlohmann::json& object, double& into);

/// What all rules have but for message and markdown: of the file and of its JSON block, whose keys
/// have to be among `keys`.
Error ReadHead(const nlohmann::json& object, const RuleFile& file,
               std::span<const std::string_view> keys, RuleHead& head);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_JSON_FIELDS_H_
