#include "report/report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "report/json_stream.h"
#include "support/embedded_file.h"
#include "support/nearest_name.h"

namespace shapewise {

/// The files of analyzer/report/schemas.
std::span<const EmbeddedFile> EmbeddedSchemas();

namespace {

/// The file of definitions that the others refer to.
constexpr std::string_view kCommon = "common";
constexpr std::string_view kCommonReference = "common.json#/$defs/";
constexpr std::string_view kOwnReference = "#/$defs/";

/// "lint" for "analyzer/report/schemas/lint.json".
std::string_view NameOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.find('.'));
}

/// All files, parsed; they are built in, so a damaged one is a build error.
const std::map<std::string, Json, std::less<>>& Files() {
  static const auto* const files = [] {
    auto* read = new std::map<std::string, Json, std::less<>>();
    for (const EmbeddedFile& file : EmbeddedSchemas()) {
      read->emplace(NameOf(file.path), Json::parse(file.text));
    }
    return read;
  }();
  return *files;
}

/// Replaces references to common definitions by references within the document, and collects their
/// names in `wanted`. `is_common`: `json` is itself a common definition, whose own references are
/// of this kind.
void Localize(Json& json, bool is_common, std::set<std::string>& wanted) {
  if (!json.is_structured()) return;
  for (auto& [key, value] : json.items()) {
    if (key != "$ref" || !value.is_string()) {
      Localize(value, is_common, wanted);
      continue;
    }
    const std::string target = value.get<std::string>();
    for (const std::string_view prefix : {kCommonReference, kOwnReference}) {
      if (!target.starts_with(prefix) || (prefix == kOwnReference && !is_common)) continue;
      const std::string name = target.substr(prefix.size());
      wanted.insert(name);
      value = std::string(kOwnReference) + name;
      break;
    }
  }
}

/// `schema` with all definitions that it refers to.
Json Bundle(Json schema) {
  std::set<std::string> wanted;
  Localize(schema, /*is_common=*/false, wanted);
  const Json& common = Files().find(kCommon)->second.at("$defs");
  Json& definitions = schema["$defs"];
  if (definitions.is_null()) definitions = Json::object();
  std::set<std::string> done;
  while (done.size() < wanted.size()) {
    for (const std::string& name : std::set<std::string>(wanted)) {
      if (!done.insert(name).second) continue;
      Json definition = common.at(name);
      Localize(definition, /*is_common=*/true, wanted);
      definitions[name] = std::move(definition);
    }
  }
  if (definitions.empty()) schema.erase("$defs");
  return schema;
}

}  // namespace

std::vector<std::string_view> JsonSchemaNames() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    if (NameOf(file.path) != kCommon) names.push_back(NameOf(file.path));
  }
  std::ranges::sort(names);
  return names;
}

std::span<const SchemaHead> JsonSchemas() {
  static const auto* const heads = [] {
    auto* list = new std::vector<SchemaHead>();
    for (const auto& [name, schema] : Files()) {
      if (name != kCommon) list->push_back({name, schema.at("title").get<std::string>()});
    }
    return list;
  }();
  return *heads;
}

Expected<std::string> JsonSchema(std::string_view name) {
  const std::vector<std::string_view> names = JsonSchemaNames();
  const auto found = Files().find(name);
  if (found == Files().end() || name == kCommon) {
    std::string help = DidYouMean(name, names);
    if (help.empty()) {
      help = "; there are ";
      for (size_t i = 0; i < names.size(); ++i) {
        help += (i == 0 ? "" : ", ") + std::string(names[i]);
      }
    }
    return MakeError("no JSON result is called '" + std::string(name) + "'" + help);
  }
  return Bundle(found->second).dump(1) + "\n";
}

}  // namespace shapewise
