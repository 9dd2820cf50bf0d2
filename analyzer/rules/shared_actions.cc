#include "rules/shared_actions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rules/json_fields.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr const char* kSameAs = "same_as";

/// `action` with the keys of `reference` instead of its own.
Json WithKeysOf(Json action, const Json& reference) {
  // Only one of the two may remain.
  if (reference.contains("ran")) action.erase("not_run");
  if (reference.contains("not_run")) action.erase("ran");
  action.update(reference);
  action.erase(kSameAs);
  return action;
}

Error AddActions(const Json& shared, const Json& reference, Json& actions) {
  std::string_view name;
  if (Error error = ReadText(reference, kSameAs, /*is_required=*/true, name)) return error;
  const auto list = shared.find(name);
  if (list == shared.end()) {
    std::vector<std::string_view> names;
    for (const auto& [known, items] : shared.items()) names.push_back(known);
    return UnknownName("list of actions", name, names);
  }
  for (const Json& action : *list) actions.push_back(WithKeysOf(action, reference));
  return Error::success();
}

bool IsListOfObjects(const Json& list) {
  return list.is_array() && std::ranges::all_of(list, &Json::is_object);
}

}  // namespace

Expected<Json> ParseSharedActions(std::string_view path, std::string_view text) {
  Json shared = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (shared.is_object() && std::ranges::all_of(shared, &IsListOfObjects)) return shared;
  return MakeError(std::string(path) + ": has to be an object of lists of actions");
}

Error ExpandSharedActions(const RuleFile& file, const Json& shared, Json& block) {
  const auto advice = block.is_object() ? block.find("advice") : block.end();
  if (advice == block.end() || !advice->is_array()) return Error::success();
  Json actions = Json::array();
  for (Json& item : *advice) {
    if (!item.is_object() || !item.contains(kSameAs)) {
      actions.push_back(std::move(item));
    } else if (Error error = AddActions(shared, item, actions)) {
      return MakeError(file.path + ":" + std::to_string(file.block_line) + ": " +
                       llvm::toString(std::move(error)));
    }
  }
  *advice = std::move(actions);
  return Error::success();
}

}  // namespace shapewise
