#include "rules/json_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "rules/conditions.h"
#include "rules/rule_block.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

Error ReadSeverity(const Json& object, Severity& into) {
  std::string_view word;
  if (Error error = ReadText(object, "severity", /*is_required=*/true, word)) return error;
  const std::vector<std::string_view> names = NamesUpTo(Severity::kError, &SeverityName);
  if (Error error = CheckWord("severity", word, names)) return error;
  into = static_cast<Severity>(std::ranges::find(names, word) - names.begin());
  return Error::success();
}

}  // namespace

std::string Quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

Error UnknownName(std::string_view what, std::string_view word,
                  std::span<const std::string_view> names) {
  return MakeError("unknown " + std::string(what) + " " + Quoted(word) + DidYouMean(word, names));
}

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

Error ReadText(const Json& object, const char* key, bool is_required, std::string_view& into) {
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

Error ReadFlag(const Json& object, const char* key, bool& into) {
  const auto found = object.find(key);
  if (found == object.end()) return Error::success();
  if (!found->is_boolean()) return MakeError(Quoted(key) + " has to be true or false");
  into = found->get<bool>();
  return Error::success();
}

Error ReadTexts(const Json& value, std::string_view what, std::vector<std::string_view>& into) {
  const bool is_list = value.is_array() && !value.empty();
  if (!is_list) return MakeError(Quoted(what) + " has to be a list of texts");
  for (const Json& item : value) {
    const std::string* text = item.get_ptr<const std::string*>();
    if (text == nullptr || text->empty()) {
      return MakeError(Quoted(what) + " has to be a list of texts");
    }
    into.push_back(*text);
  }
  return Error::success();
}

Error ReadTorch(const Json& object, std::string_view& into) {
  if (Error error = ReadText(object, "torch", /*is_required=*/false, into)) return error;
  if (into.empty() || IsTorchRange(into)) return Error::success();
  return MakeError("'torch' has to be a range such as '>=2.2 <2.8', not " + Quoted(into));
}

Error ReadConfidence(const Json& object, double& into) {
  const auto confidence = object.find("confidence");
  if (confidence == object.end()) return Error::success();
  const double number = confidence->is_number() ? confidence->get<double>() : -1;
  if (number < 0 || number > 1) return MakeError("'confidence' has to be a number from 0 to 1");
  into = number;
  return Error::success();
}

Error ReadHead(const Json& object, const RuleFile& file, std::span<const std::string_view> keys,
               RuleHead& head) {
  head.name = file.name;
  head.group = file.group;
  head.path = file.path;
  head.summary = file.summary;
  if (object.is_discarded()) return MakeError("the rule block is not valid JSON");
  if (!object.is_object()) return MakeError("the rule block has to be an object");
  if (Error error = CheckKeys(object, "key", keys)) return error;
  if (Error error = ReadText(object, "code", /*is_required=*/true, head.code)) return error;
  if (head.code != file.code) {
    return MakeError("'code' is " + std::string(head.code) + ", but the heading says " + file.code);
  }
  if (Error error = ReadText(object, "since", /*is_required=*/true, head.since)) return error;
  if (Error error = ReadSeverity(object, head.severity)) return error;
  return ReadTorch(object, head.torch);
}

}  // namespace shapewise
